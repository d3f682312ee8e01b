#if Server
package import ThumbturnCore
package import ThumbturnMessages

/// The part of the store that keeps devices.
package protocol DeviceStore: Sendable {
    /// The devices of an account that are not revoked, oldest first.
    func devices(of account: AccountID) async throws -> [DeviceView]
    /// The device of a session key with its keys; nil if there is none, or if it is revoked.
    func device(withSessionKey jkt: String) async throws -> EnrolledDevice?
    /// Enrols a device with its keys, if the ticket still allows it and no key is known already. A device that is
    /// enrolled already gets the keys of this request, if it asked for that and no other device vouches for it.
    func enrol(_ device: NewDevice, by authorisation: Authorisation) async throws -> CommitOutcome<DeviceView>
    /// Renames a device of the session's account. Nil if there is no such device, the session is no longer live, or
    /// `DeviceChangeRules` do not allow it.
    func rename(_ device: DeviceID, to name: String, by session: SessionID) async throws -> DeviceView?
    /// Revokes a device of the session's account and ends the device's sessions. False if there is no such device, the
    /// session is no longer live, or `DeviceChangeRules` do not allow it.
    func revoke(_ device: DeviceID, by session: SessionID) async throws -> Bool
    /// Revokes the device of a session key and ends its sessions. False if there is no such device.
    func revoke(deviceWithSessionKey jkt: String) async throws -> Bool
    /// Revokes a device for the operator. False if the account has no device of this id.
    func revoke(_ device: DeviceID, of account: AccountID) async throws -> Bool
}

/// A device with its keys, for judging a request.
package struct EnrolledDevice: Sendable {
    package var id: DeviceID
    package var account: AccountID
    package var coolsOffUntil: UnixTime
    /// The keys that are not retired, the session key included.
    package var keys: [EnrolledKey]
}

/// A device with its keys, as lists show it.
package struct DeviceView: Sendable {
    package var id: DeviceID
    package var name: String
    package var enrolledAt: UnixTime
    package var keys: [DeviceRecord.Key]
    /// Whether the device belongs to a plain client, whose key is not among `keys`.
    package var isPlain: Bool
}

/// A device that is about to be enrolled.
package struct NewDevice: Sendable {
    /// A key that is about to be enrolled.
    package struct Key: Sendable {
        package var kid: String
        package var kind: KeyKind
        package var x963: [UInt8]
        /// False for a key that is enrolled without its own proof.
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
    /// The thumbprint of the device's session key; empty for a plain client.
    package var sessionJKT: String
    package var keys: [Key]
    /// How long it cools off, if the account has other devices.
    package var coolOff: Duration
    /// Whether the keys of a device that is enrolled already are replaced, or the enrolment fails.
    package var ifEnrolled = IfEnrolled.fail
    /// The judged evidence of the keys; nil without any.
    package var evidence: NewEvidence?
    /// The most devices of the account.
    package var quota = AccountQuota.standard
}
#endif
