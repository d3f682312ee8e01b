#if Server
package import ThumbturnCore
package import ThumbturnMessages

/// The port to durable state. Every method is one transaction, durable when it returns, and a challenge or ticket is spent in the same
/// transaction as what it authorises.
package protocol Store: ApprovalStore, ClientStore, DeviceStore, EpochStore, IdentityStore, NoticeStore, PlainKeyStore,
    SessionStore, ThrottleStore, TokenKeyStore, Sendable
{
    func addAccount(_ account: Account) async throws -> Bool
    func account(named name: String) async throws -> Account?

    /// The key of this id with its device, also when the device is revoked.
    func key(_ kid: String) async throws -> EnrolledKey?
    /// The key of this id, possibly as it was a while ago: what never changes of it is right. What may have changed is judged again in
    /// the transaction that it authorises.
    func knownKey(_ kid: String) async throws -> EnrolledKey?
    /// The session of this id with its device and account, also when it has ended.
    func session(_ id: SessionID) async throws -> SessionView?
    /// The devices of an account that are not revoked, oldest first.
    func devices(of account: AccountID) async throws -> [DeviceView]

    /// Spends a challenge or ticket that authorised nothing, because its proof was wrong. False if it was spent before.
    func spend(_ spends: [Spend]) async throws -> Bool
    /// Spends a challenge whose proof this key did not sign. That is one more wrong signature in a row, unless something was spent
    /// before: a spent challenge tells nothing about whether a PIN is right. From the fifth on a key pauses, except PIN keys, which have
    /// few tries anyway; while it pauses nothing is counted.
    ///
    /// - Returns: how many there are in a row now; nil if it was spent before, or the key is gone.
    func countWrongSignature(of kid: String, spending: [Spend]) async throws -> Int?
    /// Opens a session if the authorisation still holds.
    func openSession(_ session: NewSession, by authorisation: Authorisation) async throws -> CommitOutcome<SessionView>
    /// The device of a session key with its keys; nil where there is none, or it is revoked.
    func device(withSessionKey jkt: String) async throws -> EnrolledDevice?
    /// Puts a key in the place of another or takes it away, if the authorisation still holds, the old key is still the one that is
    /// there, and the new one is unknown. The old key is kept as a retired one, and never comes back. The sessions that it opened end,
    /// unless it authorised the change itself.
    func change(_ change: NewKeys, by authorisation: Authorisation) async throws -> CommitOutcome<DeviceView>
    /// Exchanges one generation of a session's refresh token for the next.
    func rotate(_ rotation: Rotation) async throws -> Rotation.Outcome
    /// The sealed secrets of the server, newest first. Those that are missing or older than their use allows are made by `make`,
    /// in the same transaction, so that nodes which start together agree. `check` sees every stored one first; if it throws,
    /// nothing is made: a node with the wrong master key must not add to what others have to read. With them comes their epoch.
    func secrets(
        checking check: @escaping @Sendable (SealedSecret) throws -> Void,
        renewing isDue: @escaping @Sendable (SealedSecret) -> Bool,
        make: @escaping @Sendable (SecretUse, UnixTime) throws -> SealedSecret
    )
        async throws -> (secrets: [SealedSecret], epoch: Int64)

    /// The writer's settings, read back: `synchronous` (2 is FULL) and `journal_mode`.
    func durability() throws -> (synchronous: Int?, journal: String?)

    /// Forgets what expired, and remembers up to when: spent things, and sessions that began before a time.
    func purge(sessionsBefore: UnixTime) async throws
}

/// An identity of 16 random bytes; in text it is base64url. One type for each kind, so that they cannot be mixed up.
package struct Identifier<Kind>: Hashable, Sendable {
    package let bytes: [UInt8]

    package init?(_ bytes: [UInt8]) {
        guard bytes.count == 16 else { return nil }
        self.bytes = bytes
    }

    package init?(_ text: String) {
        guard let bytes = Base64URL.decode(text) else { return nil }
        self.init(bytes)
    }

    /// Four bytes of the time, four of the moment within it, then eight random ones: what is made together lies together in the store.
    package static func random(at now: UnixTime, _ moment: UInt32) -> Self {
        Self(unchecked: bigEndian(UInt32(truncatingIfNeeded: now.seconds)) + bigEndian(moment) + random().bytes.dropFirst(8))
    }

    /// Above everything that was made until then, and not above anything later.
    package static func first(after now: UnixTime) -> Self {
        Self(unchecked: bigEndian(UInt32(truncatingIfNeeded: now.seconds + 1)) + [UInt8](repeating: 0, count: 12))
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    package static func random() -> Self {
        Self(unchecked: RandomBytes.sixteen())
    }

    package init(unchecked bytes: [UInt8]) { self.bytes = bytes }
    package var text: String { Base64URL.encode(bytes) }
}

package enum AccountKind {}
package enum DeviceKind {}
package enum SessionKind {}
package typealias AccountID = Identifier<AccountKind>
package typealias DeviceID = Identifier<DeviceKind>
package typealias SessionID = Identifier<SessionKind>

package struct Account: Sendable {
    package var id: AccountID
    package var name: String
    /// In libsodium's format, with its parameters.
    package var passwordHash: String
    /// The secret of one-time codes, sealed; nil where none are asked for.
    package var oneTimeSecret: [UInt8]? = nil

    package init(id: AccountID, name: String, passwordHash: String) {
        self.id = id
        self.name = name
        self.passwordHash = passwordHash
    }
}

/// Something that may be used once. The use is part of the key, so that one kind is never taken for another, and so is the expiry:
/// it must come from whoever made the id, under the same signature, so that no id ever comes with two. It is spent in the epoch in which
/// it was checked, or not at all: what an old epoch's secrets vouch for is good for nothing in the next.
package struct Spend: Hashable, Sendable {
    package enum Use: Int, Sendable {
        case challenge = 1
        case ticket = 2
        case assertion = 3
        case idToken = 4
        case plainChallenge = 5
    }

    package var use: Use
    package var id: [UInt8]
    package var expiresAt: UnixTime
    package var epoch: Int64

    package init(_ use: Use, id: [UInt8], expiresAt: UnixTime, epoch: Int64) {
        self.use = use
        self.id = id
        self.expiresAt = expiresAt
        self.epoch = epoch
    }
}

/// What brought a key in, so that a policy can refuse keys which rest on less; see `KeyStanding`.
package enum KeyOrigin: String, Sendable {
    /// A sign-in with the password. Keys of an enrolment are of this kind.
    case credentials
    case biometric
    case pin
    /// The passcode: the weakest, and it is inherited.
    case passcode
}

package struct EnrolledDevice: Sendable {
    package var id: DeviceID
    package var account: AccountID
    package var coolsOffUntil: UnixTime
    /// Those that are live.
    package var keys: [EnrolledKey]
}

/// A change of one device's keys of one kind.
package struct NewKeys: Sendable {
    package var device: DeviceID
    package var kind: KeyKind
    /// The key that was there when the change was judged; nil where there was none.
    package var old: String?
    /// Nil: the old one is taken away.
    package var new: NewDevice.Key?
    /// Where a ticket authorises it: the cool-off of a device whose account has others.
    package var coolOff: Duration

    package init(device: DeviceID, kind: KeyKind, old: String?, new: NewDevice.Key?, coolOff: Duration) {
        self.device = device
        self.kind = kind
        self.old = old
        self.new = new
        self.coolOff = coolOff
    }
}

package struct EnrolledKey: Sendable {
    package var kid: String
    package var kind: KeyKind
    package var x963: [UInt8]
    package var device: DeviceID
    package var account: AccountID
    package var accountName: String
    package var coolsOffUntil: UnixTime
    /// The thumbprint of the session key that the device was enrolled with.
    package var sessionJKT: String
    /// The device is revoked, or another key took this one's place.
    package var isRevoked: Bool
    /// It has signed, here or at its enrolment.
    package var isActive: Bool
    package var enrolledBy: KeyOrigin
    /// Wrong signatures in a row.
    package var wrongInARow: Int
    /// Until when no signature of it is judged, after wrong ones.
    package var pausedUntil = UnixTime(seconds: 0)
}

package struct DeviceView: Sendable {
    package var id: DeviceID
    package var name: String
    package var enrolledAt: UnixTime
    package var keys: [DeviceRecord.Key]
    /// It has a plain key and no other.
    package var isPlain: Bool
}

package struct NewDevice: Sendable {
    package struct Key: Sendable {
        package var kid: String
        package var kind: KeyKind
        package var x963: [UInt8]
        /// False for a key that came without its own proof.
        package var isActive: Bool

        package init(kid: String, kind: KeyKind, x963: [UInt8], isActive: Bool) {
            self.kid = kid
            self.kind = kind
            self.x963 = x963
            self.isActive = isActive
        }
    }

    package var id: DeviceID
    package var account: AccountID
    package var name: String
    package var sessionJKT: String
    package var keys: [Key]
    /// Until when it may not change other devices, if the account has others.
    package var coolOff: Duration
    /// The session of the device that vouches for this one; nil where full credentials do.
    package var voucher: SessionID? = nil
    package var ifEnrolled = IfEnrolled.fail
}

package struct NewSession: Sendable {
    package var id: SessionID
    package var tokenHash: [UInt8]
    /// When the person was verified; nil for the time of the transaction.
    package var authTime: UnixTime? = nil
    /// The action that was granted: an `ActionGrant` in JSON.
    package var granted: String? = nil
}

package struct SessionView: Sendable {
    package var id: SessionID
    package var device: DeviceID
    package var account: AccountID
    package var accountName: String
    /// The kind of the key that verified the person.
    package var kind: KeyKind
    package var sessionJKT: String
    package var generation: UInt32
    package var authTime: UnixTime
    /// False once the session has ended or its device is revoked.
    package var isLive: Bool
    package var coolsOffUntil: UnixTime
    /// What brought that key in.
    package var keyOrigin = KeyOrigin.credentials
    /// The action that was granted: an `ActionGrant` in JSON.
    package var granted: String? = nil
}

package struct Rotation: Sendable {
    package var session: SessionID
    /// The generation of the token that was presented, and that token's hash.
    package var generation: UInt32
    package var tokenHash: [UInt8]
    package var successorHash: [UInt8]
    /// The key whose DPoP proof came with the request.
    package var jkt: String
    package var grace: Duration
    package var lifetime: Duration
    package var idleLimit: Duration

    package enum Outcome: Sendable {
        /// The successor is the live token now.
        case rotated(SessionView)
        /// The same exchange again, within the grace, before the successor was used: the same successor.
        case repeated(SessionView)
        /// An older token by its own key: somebody holds a copy. The session has ended.
        case reused
        /// Another key presented the token. Nothing changed, because a leaked old token must not be a kill switch.
        case foreign
        case over
    }
}

package enum SecretUse: String, Sendable, CaseIterable {
    /// HS256 of challenges: 32 bytes.
    case challenge
    /// From which the keys of refresh tokens and of tickets are derived: 32 bytes.
    case refresh
    /// ES256 of access tokens: a P-256 private key, 32 bytes.
    case token
}

/// A secret as it lies on disk: encrypted, with its name and use authenticated.
package struct SealedSecret: Sendable {
    package var id: String
    package var use: SecretUse
    package var createdAt: UnixTime
    package var sealed: [UInt8]
}
#endif
