#if Server
import ThumbturnCore
import ThumbturnVerifier

/// Why a request was refused, for the operator's log alone: what was judged, and what was wrong with it. Both are closed sets, and
/// docs/http.md lists them; nothing that was sent is ever part of a reason.
struct LogReason: Hashable, Sendable {
    let subject: Subject
    /// A code of `VerificationError`, of `StepUpTable.Unasked` or of `Cause`.
    let cause: String

    init(_ subject: Subject, _ refusal: VerificationError) {
        self.subject = subject
        cause = refusal.rawValue
    }

    init(_ subject: Subject, _ cause: Cause) {
        self.subject = subject
        self.cause = cause.rawValue
    }

    init(_ subject: Subject, _ unasked: StepUpTable.Unasked) {
        self.subject = subject
        cause = unasked.rawValue
    }

    /// What was judged.
    enum Subject: String, CaseIterable {
        case request, dpop, token, proof, refresh, enrolment
        case keyChange = "key-change"
        case idToken = "id-token"
        case device
        case stepUp = "step-up"
        case approval, account, client
        case clientToken = "client-token"
        case server
    }

    /// What was wrong that the verifier knows nothing of.
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
        case stale
        case assurance
        case unmet
        case conflict
        case internalError
    }

    /// In the log: `proof wrongSignature`, for example.
    var code: String { "\(subject.rawValue) \(cause)" }

    /// All causes there are.
    static var causes: [String] {
        VerificationError.allCases.map(\.rawValue) + StepUpTable.Unasked.allCases.map(\.rawValue) + Cause.allCases.map(\.rawValue)
    }
}
#endif
