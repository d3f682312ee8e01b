public import ThumbturnCore
public import ThumbturnDevice
#if canImport(FoundationNetworking)
import Foundation
public import FoundationNetworking
#else
public import Foundation
#endif

/// Requests to the app's own APIs, as URLSession sends them.
extension Authenticator {
    /// Sends a request in the name of the signed-in person, as the `send` of a `TransportRequest` does.
    ///
    /// - Throws: also `tooLarge` for a body that is a stream.
    public func send(
        _ request: URLRequest, doing action: StepUpAction? = nil, amount: Money? = nil, reason: String = "",
        policy: UnlockPolicy = .highRisk
    ) async throws(Failure) -> TransportResponse {
        guard request.httpBodyStream == nil else { throw Failure(.tooLarge) }
        return try await send(TransportRequest(request), doing: action, amount: amount, reason: reason, policy: policy)
    }

    /// Prepares a request that the app sends by itself: sets `Authorization` and `DPoP`, with a fresh token where the
    /// session's has expired. With an action the person proves presence first, and the token is for that action; without
    /// one there is no prompt.
    ///
    /// The proof is for one sending of this very request: its method, its address and its `httpBody`. Give the answer to
    /// `authorize(_:after:doing:amount:reason:policy:)`, which keeps the nonce, and says whether to send once more. A body
    /// that is a stream, or that `URLSession` is given beside the request, is not part of the proof, and servers of this
    /// package refuse it. Follow no redirects with it.
    ///
    /// - Parameters:
    ///   - request: the request. Its fields `Authorization` and `DPoP` are replaced.
    ///   - action: what the request does, where it needs a step-up.
    ///   - amount: the amount, where the action is about money.
    ///   - reason: shown in the system's prompt; with an action an empty one throws `reasonMissing`.
    ///   - policy: which rungs are asked.
    /// - Throws: `insecureServer` for another origin than the registered ones; `sessionOver` where there is no session or it
    ///   has ended; what `stepUp` throws; `unreachable`.
    public func authorize(
        _ request: inout URLRequest, doing action: StepUpAction? = nil, amount: Money? = nil, reason: String = "",
        policy: UnlockPolicy = .highRisk
    ) async throws(Failure) {
        var signed = TransportRequest(request)
        try await authorize(
            &signed, hasWholeBody: request.httpBodyStream == nil, doing: action, amount: amount, reason: reason, policy: policy)
        request.takeProofs(of: signed)
    }

    /// Looks at the answer to a request that `authorize` prepared. Where it demands a newer nonce, a newer token or a fresh
    /// proof of presence, that is given, and the request is prepared again.
    ///
    /// - Parameters:
    ///   - request: the request that was sent.
    ///   - answer: the answer to it.
    ///   - action: what the request does, where it needs a step-up.
    ///   - amount: the amount, where the action is about money.
    ///   - reason: shown in the system's prompt; without one there is no prompt.
    ///   - policy: which rungs are asked.
    /// - Returns: whether to send the request once more. Do that once: an API that demands the same again refuses it.
    /// - Throws: what `send` throws.
    public func authorize(
        _ request: inout URLRequest, after answer: HTTPURLResponse, doing action: StepUpAction? = nil, amount: Money? = nil,
        reason: String = "", policy: UnlockPolicy = .highRisk
    ) async throws(Failure) -> Bool {
        var signed = TransportRequest(request)
        let isSentAgain = try await authorize(
            &signed, after: TransportResponse(answer), hasWholeBody: request.httpBodyStream == nil, doing: action,
            amount: amount, reason: reason, policy: policy)
        if isSentAgain { request.takeProofs(of: signed) }
        return isSentAgain
    }
}

extension URLRequest {
    fileprivate mutating func takeProofs(of signed: TransportRequest) {
        for name in ["Authorization", "DPoP"] { setValue(signed.headers[name], forHTTPHeaderField: name) }
    }
}

extension TransportRequest {
    fileprivate init(_ request: URLRequest) {
        self.init(
            method: request.httpMethod ?? "GET", url: request.url?.absoluteString ?? "",
            headers: request.allHTTPHeaderFields ?? [:], body: request.httpBody.map(Array.init) ?? [])
    }
}

extension TransportResponse {
    /// An answer without its body.
    fileprivate init(_ answer: HTTPURLResponse) {
        self.init(status: answer.statusCode, headers: answer.lowercasedHeaders, body: [])
    }
}

extension HTTPURLResponse {
    /// The fields, with their names in lower case.
    var lowercasedHeaders: [String: String] {
        var headers: [String: String] = [:]
        for case (let name as String, let value as String) in allHeaderFields { headers[name.lowercased()] = value }
        return headers
    }
}
