#if canImport(SwiftUI)
public import SwiftUI
import ThumbturnCore
public import ThumbturnDevice

/// The screen behind an unlock's prompts: why the person is asked, the sensor, a message, and every way in by name.
///
///     UnlockView(screen)  // an UnlockScreen(for: auth, reason: "Unlock Acme")
///
/// It runs the model while it is shown, so the prompt comes when the policy says. It decides nothing. Keep the model in a `@State` of
/// the view that shows it: a model that is made anew asks anew.
public struct UnlockView: View {
    private let screen: UnlockScreen

    /// Makes the view of a screen.
    public init(_ screen: UnlockScreen) { self.screen = screen }

    public var body: some View {
        UnlockBody(screen: screen).task { await screen.appear() }
    }
}

/// What an unlock's model tells a view. `UnlockScreen` and `AppLockModel` are the two.
@MainActor protocol UnlockModel: AnyObject {
    var reason: String { get }
    var rung: Rung { get }
    var sensor: SensorName? { get }
    var cause: PersonMessage? { get }
    var message: PersonMessage? { get }
    var buttons: [UnlockScreen.Button] { get }
    var offer: UnlockScreen.Button? { get }
    var isAsking: Bool { get }
    var transition: Duration { get }
    func press(_ action: UnlockScreen.Button.Action)
}

extension UnlockScreen: UnlockModel {
    var isAsking: Bool { stage == .asking }
}

extension AppLockModel: UnlockModel {}

/// The view of an unlock's model, which runs elsewhere.
struct UnlockBody<Screen: UnlockModel>: View {
    let screen: Screen
    private var words = Words()
    @Environment(\.unlockViewStyle) private var style

    init(screen: Screen) { self.screen = screen }

    var body: some View {
        // A style may show nothing for a moment, and what shows nothing has no modifiers either.
        ZStack { UnlockBody.view(in: style, configuration) }
            .announcing(screen.cause, screen.message)
            // A cross-fade moves nothing, so it stays where motion is reduced.
            .animation(.easeInOut(duration: screen.transition / .seconds(1)), value: screen.rung)
    }

    private static func view(in style: some UnlockViewStyle, _ configuration: UnlockViewConfiguration) -> AnyView {
        AnyView(style.makeBody(configuration: configuration))
    }

    private var configuration: UnlockViewConfiguration {
        UnlockViewConfiguration(
            reason: screen.reason, symbol: Symbols.name(of: screen.rung, sensor: screen.sensor), cause: words(screen.cause),
            message: words(screen.message), buttons: screen.buttons.enumerated().map(button),
            offer: screen.offer.map { button(0, $0) }, isAsking: screen.isAsking)
    }

    private func button(_ place: Int, _ button: UnlockScreen.Button) -> UnlockViewConfiguration.Button {
        UnlockViewConfiguration.Button(id: place, label: words(button.words)) { screen.press(button.action) }
    }
}
#endif
