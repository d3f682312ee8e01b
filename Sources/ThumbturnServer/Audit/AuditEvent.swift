#if Server
package import ThumbturnCore
import ThumbturnMessages

/// A decision that matters, as the audit log keeps it. It consists of ids and codes: it has no secret, no PIN, no
/// password, no token, no transaction and no name of a person.
package struct AuditEvent: Codable, Hashable, Sendable {
    enum CodingKeys: String, CodingKey {
        case kind = "event"
        case account, device, key, session, approval, client, action, reason, count, counts, detail, from
    }

    /// The kinds of events. docs/audit-log.md lists them with their members.
    package enum Kind: String, Codable, Sendable, CaseIterable {
        // Decisions about persons
        case signedIn = "sign-in"
        case steppedUp = "step-up"
        case refused
        case refusals
        case wrongSignature = "wrong-signature"
        case credentials
        case wrongCredentials = "wrong-credentials"
        case recoveryCodeUsed = "recovery-code-used"
        case refreshTokenReused = "refresh-token-reused"
        case foreignKey = "foreign-key"
        case signedOut = "sign-out"
        // Devices and keys
        case deviceEnrolled = "device-enrolled"
        case deviceRenamed = "device-renamed"
        case deviceRevoked = "device-revoked"
        case keysChanged = "keys-changed"
        case evidenceAccepted = "evidence-accepted"
        case evidenceLowered = "evidence-lowered"
        // Approvals
        case approvalCreated = "approval-created"
        case approvalSigned = "approval-signed"
        case approvalDeclined = "approval-declined"
        case approvalWithdrawn = "approval-withdrawn"
        case approvalRedeemed = "approval-redeemed"
        case redemptionRefused = "redemption-refused"
        // The operator's commands, and the server itself
        case accountAdded = "account-added"
        case oneTimeCodesSet = "one-time-codes-set"
        case oneTimeCodesRemoved = "one-time-codes-removed"
        case recoveryCodesMade = "recovery-codes-made"
        case accountUnlocked = "account-unlocked"
        case accountGroup = "account-group"
        case passwordChanged = "password-changed"
        case accountDisabled = "account-disabled"
        case accountEnabled = "account-enabled"
        case accountEnded = "account-ended"
        case clientAdded = "client-added"
        case clientChanged = "client-changed"
        case clientRemoved = "client-removed"
        case tokenKeyMade = "token-key-made"
        case tokenKeyRetired = "token-key-retired"
        case tokenKeyRevoked = "token-key-revoked"
        case masterKeyChanged = "master-key-changed"
        case timeSet = "time-set"
        case epochBegan = "epoch-began"
        case policy
        case evidencePolicy = "evidence-policy"
        case unlockPolicies = "unlock-policies"
        case evidenceRoots = "evidence-roots"
        case evidenceStatus = "evidence-status"
        case telemetryKeyAdded = "telemetry-key-added"
        case telemetryKeyRemoved = "telemetry-key-removed"
        case purged

        /// The kinds that only a running server writes, which also signs checkpoints. Commands write the others too.
        static let ofRunningServer: Set<Kind> = [
            .signedIn, .steppedUp, .refused, .refusals, .wrongSignature, .credentials, .wrongCredentials, .recoveryCodeUsed,
            .refreshTokenReused, .foreignKey, .signedOut, .deviceEnrolled, .deviceRenamed, .keysChanged, .evidenceAccepted,
            .approvalCreated, .approvalSigned, .approvalDeclined, .approvalWithdrawn, .approvalRedeemed, .redemptionRefused,
        ]
    }

    package var kind: Kind
    /// The account's id; `unknownAccount` where a name has no account.
    package var account: String?
    /// The device's id.
    package var device: String?
    /// The kind of the key that signed.
    package var key: KeyKind?
    /// The session's id.
    package var session: String?
    /// The approval's id.
    package var approval: String?
    /// The `client_id` of a back end.
    package var client: String?
    /// The name of the action of a step-up, without its amount.
    package var action: String?
    /// The reason for a refusal: a code of docs/http.md.
    package var reason: String?
    /// A number: of consecutive wrong signatures, or the last of the purged rows.
    package var count: Int?
    /// The number of refusals by reason.
    package var counts: [String: Int]?
    /// A public id of another kind: of a signing key, an epoch, a policy.
    package var detail: String?
    /// The network that the request came from: an IPv4 address, or the first 64 bits of an IPv6 address.
    package var from: String?

    package init(
        _ kind: Kind, account: AccountID? = nil, device: DeviceID? = nil, key: KeyKind? = nil, session: SessionID? = nil,
        approval: ApprovalID? = nil, client: String? = nil, action: String? = nil, reason: String? = nil, count: Int? = nil,
        counts: [String: Int]? = nil, detail: String? = nil
    ) {
        self.kind = kind
        self.account = account?.text
        self.device = device?.text
        self.key = key
        self.session = session?.text
        self.approval = approval?.text
        self.client = client
        self.action = action
        self.reason = reason
        self.count = count
        self.counts = counts
        self.detail = detail
    }

    /// The account of a name that no account has. It is as long as an id, so that a refusal takes the same work.
    static let unknownAccount = String(repeating: "-", count: 22)

    /// An event of an enrolled key.
    package init(
        _ kind: Kind, by key: EnrolledKey, session: SessionID? = nil, approval: ApprovalID? = nil, action: String? = nil,
        reason: String? = nil, count: Int? = nil
    ) {
        self.init(
            kind, account: key.account, device: key.device, key: key.kind, session: session, approval: approval,
            action: action, reason: reason, count: count)
    }
}

extension Network {
    /// The network as text: an IPv4 address, the first 64 bits of an IPv6 address (RFC 5952 without compression), or
    /// `unknown`.
    package var text: String {
        switch bytes.count {
        case 4: bytes.map(String.init).joined(separator: ".")
        case 8:
            stride(from: 0, to: 8, by: 2).map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }
                .joined(separator: ":") + "::/64"
        default: "unknown"
        }
    }
}
#endif
