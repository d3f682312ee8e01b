/// Where an app is on the screen.
public enum AppPhase: Hashable, Sendable {
    /// It has the screen to itself.
    case front
    /// It is seen and has no input: the app switcher, or a sheet of the system such as a prompt of its own.
    case inactive
    /// It is not seen.
    case back
}

/// The port to the app's place on the screen.
public protocol AppPhases: Sendable {
    /// The phase now, and every change from here on.
    func phases() -> AsyncStream<AppPhase>
}

/// A program that is never sent to the background, such as a command or a kiosk.
public struct AlwaysInFront: AppPhases {
    /// Nothing to set up.
    public init() {}

    public func phases() -> AsyncStream<AppPhase> {
        AsyncStream { $0.yield(.front) }
    }
}
