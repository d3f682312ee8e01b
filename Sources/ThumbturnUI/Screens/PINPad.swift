#if canImport(SwiftUI)
public import SwiftUI
import ThumbturnCore
public import ThumbturnDevice

/// The screen of the app's PIN: why it is asked for, a dot for each digit, and a key pad.
///
/// An external keyboard types too: digits, delete, return and escape. The digits themselves are never shown, and VoiceOver tells how
/// many there are. Most apps put `pinEntry(_:)` at their root instead of showing it themselves.
public struct PINPad: View {
    private let model: PINEntryModel
    private var words = Words()
    @Environment(\.locale) private var locale
    @FocusState private var hasKeyboard: Bool
    @ScaledMetric(relativeTo: .title) private var scaledKeySize = 64.0
    @ScaledMetric(relativeTo: .body) private var scaledDotSize = 14.0
    /// Three keys have to stand side by side on the smallest phone, 320 points wide, however large its text is.
    private var keySize: Double { min(scaledKeySize, 80) }
    /// A finger needs 44 points; a pad of these keys is the lowest, for a small window.
    private static let smallKey = 52.0

    private var dotCount: Int { max(model.digitCount, PINEntryModel.shortest) }
    /// The dots and the gaps between them, which are as wide, share 270 points: a long PIN has small dots.
    private var dotSize: Double { min(scaledDotSize, 135 / Double(dotCount)) }

    /// Makes the screen of a model.
    public init(_ model: PINEntryModel) { self.model = model }

    public var body: some View {
        ViewThatFits(in: .vertical) {
            pad(keys: keySize)
            ScrollView { pad(keys: Self.smallKey) }
        }
        .frame(maxWidth: .infinity, maxHeight: .infinity)
        .focusable()
        .focusEffectDisabled()
        .focused($hasKeyboard)
        .onAppear { hasKeyboard = true }
        .onKeyPress(characters: .decimalDigits) { press in
            press.characters.forEach(model.type)
            return .handled
        }
        .onKeyPress(.delete) { handle(model.deleteLast) }
        .onKeyPress(.return) { handle(model.confirm) }
        .onKeyPress(.escape) { handle(model.cancel) }
        .announcing(model.message)
        // visionOS has no feedback before 26.
        #if !os(visionOS)
        .sensoryFeedback(.selection, trigger: model.digitCount)
        .sensoryFeedback(.error, trigger: model.refusals)
        #endif
        .task(id: model.pausedUntil) { await model.countDown() }
    }

    private func handle(_ act: () -> Void) -> KeyPress.Result {
        act()
        return .handled
    }

    private func pad(keys size: Double) -> some View {
        VStack(spacing: 20) {
            if !model.reason.isEmpty {
                Text(verbatim: model.reason).font(.title2.weight(.semibold)).accessibilityAddTraits(.isHeader)
            }
            Text(verbatim: words(model.message)).monospacedDigit()
            dots
            keys(size)
            WideButton(words(.confirm), isProminent: true, press: model.confirm).disabled(!model.canConfirm)
            QuietButton(words(model.cancelButton), press: model.cancel)
        }
        .multilineTextAlignment(.center)
        .padding(24)
        .frame(maxWidth: 400)
    }

    private var dots: some View {
        HStack(spacing: dotSize) {
            ForEach(0..<dotCount, id: \.self) { place in
                Image(systemName: place < model.digitCount ? "circle.fill" : "circle").font(.system(size: dotSize))
            }
        }
        .frame(minHeight: 2 * dotSize)
        .accessibilityElement(children: .ignore)
        .accessibilityLabel(words(Rung.appPIN.name))
        .accessibilityValue(words(.digitsEntered(model.digitCount)))
        .privacySensitive()
    }

    private func keys(_ size: Double) -> some View {
        Grid(horizontalSpacing: 20, verticalSpacing: 12) {
            GridRow {
                key("1", size); key("2", size); key("3", size)
            }
            GridRow {
                key("4", size); key("5", size); key("6", size)
            }
            GridRow {
                key("7", size); key("8", size); key("9", size)
            }
            GridRow {
                Color.clear.gridCellUnsizedAxes([.horizontal, .vertical])
                key("0", size)
                Button(action: model.deleteLast) {
                    Image(systemName: "delete.left").font(.title2).frame(width: size, height: size)
                }
                .buttonStyle(.plain)
                .accessibilityLabel(words(.deleteDigit))
                .disabled(model.digitCount == 0)
            }
        }
        // A key pad keeps its order in every language, as the system's own does.
        .environment(\.layoutDirection, .leftToRight)
        .disabled(model.isPaused)
    }

    private func key(_ digit: Character, _ size: Double) -> some View {
        Button {
            model.type(digit)
        } label: {
            Text(verbatim: shown(digit)).font(.title).minimumScaleFactor(0.5).foregroundStyle(.primary).frame(
                width: size, height: size)
        }
        .buttonStyle(.bordered)
        .buttonBorderShape(.circle)
    }

    /// The digit as the language writes it.
    private func shown(_ digit: Character) -> String {
        (digit.wholeNumberValue ?? 0).formatted(.number.locale(locale))
    }
}

extension View {
    /// Shows the PIN's screen over this view, the root of the app, while a PIN is asked for.
    ///
    ///     Home().appLock(lock).pinEntry(pinScreen)
    ///
    /// It stands over a lock screen on the same background, so it replaces it by a cross-fade. A sheet is above this view: give its
    /// contents `pinEntryInSheet()`, as the library's own sheets have it.
    ///
    /// - Parameter model: the model that the platform has as its `PINSupport.entry`.
    public func pinEntry(_ model: PINEntryModel) -> some View {
        pinEntryInSheet().environment(\.pinEntry, model)
    }

    /// Shows the PIN's screen of the root's `pinEntry(_:)` over the contents of a sheet, while a PIN is asked for.
    public func pinEntryInSheet() -> some View { modifier(PINEntryModifier()) }
}

private struct PINEntryModifier: ViewModifier {
    @Environment(\.pinEntry) private var model
    @Environment(\.scenePhase) private var phase

    func body(content: Content) -> some View {
        let isShown = model?.purpose != nil
        ZStack { content }
            .hiding(isShown)
            .overlay {
                if let model, isShown {
                    // It is above the lock's cover, so it has one of its own for the list of running apps. It stays enabled
                    // behind that, and keeps the keyboard.
                    PINPad(model).opacity(phase == .active ? 1 : 0).overlay { if phase != .active { PlainCover() } }
                        .background(.background).environment(\.isEnabled, true).transition(.opacity)
                }
            }
            .animation(.easeInOut(duration: UnlockPolicy.unlock.transition / .seconds(1)), value: isShown)
    }
}

private struct PINEntryKey: EnvironmentKey {
    static let defaultValue: PINEntryModel? = nil
}

extension EnvironmentValues {
    /// The app's PIN screen; nil where it has none.
    var pinEntry: PINEntryModel? {
        get { self[PINEntryKey.self] }
        set { self[PINEntryKey.self] = newValue }
    }
}
#endif
