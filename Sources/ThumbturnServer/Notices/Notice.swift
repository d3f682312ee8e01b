#if Server
public import ThumbturnCore
import ThumbturnMessages

/// A security event that the owner of an account should know of.
public struct Notice: Hashable, Sendable {
    /// The kinds of events. The raw values travel.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case newDevice = "new-device"
        case deviceRevoked = "device-revoked"
        /// A device's keys were replaced or removed.
        case keysChanged = "keys-changed"
        /// An old refresh token was used again, so a copy of it exists. The session has ended.
        case refreshTokenReused = "refresh-token-reused"
        /// A refresh token was presented with a key that it is not bound to. No session has ended.
        case foreignKey = "foreign-key"
        /// A recovery code was used.
        case recoveryUsed = "recovery-used"
        /// New recovery codes have replaced the old ones.
        case recoveryCodesMade = "recovery-codes-made"
        /// Sign-ins demand one-time codes from now on, with a new secret.
        case oneTimeCodesSet = "one-time-codes-set"
        /// A key was paused or disabled after wrong signatures in a row.
        case wrongSignatures = "wrong-signatures"
        /// The account's password was paused after wrong sign-ins in a row.
        case wrongSignIns = "wrong-sign-ins"
    }

    /// Identifies the notice, because a receiver may get the same one twice.
    public var id: String
    public var kind: Kind
    /// The account's id, which is the `sub` of its tokens.
    public var account: String
    /// The device that the event concerns, if there is one.
    public var device: String?
    /// The time of the event by the server's clock.
    public var at: UnixTime
}

/// The port that delivers notices to the owners of accounts, for example by mail or push.
///
/// It is called after the event and apart from the requests, so that no request waits for it.
public protocol Notices: Sendable {
    /// Delivers one notice. If it throws, the notice is delivered again later; a notice may also come twice after a crash.
    func deliver(_ notice: Notice) async throws
}

extension Notice {
    var record: NoticeRecord { NoticeRecord(id: id, kind: kind.rawValue, account: account, device: device, at: at) }
}

extension Notice.Kind: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}
#endif
