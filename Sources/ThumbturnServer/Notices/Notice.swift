#if Server
public import ThumbturnCore
import ThumbturnMessages

/// Something that the owner of an account should hear of.
public struct Notice: Hashable, Sendable {
    /// What happened. The raw values are what travels.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case newDevice = "new-device"
        case deviceRevoked = "device-revoked"
        /// A device's keys were exchanged or taken away.
        case keysChanged = "keys-changed"
        /// An old refresh token came again: somebody holds a copy. The session has ended.
        case refreshTokenReused = "refresh-token-reused"
        /// A refresh token came with a key that it is not bound to. Nothing has ended.
        case foreignKey = "foreign-key"
        /// A recovery code was used.
        case recoveryUsed = "recovery-used"
        /// New recovery codes were made, and the old ones are void.
        case recoveryCodesMade = "recovery-codes-made"
        /// One-time codes are asked for at the sign-in from now on, under a new secret.
        case oneTimeCodesSet = "one-time-codes-set"
        /// So many wrong signatures in a row that a key pauses, or is disabled.
        case wrongSignatures = "wrong-signatures"
        /// So many wrong sign-ins in a row that the account's password pauses.
        case wrongSignIns = "wrong-sign-ins"
    }

    /// Makes the notice one of its kind: a receiver may get the same one twice.
    public var id: String
    public var kind: Kind
    /// The account's id: the `sub` of its tokens.
    public var account: String
    /// The device that it happened to, or by which it happened.
    public var device: String?
    /// When, by the server's clock.
    public var at: UnixTime
}

/// The port to the owners of accounts: mail, push, whatever the deployment has. It is called after the fact, beside the requests, and
/// never keeps anybody waiting.
public protocol Notices: Sendable {
    /// Hands one notice on. If it throws, the notice comes again later; so may one that was handed on just before a crash.
    func deliver(_ notice: Notice) async throws
}

extension Notice {
    var record: NoticeRecord { NoticeRecord(id: id, kind: kind.rawValue, account: account, device: device, at: at) }
}

extension Notice.Kind: CustomStringConvertible {
    /// What travels.
    public var description: String { rawValue }
}
#endif
