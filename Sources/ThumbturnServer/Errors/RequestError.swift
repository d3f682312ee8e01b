#if Server
import ThumbturnCore
import ThumbturnVerifier

/// An answer that is no success: what the client is told, and for the operator why.
struct RequestError: Error {
    var problem: Problem
    /// For the log alone.
    var reason: LogReason
    /// The value of `WWW-Authenticate`, where the status is 401 or 403.
    var challenge: String?
    /// Wrong, and without the session key that it needs: it counts against the network that it came from, and nothing else.
    var isByStranger = false

    var byStranger: RequestError {
        var refused = self
        refused.isByStranger = true
        return refused
    }

    /// The request cannot be read.
    static func malformed(_ reason: VerificationError = .malformed, status: Int = 400, error: String? = nil) -> RequestError {
        RequestError(problem: Problem(.malformed, status: status, error: error), reason: .init(.request, reason))
    }

    /// Password, ticket, enrolment: one answer for whatever was wrong.
    static func unverified(_ reason: LogReason) -> RequestError {
        RequestError(problem: Problem(.verificationFailed, status: 401), reason: reason, challenge: "DPoP algs=\"ES256\"")
    }

    /// The token endpoint's answer for whatever is wrong with a grant (RFC 6749 section 5.2).
    static func invalidGrant(_ reason: LogReason) -> RequestError {
        RequestError(problem: Problem(.verificationFailed, status: 400, error: "invalid_grant"), reason: reason)
    }

    /// A wrong PIN, or any at all for a key that is disabled: only that key's own session key asks, so it may know. The tokens
    /// endpoint has its own code.
    static func wrongPIN(after count: Int, error: String? = nil) -> RequestError {
        let left = max(0, PINLedger.limit - count)
        var refused = error == nil ? RequestError.unverified(.init(.proof, .wrongPIN)) : .invalidGrant(.init(.proof, .wrongPIN))
        refused.problem.triesLeft = left
        return refused
    }

    /// A resource's answer to a token that is not good (RFC 9449 section 7.1).
    static func invalidToken(_ reason: LogReason) -> RequestError {
        RequestError(
            problem: Problem(.verificationFailed, status: 401, error: "invalid_token"), reason: reason,
            challenge: "DPoP error=\"invalid_token\", algs=\"ES256\""
        )
    }

    /// A DPoP proof that is not good. A missing or old nonce is the one thing that is told, because the remedy is to ask again
    /// (RFC 9449 sections 8 and 9).
    static func dpop(_ reason: VerificationError, atResource: Bool) -> RequestError {
        let error = reason == .nonceNeeded ? "use_dpop_nonce" : "invalid_dpop_proof"
        return RequestError(
            problem: Problem(.verificationFailed, status: atResource ? 401 : 400, error: error),
            reason: .init(.dpop, reason),
            challenge: atResource ? "DPoP error=\"\(error)\", algs=\"ES256\"" : nil
        )
    }

    /// A back end that did not show who it is (RFC 6749 section 5.2).
    static func invalidClient(_ reason: LogReason) -> RequestError {
        RequestError(
            problem: Problem(.verificationFailed, status: 401, error: "invalid_client"), reason: reason, challenge: "Bearer"
        )
    }

    /// A back end's token that is not good, or not there (RFC 6750 section 3.1).
    static func invalidBearer(_ reason: LogReason) -> RequestError {
        RequestError(
            problem: Problem(.verificationFailed, status: 401, error: "invalid_token"), reason: reason,
            challenge: "Bearer error=\"invalid_token\""
        )
    }

    /// A back end that may not do this.
    static func insufficientScope(_ scope: ClientScope) -> RequestError {
        RequestError(
            problem: Problem(.verificationFailed, status: 403, error: "insufficient_scope"), reason: .init(.client, .scope),
            challenge: "Bearer error=\"insufficient_scope\", scope=\"\(scope.rawValue)\""
        )
    }

    /// A fresh proof of presence is needed (RFC 9470 section 3).
    static func stepUp(maximumAge: Duration) -> RequestError { stepUp(StepUpChallenge(maximumAge: maximumAge)) }

    static func stepUp(_ challenge: StepUpChallenge) -> RequestError {
        RequestError(
            problem: Problem(.stepUpRequired, status: 401, error: "insufficient_user_authentication"),
            reason: .init(.stepUp, challenge.acrValues.isEmpty ? LogReason.Cause.stale : .assurance),
            challenge: challenge.header(scheme: .dpop)
        )
    }

    static let notFound = RequestError(problem: Problem(.notFound, status: 404), reason: .init(.request, .notFound))
    static let tooLarge = RequestError(problem: Problem(.tooLarge, status: 413), reason: .init(.request, .tooLarge))
    static func unavailable(_ reason: LogReason) -> RequestError {
        RequestError(problem: Problem(.unavailable, status: 503), reason: reason)
    }
}
#endif
