#if canImport(SwiftUI)
public import SwiftUI
public import ThumbturnDevice

extension View {
    /// Shows this view only while an unlock of its own has succeeded, and the unlock's screen until then.
    ///
    ///     CardNumber(card).gated(by: screen)
    ///
    /// The view is not made before. It goes when the app is left, locked, or the person dismissed, and each time that it appears the
    /// person is asked anew.
    ///
    /// - Parameter screen: the model of the unlock. Keep it in a `@State`.
    public func gated(by screen: UnlockScreen) -> some View { Gate(screen: screen) { self } }
}

private struct Gate<Content: View>: View {
    let screen: UnlockScreen
    @ViewBuilder let content: () -> Content
    /// The model's appearance that this gate began. Another one's success opens nothing here.
    @State private var appearance: Int?
    @Environment(\.appLock) private var lock

    var body: some View {
        let isOpen = screen.isOpen(in: appearance) && lock?.isLocked != true
        ZStack {
            if isOpen {
                content().transition(.opacity)
            } else {
                UnlockBody(screen: screen).transition(.opacity)
            }
        }
        // What closes goes at once.
        .animation(isOpen ? .easeInOut(duration: screen.transition / .seconds(1)) : nil, value: isOpen)
        // Under a lock screen it does not ask: the person would be asked twice.
        .task(id: lock?.isLocked) {
            appearance = nil
            if lock?.isLocked != true { await screen.appear { appearance = $0 } }
        }
    }
}
#endif
