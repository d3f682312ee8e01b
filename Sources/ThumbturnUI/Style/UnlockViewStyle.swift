#if canImport(SwiftUI)
public import SwiftUI

/// How an unlock's screen looks. `UnlockView` and the lock screen of `appLock(_:)` have the style of `unlockViewStyle(_:)`.
///
///     struct Card: UnlockViewStyle {
///         func makeBody(configuration: Configuration) -> some View {
///             VStack {
///                 Text(verbatim: configuration.reason)
///                 ForEach(configuration.buttons) { button in Button(button.label, action: button.press) }
///             }
///         }
///     }
@MainActor @preconcurrency public protocol UnlockViewStyle: Sendable {
    /// What the style makes.
    associatedtype Body: View
    /// What a screen shows.
    typealias Configuration = UnlockViewConfiguration

    /// Makes the screen. Every button has to be shown: there is always another way among them.
    @ViewBuilder func makeBody(configuration: Configuration) -> Body
}

/// What an unlock's screen shows, for a style.
@MainActor public struct UnlockViewConfiguration {
    /// A button of the screen.
    public struct Button: Identifiable {
        /// Its place among the buttons.
        public let id: Int
        /// Its text.
        public let label: String
        /// Presses it.
        public let press: @MainActor () -> Void
    }

    /// Why the person is asked, in the app's words; empty where the app gave none.
    public let reason: String
    /// The name of the SF Symbol of what is asked for: the sensor's, a lock, a keypad, an account.
    public let symbol: String
    /// Why the unlock left the previous rung, such as a pause of the sensor; nil where there is nothing to say.
    public let cause: String?
    /// The message; nil where there is none. The seconds of a pause count down in it.
    public let message: String?
    /// The buttons, the first one first.
    public let buttons: [Button]
    /// Leads to the settings where something could be set up for the next time; nil where there is nothing.
    public let offer: Button?
    /// Whether the person is being asked.
    public let isAsking: Bool
}

/// The library's own style: a symbol, the reason and the message in the middle, the buttons below.
public struct DefaultUnlockViewStyle: UnlockViewStyle {
    /// Makes the style.
    public nonisolated init() {}

    public func makeBody(configuration: Configuration) -> some View {
        // Large text that does not fit scrolls.
        ViewThatFits(in: .vertical) {
            DefaultUnlockBody(configuration: configuration)
            ScrollView { DefaultUnlockBody(configuration: configuration) }
        }
        .frame(maxWidth: 480)
        .frame(maxWidth: .infinity, maxHeight: .infinity)
    }
}

private struct DefaultUnlockBody: View {
    let configuration: UnlockViewConfiguration
    @ScaledMetric(relativeTo: .largeTitle) private var symbolSize = 56.0

    var body: some View {
        VStack(spacing: 16) {
            Spacer(minLength: 24)
            Image(systemName: configuration.symbol)
                .font(.system(size: symbolSize))
                .foregroundStyle(.tint)
                .accessibilityHidden(true)
            if !configuration.reason.isEmpty {
                Text(verbatim: configuration.reason)
                    .font(.title2.weight(.semibold))
                    .accessibilityAddTraits(.isHeader)
            }
            if let cause = configuration.cause {
                Text(verbatim: cause).foregroundStyle(.secondary)
            }
            if let message = configuration.message {
                Text(verbatim: message).monospacedDigit()
            }
            Spacer(minLength: 24)
            VStack(spacing: 12) {
                ForEach(configuration.buttons) { button in
                    WideButton(button, isProminent: button.id == 0 && !configuration.isAsking)
                }
                if let offer = configuration.offer {
                    QuietButton(offer.label, press: offer.press)
                }
            }
        }
        .multilineTextAlignment(.center)
        .padding(24)
    }
}

/// A button as wide as its screen. The return key presses the prominent one, unless it is no default.
struct WideButton: View {
    private let label: String
    private let isProminent: Bool
    private let isDefault: Bool
    private let press: @MainActor () -> Void

    init(_ label: String, isProminent: Bool, isDefault: Bool = true, press: @escaping @MainActor () -> Void) {
        (self.label, self.isProminent, self.isDefault, self.press) = (label, isProminent, isDefault, press)
    }

    init(_ button: UnlockViewConfiguration.Button, isProminent: Bool) {
        self.init(button.label, isProminent: isProminent, press: button.press)
    }

    var body: some View {
        if isProminent, isDefault {
            button.buttonStyle(.borderedProminent).keyboardShortcut(.defaultAction)
        } else if isProminent {
            button.buttonStyle(.borderedProminent)
        } else {
            button.buttonStyle(.bordered)
        }
    }

    private var button: some View {
        Button(action: press) { Text(verbatim: label).frame(maxWidth: .infinity) }.controlSize(.large)
    }
}

/// A button of text alone, high enough for a finger.
struct QuietButton: View {
    private let label: String
    private let press: @MainActor () -> Void

    init(_ label: String, press: @escaping @MainActor () -> Void) { (self.label, self.press) = (label, press) }

    var body: some View {
        Button(action: press) { Text(verbatim: label).frame(minWidth: 44, minHeight: 44).contentShape(.rect) }
            .buttonStyle(.borderless)
    }
}

extension UnlockViewStyle where Self == DefaultUnlockViewStyle {
    /// The library's own style.
    public static var automatic: DefaultUnlockViewStyle { DefaultUnlockViewStyle() }
}

private struct UnlockViewStyleKey: EnvironmentKey {
    static let defaultValue: any UnlockViewStyle = DefaultUnlockViewStyle()
}

extension EnvironmentValues {
    var unlockViewStyle: any UnlockViewStyle {
        get { self[UnlockViewStyleKey.self] }
        set { self[UnlockViewStyleKey.self] = newValue }
    }
}

extension View {
    /// Sets the style of the unlock screens in this view.
    public func unlockViewStyle(_ style: some UnlockViewStyle) -> some View { environment(\.unlockViewStyle, style) }
}
#endif
