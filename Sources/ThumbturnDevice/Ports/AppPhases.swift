public import ThumbturnCore

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
