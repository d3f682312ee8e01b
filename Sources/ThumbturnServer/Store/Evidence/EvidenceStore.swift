#if Server
import Crypto
package import ThumbturnCore
import ThumbturnMessages

/// The part of the store that keeps evidence of where keys live, with its verdicts.
package protocol EvidenceStore: Sendable {
    /// The App Attest key of this id; nil if it is unknown.
    func appAttestKey(_ id: [UInt8]) async throws -> AppAttestRecord?
    /// The evidence of devices that are not revoked, in the order of its ids: at most so many after one id.
    func evidence(after id: EvidenceID?, atMost: Int) async throws -> [StoredEvidence]
    /// The evidence of a device, oldest first.
    func evidence(of device: DeviceID) async throws -> [StoredEvidence]
    /// Records what evidence proves when it is judged anew. The keys that it is for get the new assurance; where that is
    /// less, the device's sessions end and its owner gets a notice.
    func record(_ verdict: RenewedVerdict) async throws -> RenewedVerdict.Outcome

    /// A list that all nodes judge by; nil if none was stored.
    func evidenceList(_ kind: EvidenceList.Kind) async throws -> EvidenceList?
    /// Stores a list, with a row in the audit log. False if the stored one is as new or newer.
    ///
    /// - Parameter count: how many certificates or roots it names.
    func keep(_ list: EvidenceList, naming count: Int) async throws -> Bool
    /// Forgets a list, so that there is none of this kind, with a row in the audit log.
    func forget(_ kind: EvidenceList.Kind) async throws

    /// Replaces the minimums of all groups of accounts. The group with an empty name is that of accounts without one.
    ///
    /// - Parameter version: that of the evidence policy that has them; it becomes the latest.
    /// - Throws: `SetupError.policyOutdated` if a node has used a later version.
    func setMinimums(_ minimums: [String: Assurance], version: Int64?) async throws
    /// The group of an account; empty where it has none.
    func group(of account: AccountID) async throws -> String
    /// Puts an account into a group; an empty name takes it out. False if there is no such group.
    func setGroup(_ group: String, of account: AccountID) async throws -> Bool
}

/// Marks the identifiers of evidence.
package enum EvidenceKind {}
/// The identifier of stored evidence.
package typealias EvidenceID = Identifier<EvidenceKind>

/// Judged evidence that is about to be stored with the keys that it is for.
package struct NewEvidence: Sendable {
    package var id: EvidenceID
    /// The evidence with what it was bound to, in JSON; see `EvidenceRecord`.
    package var record: String
    package var verdict: EvidenceVerdict
    /// The App Attest key with its counter; nil for other formats.
    package var appAttestKey: AppAttestRecord?
    /// What is consumed with it: the challenge that the keys were made for.
    package var spends: [Spend] = []
}

/// What evidence was found to prove, by which rules.
package struct EvidenceVerdict: Hashable, Sendable {
    /// The assurance of each key, by its id.
    package var keys: [String: Assurance]
    /// Base64url SHA-256 of the policy that it was judged by.
    package var policy: String
    /// The version of that policy, which the store compares and does not keep.
    package var version: Int64?
    /// Nil where it was accepted; the reason's code where it no longer is.
    package var refusal: String?

    package init(keys: [String: Assurance], policy: String, version: Int64? = nil, refusal: String? = nil) {
        self.keys = keys
        self.policy = policy
        self.version = version
        self.refusal = refusal
    }
}

/// A key of App Attest, which attests other keys.
package struct AppAttestRecord: Hashable, Sendable {
    /// SHA-256 of its public key, 32 bytes.
    package var id: [UInt8]
    /// The public key, an uncompressed point.
    package var x963: [UInt8]
    package var appID: String
    package var isProduction: Bool
    /// The greatest counter of its assertions so far.
    package var counter: UInt32
    /// When its attestation was judged.
    package var attestedAt: UnixTime
    /// Apple's receipt, for its risk metric.
    package var receipt: [UInt8]
    /// The account that it is for; nil while that is unknown.
    package var account: AccountID?

    package init(
        id: [UInt8], x963: [UInt8], appID: String, isProduction: Bool, counter: UInt32, attestedAt: UnixTime, receipt: [UInt8],
        account: AccountID? = nil
    ) {
        self.account = account
        (self.id, self.x963, self.appID) = (id, x963, appID)
        (self.isProduction, self.counter, self.attestedAt, self.receipt) = (isProduction, counter, attestedAt, receipt)
    }
}

/// Evidence as it is stored.
package struct StoredEvidence: Sendable {
    package var id: EvidenceID
    package var device: DeviceID
    package var account: AccountID
    package var record: String
    package var receivedAt: UnixTime
    package var judgedAt: UnixTime
    /// The verdict, with all keys that it is for.
    package var verdict: EvidenceVerdict
    /// Those of its keys that are retired: their sessions may live on.
    package var retired: Set<String> = []

    /// Base64url SHA-256 of the record, by which the audit log names it.
    package var hash: String { Self.hash(of: record) }

    static func hash(of record: String) -> String { Base64URL.encode(SHA256.hash(data: Array(record.utf8))) }
}

/// A list from outside that evidence is judged by.
package struct EvidenceList: Hashable, Sendable {
    /// The lists there are.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        /// Google's list of revoked and suspended certificates.
        case androidStatus = "android-status"
        /// Roots of Android's attestation that the operator accepted.
        case androidRoots = "android-roots"

        /// The event of the audit log that names it.
        var event: AuditEvent.Kind {
            switch self {
            case .androidStatus: .evidenceStatus
            case .androidRoots: .evidenceRoots
            }
        }
    }

    package var kind: Kind
    package var text: [UInt8]
    package var fetchedAt: UnixTime
}

/// A verdict on stored evidence that was judged anew.
package struct RenewedVerdict: Sendable {
    package var evidence: EvidenceID
    package var verdict: EvidenceVerdict

    /// What came of recording it.
    package enum Outcome: Hashable, Sendable {
        /// The evidence is gone, with its device.
        case gone
        /// No key is worth less than before.
        case kept
        /// A key is worth less than before.
        case lowered
    }

    package init(evidence: EvidenceID, verdict: EvidenceVerdict) {
        (self.evidence, self.verdict) = (evidence, verdict)
    }
}
#endif
