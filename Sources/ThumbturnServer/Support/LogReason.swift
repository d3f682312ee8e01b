#if Server
import ThumbturnMessages
import ThumbturnVerifier

/// The reason for a refusal, for the operator's log only: the subject that was judged, and the cause of the refusal.
///
/// Both are closed sets, which docs/http.md lists. Nothing that a client sent is ever part of a reason.
struct LogReason: Hashable, Sendable {
    let subject: Subject
    /// A code of `VerificationError`, of `EvidenceRefusal.Reason` behind `evidence_`, of `StepUpTable.Unasked` or of `Cause`.
    let cause: String

    init(_ subject: Subject, _ refusal: VerificationError) {
        self.subject = subject
        cause = refusal.rawValue
    }

    init(_ subject: Subject, _ cause: Cause) {
        self.subject = subject
        self.cause = cause.rawValue
    }

    init(_ subject: Subject, evidence refusal: EvidenceRefusal.Reason) {
        self.subject = subject
        cause = Self.cause(of: refusal)
    }

    init(_ subject: Subject, _ unasked: StepUpTable.Unasked) {
        self.subject = subject
        cause = unasked.rawValue
    }

    /// The cause of refused evidence: its reason, marked as one, because other refusals have some of the same names.
    private static func cause(of refusal: EvidenceRefusal.Reason) -> String { "evidence_" + refusal.rawValue }

    /// The thing that was judged.
    enum Subject: String, CaseIterable {
        case request, dpop, token, proof, ticket, refresh, enrolment
        case keyChange = "key-change"
        case idToken = "id-token"
        case device
        case stepUp = "step-up"
        case approval, account, client
        case clientToken = "client-token"
        case telemetry
        case server
    }

    /// The causes that the verifier and the policy do not have.
    enum Cause: String, CaseIterable {
        case missing
        case notFound
        case tooLarge
        case wrongCredentials
        case wrongPIN
        case paused
        case overloaded
        case coolingOff
        case sessionOver
        case reused
        case scope
        case limit
        case stale
        case assurance
        case unmet
        case conflict
        case internalError
    }

    /// The reason as it is logged, for example `proof wrongSignature`.
    var code: String { "\(subject.rawValue) \(cause)" }

    /// All causes, of the verifier, the policy and the server.
    static var causes: [String] {
        VerificationError.allCases.map(\.rawValue) + EvidenceRefusal.Reason.allCases.map(cause)
            + StepUpTable.Unasked.allCases.map(\.rawValue) + Cause.allCases.map(\.rawValue)
    }
}
#endif
