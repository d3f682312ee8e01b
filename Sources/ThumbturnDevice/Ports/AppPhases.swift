public import ThumbturnCore

/// The port to the app's place on the screen.
public protocol AppPhases: Sendable {
    /// The phase now, and every later change.
    func phases() -> AsyncStream<AppPhase>
}

/// The phase of a program that is never sent to the background, such as a command or a kiosk.
public struct AlwaysInFront: AppPhases {
    /// Makes the phases of such a program.
    public init() {}

    public func phases() -> AsyncStream<AppPhase> {
        AsyncStream { $0.yield(.front) }
    }
}
