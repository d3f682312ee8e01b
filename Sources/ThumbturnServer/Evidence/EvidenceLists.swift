#if Server
import Synchronization
import ThumbturnCore
package import ThumbturnVerifier

/// What evidence is judged by that comes from outside, and changes without a change of the policy.
package struct EvidenceLists: Sendable {
    /// Google's list of revoked certificates.
    package var status: AndroidStatusList?
    /// The roots of Android keys that the operator accepted beside the built-in ones. A policy that names its own roots does
    /// not use them.
    package var androidRoots: [TrustAnchor] = []
    /// When those roots were fetched.
    var rootsFetched: UnixTime?

    /// No lists.
    package init() {}

    /// The lists as they are stored. Throws `EvidenceRefusal` for damaged ones.
    package init(_ stored: [EvidenceList]) throws {
        for list in stored {
            switch list.kind {
            case .androidStatus: status = try AndroidStatusList(json: list.text, fetched: list.fetchedAt)
            case .androidRoots: (androidRoots, rootsFetched) = (try TrustAnchor.read(json: list.text), list.fetchedAt)
            }
        }
    }

    /// When each was fetched: two values with the same times are the same lists.
    var fetched: [UnixTime?] { [status?.fetched, rootsFetched] }
}

/// The authorities of accepted chains, shared by the requests of one server. It saves time and decides nothing.
final class IssuerMemory: Sendable {
    private let known = Mutex(KnownIssuers())

    /// Verifies with what is known, and keeps what was learnt. A refusal leaves nothing behind.
    func verify<Verdict>(
        _ body: (inout KnownIssuers) throws(EvidenceRefusal) -> Verdict
    ) throws(EvidenceRefusal) -> Verdict {
        var copy = known.withLock { $0 }
        let verdict = try body(&copy)
        known.withLock { $0.merge(copy) }
        return verdict
    }
}
#endif
