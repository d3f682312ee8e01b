#if Server
import ThumbturnCore
package import ThumbturnMessages
import ThumbturnVerifier

/// The refusal of a request: the problem that is sent to the client, and the reason for the operator's log.
package struct RequestError: Error {
    package var problem: Problem
    /// For the log only.
    var reason: LogReason
    /// Beside the reason, what was expected and what was found; for the log only. It may quote what the client sent.
    var explanation: String?
    /// Whether the operator should hear of it: the caller was known, and its device is not as the policy wants it.
    var isNoted = false
    /// The value of `WWW-Authenticate`, where the status is 401 or 403.
    var challenge: String?
    /// Whether the request lacked the session key that it needs. It is then counted only against the network that it
    /// came from.
    var isByStranger = false
    /// The value of `Retry-After`, in whole seconds, where the status is 429 or 503.
    var retryAfter = Limits.retryAfter

    var byStranger: RequestError {
        var refused = self
        refused.isByStranger = true
        return refused
    }
}

extension RequestError {
    init(_ kind: Problem.Kind, _ status: Int, _ error: OAuthError? = nil, for reason: LogReason, challenge: String? = nil) {
        self.init(problem: Problem(kind, status: status, error: error?.rawValue), reason: reason, challenge: challenge)
    }

    // MARK: Any request

    /// A request that cannot be read.
    static func malformed(
        _ reason: VerificationError = .malformed, status: Int = 400, error: OAuthError? = nil
    ) -> RequestError {
        RequestError(.malformed, status, error, for: .init(.request, reason))
    }

    /// A wrong password, ticket, enrolment or proof. The answer is the same for every reason.
    static func unverified(_ reason: LogReason) -> RequestError {
        RequestError(.verificationFailed, 401, for: reason, challenge: dpopChallenge())
    }

    /// A device in its cool-off. The end of the cool-off is told to its session key.
    static func coolsOff(_ rest: CoolOff, for subject: LogReason.Subject) -> RequestError {
        var refused = unverified(.init(subject, .coolingOff))
        rest.tell(in: &refused.problem)
        return refused
    }

    static let notFound = RequestError(.notFound, 404, for: .init(.request, .notFound))
    static let tooLarge = RequestError(.tooLarge, 413, for: .init(.request, .tooLarge))

    static func unavailable(_ reason: LogReason) -> RequestError { RequestError(.unavailable, 503, for: reason) }

    /// More requests than the caller may send (RFC 6585 section 4).
    static func tooManyRequests(
        _ reason: LogReason = .init(.server, .overloaded), retryAfter: Duration = Limits.retryAfter
    ) -> RequestError {
        var refused = RequestError(.unavailable, 429, for: reason)
        refused.retryAfter = retryAfter
        return refused
    }

    /// No place in the queue of passwords: for this sender, or for all.
    init(_ full: Passwords.QueueFull) {
        self = full.isOfSender ? .tooManyRequests() : .unavailable(.init(.server, .overloaded))
    }

    /// The account has as much of something as it may have. Only a caller that is authorised for the account is told.
    static func full(_ quota: AccountQuota.Full) -> RequestError {
        switch quota {
        case .devices:
            RequestError(problem: Problem(.conflict, status: 409, error: quota.rawValue), reason: .init(.enrolment, .conflict))
        case .changes: .tooManyRequests(.init(.keyChange, .overloaded), retryAfter: .seconds(3600))
        }
    }

    // MARK: The token endpoint

    /// A wrong grant (RFC 6749 section 5.2). The answer is the same for every reason.
    static func invalidGrant(_ reason: LogReason) -> RequestError {
        RequestError(.verificationFailed, 400, .invalidGrant, for: reason)
    }

    /// A back end that did not authenticate (RFC 6749 section 5.2).
    static func invalidClient(_ reason: LogReason) -> RequestError {
        RequestError(.verificationFailed, 401, .invalidClient, for: reason, challenge: dpopChallenge())
    }

    // MARK: Resources

    /// An access token that a resource does not accept (RFC 9449 section 7.1).
    static func invalidToken(_ reason: LogReason) -> RequestError {
        RequestError(.verificationFailed, 401, .invalidToken, for: reason, challenge: dpopChallenge(.invalidToken))
    }

    /// A wrong DPoP proof: for another URL, method, body or token, by a wrong key, or seen before. Only a missing or
    /// expired nonce gets an answer of its own, because the client has to retry with a new nonce (RFC 9449 sections 8
    /// and 9).
    static func dpop(_ reason: VerificationError, atResource: Bool) -> RequestError {
        let error: OAuthError = reason == .nonceNeeded ? .useDPoPNonce : .invalidDPoPProof
        return RequestError(
            .verificationFailed, atResource ? 401 : 400, error, for: .init(.dpop, reason),
            challenge: atResource ? dpopChallenge(error) : nil)
    }

    /// A back end's token that is missing or that the server does not accept (RFC 6750 section 3.1).
    static func invalidBearer(_ reason: LogReason) -> RequestError {
        RequestError(.verificationFailed, 401, .invalidToken, for: reason, challenge: bearerChallenge(.invalidToken))
    }

    /// A request of a back end beyond its scopes or its limits (RFC 6750 section 3.1).
    ///
    /// - Parameter scope: the scope that it lacks; nil if its limits do not allow the request.
    static func insufficientScope(_ scope: ClientScope?) -> RequestError {
        RequestError(
            .verificationFailed, 403, .insufficientScope, for: .init(.client, scope == nil ? LogReason.Cause.limit : .scope),
            challenge: dpopChallenge(.insufficientScope) + (scope.map { #", scope="\#($0.rawValue)""# } ?? ""))
    }

    /// A back end that sends more requests than its rate allows (RFC 6585 section 4).
    static func beyondRate(_ wait: Duration) -> RequestError {
        var refused = tooManyRequests(.init(.client, .limit), retryAfter: wait)
        refused.problem.retryAfter = wait.components.seconds
        return refused
    }

    /// A back end that asks for a token without a DPoP proof, and is not registered for tokens without a key (RFC 9449
    /// section 5).
    static let unboundToken = RequestError(.verificationFailed, 400, .invalidDPoPProof, for: .init(.dpop, .missing))

    /// A fresh proof of presence is needed (RFC 9470 section 3).
    static func stepUp(maximumAge: Duration) -> RequestError { stepUp(StepUpChallenge(maximumAge: maximumAge)) }

    static func stepUp(_ challenge: StepUpChallenge) -> RequestError {
        RequestError(
            .stepUpRequired, 401, .insufficientUserAuthentication,
            for: .init(.stepUp, challenge.acrValues.isEmpty ? LogReason.Cause.stale : .assurance),
            challenge: challenge.header(scheme: .dpop))
    }

    // MARK: WWW-Authenticate

    private static func dpopChallenge(_ error: OAuthError? = nil) -> String {
        "DPoP " + (error.map { #"error="\#($0.rawValue)", "# } ?? "") + #"algs="ES256""#
    }

    private static func bearerChallenge(_ error: OAuthError) -> String { #"Bearer error="\#(error.rawValue)""# }
}
#endif
