#if Server
import Crypto
package import ThumbturnCore
import ThumbturnMessages

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
