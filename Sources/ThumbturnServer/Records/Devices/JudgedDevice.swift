#if Server
package import ThumbturnCore
package import ThumbturnMessages

/// A device with its keys, for judging a request.
package struct JudgedDevice: Sendable {
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
    package var ifEnrolled: IfEnrolled
    /// The judged evidence of the keys; nil without any.
    package var evidence: NewEvidence?
    /// The most devices of the account.
    package var quota: AccountQuota

    package init(
        id: DeviceID, account: AccountID, name: String, sessionJKT: String, keys: [Key], coolOff: Duration,
        ifEnrolled: IfEnrolled = .fail, evidence: NewEvidence? = nil, quota: AccountQuota = .standard
    ) {
        self.id = id
        self.account = account
        self.name = name
        self.sessionJKT = sessionJKT
        self.keys = keys
        self.coolOff = coolOff
        self.ifEnrolled = ifEnrolled
        self.evidence = evidence
        self.quota = quota
    }
}
#endif
