import ThumbturnCore

/// Where an `Authenticator` keeps the session's tokens, and for how long.
public enum SessionKeeping: Hashable, Sendable {
    /// Among the small secrets of the device, until the session ends: a new process goes on with it, locked or not. The
    /// tokens are useless without the device's session key.
    case stored
    /// In memory, until the app locks: an `AppLockModel` that locks on this platform, and each dismissal of the account,
    /// such as `Authenticator.forgetRecentAuthentication()`, ends the session here at once, and at the server then, or
    /// at the next lock if the server cannot be reached; otherwise the session ends there by its own time. It also ends here
    /// with the process. Until the next unlock every request throws `sessionOver`, so an app that works in the background while
    /// it is locked keeps its session `stored`.
    ///
    /// Each authenticator has a session of its own, also after a full sign-in, and ends no other's: `signOut` ends its own. All
    /// processes of an app that share a place choose the same.
    case untilLock
}

extension SessionKeeping: CustomStringConvertible {
    /// The case in words.
    public var description: String {
        switch self {
        case .stored: "stored"
        case .untilLock: "until the app locks"
        }
    }
}

/// A session that is kept in memory.
struct HeldSession: Sendable {
    /// The record, as it would be stored.
    var bytes: [UInt8]
    /// What opened it. A lock or a dismissal after it ends the session.
    var act: PersonAct
}
