#if Server
public import ThumbturnCore
import ThumbturnMessages

/// A security event that the owner of an account should know of.
public struct Notice: Hashable, Sendable {
    /// The kinds of events. The raw values are part of the protocol: `GET /v1/notices` and webhooks carry them.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A device was enrolled.
        case newDevice = "new-device"
        /// A person signed in with full credentials and without a device: a visit began.
        case visit = "signed-in-without-device"
        /// A device was revoked.
        case deviceRevoked = "device-revoked"
        /// A device's keys were replaced or removed.
        case keysChanged = "keys-changed"
        /// The evidence of where a device's keys live no longer proves what it did: a certificate was revoked, or the policy
        /// changed. The device's sessions have ended, and its keys may do less.
        case evidenceLowered = "evidence-lowered"
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
        /// A key was paused or disabled after consecutive wrong signatures.
        case wrongSignatures = "wrong-signatures"
        /// Sign-ins to the account, or from one of its devices, were paused after consecutive wrong ones.
        case wrongSignIns = "wrong-sign-ins"
        /// The account has a new password. Its sessions have ended, except on the device that changed the password.
        case passwordChanged = "password-changed"
        /// The operator has switched the account off. Its sessions have ended.
        case accountDisabled = "account-disabled"
        /// The operator has switched the account on again.
        case accountEnabled = "account-enabled"
    }

    /// The notice's id. A receiver may get the same notice twice, and recognises it by its id.
    public var id: String
    /// The kind of the event.
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
/// The server calls it after the event, in a task of its own, so that no request waits for a delivery.
public protocol Notices: Sendable {
    /// Delivers one notice. If it throws, the notice is delivered again later; a notice may also come twice after a
    /// crash.
    func deliver(_ notice: Notice) async throws
}

extension Notice.Kind {
    /// How long further equal notices count as the same one: of the same kind, for the same account and device. It is for
    /// events that a caller can repeat at will; nil for the others, each of which the owner has to know.
    var joinedFor: Duration? {
        switch self {
        case .refreshTokenReused, .foreignKey, .wrongSignatures: Limits.noticesJoined
        // The throttle joins them itself, with the same work for names without an account.
        case .wrongSignIns: nil
        case .newDevice, .visit, .deviceRevoked, .keysChanged, .evidenceLowered, .recoveryUsed, .recoveryCodesMade,
            .oneTimeCodesSet,
            .passwordChanged, .accountDisabled, .accountEnabled:
            nil
        }
    }
}

extension Notice {
    var record: NoticeRecord { NoticeRecord(id: id, kind: kind.rawValue, account: account, device: device, at: at) }
}

extension Notice.Kind: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}
#endif
