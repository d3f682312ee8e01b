package import ThumbturnCore
package import ThumbturnMessages
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Sends requests to one server in the name of a session key, with DPoP proofs and server nonces, and turns problem
/// documents into failures.
package final class ServerConnection: Sendable {
    let address: ServerAddress
    private let platform: DevicePlatform
    private let transport: BoundedTransport
    let signer: DPoPSigner

    package init(address: ServerAddress, platform: DevicePlatform) {
        self.address = address
        self.platform = platform
        signer = DPoPSigner(platform: platform)
        transport = BoundedTransport(platform.transport, clock: platform.clock)
    }

    /// The body of a request.
    package enum Body: Sendable {
        case none
        case json([UInt8])
        case form([(String, String)])
    }

    /// Asks for a fresh challenge, and checks that it is the one that was asked for.
    package func challenge(
        _ purpose: Purpose, act: String? = nil, for kids: [String], key sessionKey: KeyName
    ) async throws(Failure) -> CheckedChallenge {
        let jkt = Signing.thumbprint(of: try await platform.keys.publicKey(of: sessionKey))
        let request = ChallengeRequest(purpose: purpose, act: act, kids: kids, jkt: jkt)
        let asked = platform.moment
        let response = try await exchange(
            "POST", at: "/v1/challenges", body: .json(Signing.encode(request)), token: nil, key: nil
        )
        let challenge = try read(ChallengeAnswer.self, from: response).challenge
        return try accept(challenge, by: ChallengeCheck(issuer: address.issuer, request: request), asked: asked)
    }

    /// Asks for a fresh challenge for an approval, and checks that it is over exactly what this device showed.
    package func challenge(
        for approval: Approval, kids: [String], key sessionKey: KeyName
    ) async throws(Failure) -> CheckedChallenge {
        let jkt = Signing.thumbprint(of: try await platform.keys.publicKey(of: sessionKey))
        let asked = platform.moment
        let answer = try await send(
            "POST", to: "/v1/approvals/\(approval.id)/challenge",
            body: .json(Signing.encode(ApprovalChallengeRequest(kids: kids))), key: sessionKey, expecting: ChallengeAnswer.self
        )
        let request = ChallengeRequest(purpose: .approve, act: approval.id, kids: kids, jkt: jkt)
        let check = ChallengeCheck(issuer: address.issuer, request: request, txn: approval.txn, demand: approval.demand)
        return try accept(answer.challenge, by: check, asked: asked)
    }

    private func accept(_ challenge: String, by check: ChallengeCheck, asked: Moment) throws(Failure) -> CheckedChallenge {
        let accepted = try check.accept(challenge)
        platform.record(accepted.issuedAt, from: address.issuer, asked: asked)
        return accepted
    }

    /// Sends a request with a DPoP proof and reads the answer. Sends it once more where the server demands a newer
    /// nonce.
    package func send<Answer: Message>(
        _ method: String, to path: String, body: Body = .none, token: String? = nil, key: KeyName, expecting: Answer.Type
    ) async throws(Failure) -> Answer {
        try read(Answer.self, from: try await send(method, to: path, body: body, token: token, key: key))
    }

    /// Sends a request with a DPoP proof. Sends it once more where the server demands a newer nonce.
    ///
    /// - Parameter longestAnswer: the most bytes of the answer's body.
    @discardableResult
    package func send(
        _ method: String, to path: String, body: Body = .none, token: String? = nil, key: KeyName,
        longestAnswer: Int = TransportRequest.usualLongestAnswer
    ) async throws(Failure) -> TransportResponse {
        try await exchange(method, at: path, body: body, token: token, key: key, longestAnswer: longestAnswer)
    }

    /// Reads what the server shows to everyone, without a proof and a token.
    func open(_ path: String) async throws(Failure) -> TransportResponse {
        try await exchange("GET", at: path, body: .none, token: nil, key: nil)
    }

    /// The answer of a resource, or the step-up that it demands first.
    package enum Reached: Sendable {
        case answer(TransportResponse)
        case stepUp(StepUpChallenge)
    }

    /// Makes a request of a resource with an access token; a demand for a step-up (RFC 9470) is no failure. At this server
    /// every other answer than a success is one; at an origin that the app registered only a token that is over, because
    /// the app knows its own answers.
    func reach(_ call: ResourceRequest, token: String, key: KeyName) async throws(Failure) -> Reached {
        switch call {
        case .here(let method, let path, let body):
            let request = try request(method, at: path, body: body)
            let response = try await exchange(request, with: address.origin, token: token, key: key)
            if let wanted = response.stepUp { return .stepUp(wanted) }
            return .answer(try checked(response))
        case .there(let request, let origin):
            let response = try await exchange(request, with: origin, token: token, key: key)
            if let wanted = response.stepUp { return .stepUp(wanted) }
            if response.wantsToken {
                throw Failure(.sessionOver, status: Failure.PlatformStatus(domain: "HTTP", code: 401))
            }
            return .answer(response)
        }
    }

    private func exchange(
        _ method: String, at path: String, body: Body, token: String?, key: KeyName?,
        longestAnswer: Int = TransportRequest.usualLongestAnswer
    ) async throws(Failure) -> TransportResponse {
        var request = try request(method, at: path, body: body)
        request.longestAnswer = longestAnswer
        return try checked(try await exchange(request, with: address.origin, token: token, key: key))
    }

    /// Signs and sends a request, once more where the answer demands a newer nonce (RFC 9449 sections 8 and 9).
    private func exchange(
        _ unsigned: TransportRequest, with origin: WebOrigin, token: String?, key: KeyName?
    ) async throws(Failure) -> TransportResponse {
        var isLast = false
        while true {
            var request = unsigned
            if let key { try await signer.sign(&request, to: origin, token: token, key: key) }
            let response = try await transport.send(request)
            signer.note(response, from: origin)
            guard !isLast, response.wantsNonce else { return response }
            isLast = true
        }
    }

    private func checked(_ response: TransportResponse) throws(Failure) -> TransportResponse {
        if (200..<300).contains(response.status) { return response }
        throw Self.failure(status: response.status, problem: response.problem)
    }

    /// The address of a path at this server, in the one spelling that is signed and sent: as it was read here, with every
    /// character escaped that has no place in a path. A transport that read the path by itself might find a line break or
    /// another host in it.
    ///
    /// - Throws: `insecureServer` for a path that is none, or that would lead the token to another host.
    func address(of path: String) throws(Failure) -> String {
        guard path.hasPrefix("/"), !path.hasPrefix("//"), let parts = URLComponents(string: address.issuer + path),
            let url = parts.string, try WebOrigin(of: parts) == address.origin
        else { throw Failure(.insecureServer) }
        return url
    }

    private func request(_ method: String, at path: String, body: Body) throws(Failure) -> TransportRequest {
        var request = TransportRequest(method: method, url: try address(of: path))
        request.deadline = platform.exchangeDeadline
        switch body {
        case .none: break
        case .json(let bytes):
            request.body = bytes
            request.headers["Content-Type"] = "application/json"
        case .form(let fields):
            request.body = Array(FormText.encode(fields).utf8)
            request.headers["Content-Type"] = "application/x-www-form-urlencoded"
        }
        return request
    }

    private func read<Answer: Message>(_ type: Answer.Type, from response: TransportResponse) throws(Failure) -> Answer {
        // Answers may grow, so unknown members are ignored here; only what is signed is read strictly.
        guard let answer = try? StrictJSON.decodeIgnoringUnknown(Answer.self, from: response.body) else {
            throw Failure(.unexpectedAnswer)
        }
        return answer
    }

    private static func failure(status: Int, problem: Problem?) -> Failure {
        let http = Failure.PlatformStatus(domain: "HTTP", code: status)
        // RFC 6750 section 3.1 and RFC 9449 section 7.1: only this error means that the token is invalid.
        if problem?.error == "invalid_token" { return Failure(.sessionOver, status: http) }
        // The server refused a DPoP proof of ours: the address is not the server's public one, or it is a fault. No
        // sign-in mends that.
        if problem?.error == "invalid_dpop_proof" { return Failure(.unexpectedAnswer, status: http) }
        // The server tells this only about a guess that was counted, and only to this session key.
        if let left = problem?.triesLeft {
            return left > 0
                ? Failure(.notMatched, status: http)
                : Failure(.keyInvalidated, status: http)
        }
        // Only to this session key, and another sign-in would not shorten it.
        if let end = problem?.coolingOffUntil {
            let rest = problem?.retryAfter.map { Duration.seconds(max($0, 0)) } ?? .zero
            return .coolingOff(until: end, rest: rest, status: http)
        }
        // The key pauses after wrong signatures; the server tells this only to the key's own device.
        if let seconds = problem?.retryAfter { return Failure(.refused, recovery: .wait(.seconds(seconds)), status: http) }
        // The person has to remove another device, or the operator does.
        if problem?.error == "too_many_devices" { return Failure(.refused, recovery: .report, status: http) }
        return switch problem?.type {
        case Problem.Kind.verificationFailed.uri: Failure(.refused, recovery: .signInAgain, status: http)
        case Problem.Kind.stepUpRequired.uri: Failure(.refused, recovery: .fallBack(.biometric), status: http)
        case Problem.Kind.conflict.uri: Failure(.approvalOver, status: http)
        case Problem.Kind.unavailable.uri:
            Failure(.unreachable, recovery: .wait(.seconds(5)), status: http)
        default: Failure(.unexpectedAnswer, status: http, hint: hint(on: status))
        }
    }

    private static func hint(on status: Int) -> String {
        switch status {
        case 400: "The server could not read the request, or its policy has no action of this name with or without an amount."
        case 404: "The server has nothing at this path: check the address, the path, and the version of the server."
        default: "HTTP \(status) is no answer of a Thumbturn server: check its address, and what stands before it."
        }
    }
}

extension TransportResponse {
    /// The value of `WWW-Authenticate`.
    fileprivate var challenge: String { headers["www-authenticate"] ?? "" }

    /// The step-up that a resource demands; nil for every other answer.
    var stepUp: StepUpChallenge? { status == 401 ? StepUpChallenge(challenge) : nil }

    /// The problem document of a refusal.
    fileprivate var problem: Problem? { try? StrictJSON.decodeIgnoringUnknown(Problem.self, from: body) }

    /// Whether the request is to be sent once more with the nonce of this answer: a resource says so in its challenge, the
    /// token endpoint in the body.
    var wantsNonce: Bool {
        switch status {
        case 401: challenge.contains("use_dpop_nonce") || problem?.error == "use_dpop_nonce"
        case 400: problem?.error == "use_dpop_nonce"
        default: false
        }
    }
}
