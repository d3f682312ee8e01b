public import ThumbturnCore
import ThumbturnMessages
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Requests to the app's own APIs, at the origins that were given to the authenticator as `resources`.
///
/// The access token is bound to this device's session key: each request has a DPoP proof for its method, its address, its
/// body and the token (RFC 9449), with the newest nonce of that origin. A request to any other origin throws
/// `insecureServer`, and is neither signed nor sent.
extension Authenticator {
    /// Sends a request in the name of the signed-in person and returns the answer, whatever its status.
    ///
    /// A token that has expired is refreshed, a newer nonce is taken, and where the API demands a fresh proof of presence
    /// (RFC 9470) the person is asked: for the action that is named here, or without one for a sign-in. Each of them happens
    /// once. An API that names another action, or demands another assurance than this device can prove, gets nothing. A
    /// redirect is not followed: it is the answer.
    ///
    /// - Parameters:
    ///   - request: the request. Its fields `Authorization` and `DPoP` are replaced.
    ///   - action: what the request does, where it needs a step-up.
    ///   - amount: the amount, where the action is about money.
    ///   - reason: shown in the system's prompt. With an action an empty one throws `reasonMissing`; without both there is no
    ///     prompt, and a demand for a fresh proof throws `refused`.
    ///   - policy: which rungs are asked.
    /// - Throws: `insecureServer` for another origin; `sessionOver` where there is no session or it has ended; what `stepUp`
    ///   throws; `refused` where the API demands more than this device can prove, or demands it again; `unreachable`,
    ///   `unexpectedAnswer`.
    public func send(
        _ request: TransportRequest, doing action: StepUpAction? = nil, amount: Money? = nil, reason: String = "",
        policy: UnlockPolicy = .highRisk
    ) async throws(Failure) -> TransportResponse {
        let (request, origin) = try addressed(request)
        let call = ResourceRequest.there(request, origin)
        guard let action else {
            return try await reach(call) { (asked) async throws(Failure) in
                try await self.prove(for: asked, reason: reason, policy: policy)
            }
        }
        let demand = try stepUpDemand(for: action, amount: amount, reason: reason, policy: policy, liveness: nil)
        let earlier = try await reusableStepUp(for: demand)
        return try await reach(call, with: earlier?.session, proving: prove(demand, mayReuse: earlier == nil))
    }

    /// Prepares a request that the app sends by itself: sets `Authorization` and `DPoP`, with a fresh token where the
    /// session's has expired. With an action the person proves presence first, and the token is for that action; without
    /// one there is no prompt.
    ///
    /// The proof is for one sending of this very request: its method, its address and its body. Give the answer to the
    /// `authorize` that takes one, which keeps the nonce, and says whether to send once more. Follow no redirects with it.
    ///
    /// - Parameters:
    ///   - request: the request. Its fields `Authorization` and `DPoP` are replaced.
    ///   - hasWholeBody: whether `body` is all that is sent. Otherwise the body is not part of the proof, and servers of this
    ///     package refuse it.
    ///   - action: what the request does, where it needs a step-up.
    ///   - amount: the amount, where the action is about money.
    ///   - reason: shown in the system's prompt; with an action an empty one throws `reasonMissing`.
    ///   - policy: which rungs are asked.
    /// - Throws: `insecureServer` for another origin than the registered ones; `sessionOver` where there is no session or it
    ///   has ended; what `stepUp` throws; `unreachable`.
    public func authorize(
        _ request: inout TransportRequest, hasWholeBody: Bool = true, doing action: StepUpAction? = nil, amount: Money? = nil,
        reason: String = "", policy: UnlockPolicy = .highRisk
    ) async throws(Failure) {
        // Before the person is asked for anything.
        _ = try addressed(request)
        var session: DeviceSession?
        if let action {
            session = try await stepUp(for: action, amount: amount, reason: reason, policy: policy).session
        }
        try await sign(&request, hasWholeBody: hasWholeBody, with: session)
    }

    /// Looks at the answer to a request that `authorize` prepared. Where it demands a newer nonce, a newer token or a fresh
    /// proof of presence, that is given, and the request is prepared again.
    ///
    /// - Parameters:
    ///   - request: the request that was sent.
    ///   - answer: the answer to it, with the names of its fields in lower case.
    ///   - hasWholeBody: whether `body` is all that is sent.
    ///   - action: what the request does, where it needs a step-up.
    ///   - amount: the amount, where the action is about money.
    ///   - reason: shown in the system's prompt; without one there is no prompt.
    ///   - policy: which rungs are asked.
    /// - Returns: whether to send the request once more. Do that once: an API that demands the same again refuses it.
    /// - Throws: what `send` throws.
    public func authorize(
        _ request: inout TransportRequest, after answer: TransportResponse, hasWholeBody: Bool = true,
        doing action: StepUpAction? = nil, amount: Money? = nil, reason: String = "", policy: UnlockPolicy = .highRisk
    ) async throws(Failure) -> Bool {
        let (_, origin) = try addressed(request)
        connection.signer.note(answer, from: origin)
        if let wanted = answer.stepUp {
            try await checkIsProvable(wanted)
            let session: DeviceSession?
            if let action {
                let demand = try stepUpDemand(for: action, amount: amount, reason: reason, policy: policy, liveness: nil)
                session = try await prove(demand, mayReuse: await stepUp(of: request) == nil)(wanted.ask)
            } else {
                session = try await prove(for: wanted.ask, reason: reason, policy: policy)
            }
            try await sign(&request, hasWholeBody: hasWholeBody, with: session)
            return true
        }
        guard answer.wantsNonce || answer.wantsToken else { return false }
        if answer.wantsToken { try await refresh() }
        try await sign(&request, hasWholeBody: hasWholeBody, with: answer.wantsToken ? nil : await stepUp(of: request))
        return true
    }
}

// MARK: - Parts

extension Authenticator {
    /// Has the person prove presence for an action of the app's. A resource that names another one gets nothing.
    ///
    /// - Parameter mayReuse: false where a token of a step-up has just been refused.
    func prove(_ demand: StepUpDemand, mayReuse: Bool) -> (_ asked: ActionAsk?) async throws(Failure) -> DeviceSession? {
        { (asked) async throws(Failure) in
            guard asked == nil || asked == demand.ask else { throw Failure(.unexpectedAnswer) }
            return try await self.stepUp(demand, mayReuse: mayReuse).session
        }
    }

    /// Has the person sign in anew where a resource names no action. A signature for an action that the app has not named
    /// would be for something that the person was not shown.
    func prove(for asked: ActionAsk?, reason: String, policy: UnlockPolicy) async throws(Failure) -> DeviceSession? {
        guard asked == nil, !reason.isEmpty else { throw Failure(.refused, recovery: .fallBack(.biometric)) }
        var policy = policy
        policy.reuse = .zero
        _ = try await authenticate(reason, policy: policy)
        return nil
    }

    /// Throws `refused` where a resource demands another assurance than a key of this device can prove. Another prompt does
    /// not raise the assurance of a key, only that of credentials.
    func checkIsProvable(_ wanted: StepUpChallenge) async throws(Failure) {
        let isVisit = try await visit() != nil
        guard wanted.acrValues.isEmpty || isVisit else { throw Failure(.refused) }
    }

    /// The request with the spelling of its address that is signed and sent, and its origin, which is a registered one.
    private nonisolated func addressed(_ request: TransportRequest) throws(Failure) -> (TransportRequest, WebOrigin) {
        guard let url = URL(string: request.url), let parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else {
            throw Failure(.insecureServer)
        }
        let origin = try WebOrigin(of: parts)
        guard resources.contains(origin) else { throw Failure(.insecureServer) }
        var request = request
        let path = parts.percentEncodedPath
        request.url = origin.text + (path.isEmpty ? "/" : path) + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
        request.headers = request.headers.filter { !["authorization", "dpop"].contains($0.key.lowercased()) }
        return (request, origin)
    }

    /// - Parameter stepUp: the step-up whose token goes with the request; nil for the stored session's.
    private func sign(
        _ request: inout TransportRequest, hasWholeBody: Bool, with stepUp: DeviceSession?
    ) async throws(Failure) {
        var (signed, origin) = try addressed(request)
        let number = stepUp != nil ? try await requireEnrolment() : try await sessionNumber()
        let session = if let stepUp { stepUp } else { try await liveSession(of: number) }
        try await connection.signer.sign(
            &signed, to: origin, token: session.accessToken, key: name(of: .session, in: number),
            hasWholeBody: hasWholeBody)
        request.headers = signed.headers
    }

    /// The last step-up, where a request has its token and the step-up still counts.
    private func stepUp(of request: TransportRequest) async -> DeviceSession? {
        guard let stepUp = lastStepUp else { return nil }
        let sent = request.headers.first { $0.key.lowercased() == "authorization" }?.value
        guard sent == "DPoP \(stepUp.session.accessToken)", await stepUp.answered.act.counts(for: .samePlace) else { return nil }
        return stepUp.session
    }
}

extension TransportResponse {
    /// Whether a resource says that the token is over (RFC 6750 section 3.1).
    var wantsToken: Bool { status == 401 && headers["www-authenticate"]?.contains("invalid_token") == true }
}
