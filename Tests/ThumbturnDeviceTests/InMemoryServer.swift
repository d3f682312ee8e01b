import Foundation
import Synchronization
import ThumbturnCore
import ThumbturnDevice
import ThumbturnVerifier

/// A back end in memory, judged by the verifier: enough of the server for the device library's own tests.
final class InMemoryServer: Transport {
    static let url = URL(string: "https://bank.example")!
    static let password = "correct horse battery staple"

    struct State {
        var nonce = "first nonce"
        var keys: [String: (key: VerifyingKey, kind: KeyKind)] = [:]
        var spent: Set<String> = []
        /// By their session keys' thumbprints.
        var devices: [String: DeviceRecord] = [:]
        /// The next answer to this path is lost, after the work is done.
        var losesAnswerTo: String?
        var requests: [HTTPRequest] = []
        var tokens = 0
        /// Changes a challenge before it is handed out.
        var tamper: (@Sendable (inout ChallengeClaims) -> Void)?
        var refusesEnrolment = false
        var isAway = false
        /// What protected resources answer, if anything else than usual.
        var problem: Problem?
    }

    let state = Mutex(State())
    private let clock: any DeviceClock
    private let challenges = Challenges(
        issuer: "https://bank.example", audience: "https://bank.example",
        secrets: [ChallengeSecret(id: "1", bytes: [UInt8](repeating: 1, count: 32))]
    )

    init(clock: any DeviceClock) {
        self.clock = clock
    }

    var paths: [String] { state.withLock { $0.requests.map { "\($0.method) \($0.url.dropFirst(20))" } } }

    func send(_ request: HTTPRequest) async throws(Failure) -> HTTPResponse {
        if state.withLock({ $0.isAway }) { throw Failure(.unreachable, recovery: .retry) }
        state.withLock { $0.requests.append(request) }
        do {
            let answer = try answer(request)
            let isLost = state.withLock { state in
                guard let path = state.losesAnswerTo, request.url.hasSuffix(path) else { return false }
                state.losesAnswerTo = nil
                return true
            }
            if isLost { throw Failure(.unreachable, recovery: .retry) }
            return answer
        } catch let lost as Failure {
            throw lost
        } catch let problem as Problem {
            return respond(problem.status, problem)
        } catch {
            return respond(401, Problem(.verificationFailed, status: 401))
        }
    }

    private func answer(_ request: HTTPRequest) throws -> HTTPResponse {
        let now = clock.civilTime
        switch request.url.dropFirst(20) {
        case "/v1/challenges":
            let asked = try WireJSON.decode(ChallengeRequest.self, from: request.body)
            var generator = SystemRandomNumberGenerator()
            var challenge = try challenges.issue(asked, at: now, using: &generator)
            if let tamper = state.withLock({ $0.tamper }) {
                var claims = try challenges.verify(challenge, for: asked.purpose, at: now)
                tamper(&claims)
                challenge = challenges.sign(claims)
            }
            return respond(200, ChallengeAnswer(challenge: challenge, expiresIn: 300))
        case "/v1/accounts/sign-in":
            _ = try dpop(request)
            let typed = try WireJSON.decode(PasswordSignInRequest.self, from: request.body)
            guard typed.password == Self.password else { throw Refusal.wrongSignature }
            return respond(200, EnrolmentTicket(ticket: "ticket", expiresIn: 300))
        case "/v1/devices":
            let jkt = try dpop(request).jkt
            guard !state.withLock({ $0.refusesEnrolment }) else { throw Refusal.wrongSignature }
            let enrol = try WireJSON.decode(EnrolRequest.self, from: request.body)
            var keys: [DeviceRecord.Key] = []
            for registration in enrol.keys {
                guard let jwk = registration.jwk else { throw Refusal.malformed }
                let key = try VerifyingKey(jwk: jwk)
                if let text = registration.proof {
                    let proof = try UnverifiedProof(text)
                    try proof.verify(by: key)
                    let claims = try challenges.verify(proof.challenge, for: .enrol, at: now)
                    guard claims.cnf.jkt == jkt else { throw Refusal.foreignKey }
                }
                let kid = registration.kind == .pin ? try UnverifiedProof(registration.proof ?? "").kid : key.thumbprint
                keys.append(.init(kid: kid, kind: registration.kind, active: registration.proof != nil))
                state.withLock { $0.keys[kid] = (key, registration.kind) }
            }
            let record = DeviceRecord(id: "device", name: enrol.name, keys: keys, enrolledAt: now, current: true)
            state.withLock { $0.devices[jkt] = record }
            return respond(201, record)
        case "/v1/token":
            let jkt = try dpop(request).jkt
            let form = String(decoding: request.body, as: UTF8.self)
            if form.hasPrefix("grant_type=refresh_token") { return respond(200, nextToken()) }
            let proof = try UnverifiedProof(String(form.split(separator: "proof=").last ?? ""))
            let claims = try challenges.verify(proof.challenge, for: .signIn, at: now)
            guard claims.cnf.jkt == jkt, let (key, _) = state.withLock({ $0.keys[proof.kid] }) else { throw Refusal.foreignKey }
            try proof.verify(by: key)
            guard state.withLock({ $0.spent.insert(claims.jti).inserted }) else { throw Refusal.replayed }
            return respond(200, nextToken())
        case "/v1/me":
            let proof = try dpop(request)
            if let problem = state.withLock({ $0.problem }) { throw problem }
            return respond(
                200, Me(account: "a", name: "ada", device: proof.jkt, acr: "x", amr: [], authTime: now)
            )
        case "/v1/devices/current":
            let jkt = try dpop(request).jkt
            guard state.withLock({ $0.devices.removeValue(forKey: jkt) }) != nil else { throw Problem(.notFound, status: 404) }
            return HTTPResponse(status: 204, headers: [:], body: [])
        default: throw Problem(.notFound, status: 404)
        }
    }

    private func nextToken() -> TokenAnswer {
        let number = state.withLock { state in
            state.tokens += 1
            return state.tokens
        }
        return TokenAnswer(accessToken: "access \(number)", expiresIn: 300, refreshToken: "refresh \(number)")
    }

    private func dpop(_ request: HTTPRequest) throws -> DPoPProof {
        let nonce = state.withLock { $0.nonce }
        let token = request.headers["Authorization"].map { String($0.dropFirst(5)) }
        do {
            return try DPoPProof(
                request.headers["DPoP"] ?? "",
                for: .init(
                    method: request.method, uri: request.url, accessToken: token,
                    body: request.method == "GET" ? nil : request.body
                ),
                fresh: .nonce(isLive: { $0 == nonce })
            )
        } catch Refusal.nonceNeeded {
            throw Problem(.verificationFailed, status: 401, error: "use_dpop_nonce")
        }
    }

    private func respond(_ status: Int, _ body: some Encodable) -> HTTPResponse {
        HTTPResponse(status: status, headers: ["dpop-nonce": state.withLock { $0.nonce }], body: WireJSON.encode(body))
    }
}

extension Problem: Error {}
