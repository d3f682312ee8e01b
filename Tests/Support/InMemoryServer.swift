package import Foundation
package import Synchronization
package import ThumbturnCore
package import ThumbturnMessages
package import ThumbturnDevice
package import ThumbturnVerifier

/// A back end in memory, judged by the verifier: enough of the server for the device library's own tests.
///
/// It is not replaced by `TestServer`, which is the real server: these tests lose answers, change challenges and refuse at
/// will, which the real one never does, and they run without the trait `Server`. What the real server decides is tested
/// against `TestServer`.
package final class InMemoryServer: Transport {
    package static let url = URL(string: "https://bank.example")!
    package static let password = "correct horse battery staple"
    package static let textedCode = "493027"

    package struct State {
        package var nonce = "first-nonce"
        package var keys: [String: (key: VerifyingKey, kind: KeyKind)] = [:]
        package var spent: Set<String> = []
        /// By their session keys' thumbprints.
        package var devices: [String: DeviceRecord] = [:]
        /// The names of the devices' accounts, likewise. Each name has an account, all with the one password.
        package var accounts: [String: String] = [:]
        /// Whether a full sign-in may open a session of its own.
        package var letsVisit = true
        /// The names of the accounts of visits, by their session keys' thumbprints, and those that have had a ticket.
        package var visits: [String: String] = [:]
        package var exchangedVisits: Set<String> = []
        /// The session keys' thumbprints of visits whose sign-in was not fresh. They get no ticket.
        package var staleVisits: Set<String> = []
        /// Whether the rules of all actions take a recent unlock.
        package var takesUnlocks = false
        /// Whether the answer to a sign-in names the account.
        package var tellsAccounts = true
        /// One-time codes that were used.
        package var usedCodes: Set<String> = []
        /// The next answer to this path is lost, after the work is done.
        package var losesAnswerTo: String?
        package var requests: [TransportRequest] = []
        package var tokens = 0
        /// Changes a challenge before it is handed out.
        package var tamper: (@Sendable (inout ChallengeClaims) -> Void)?
        package var refusesEnrolment = false
        package var isAway = false
        package var wrongPINs: [String: Int] = [:]
        /// Whether the passcode may pay for a new biometric key.
        package var letsPasscodeReplaceBiometricKey = false
        /// Makes the next change of keys and loses the answer to it, or loses the request itself.
        package var loses: Loss?
        /// Loses the next request for tokens.
        package var losesToken = false
        /// What came to the token endpoint.
        package var redeemed: [(claims: ChallengeClaims, challenge: String, liveness: String?, kids: [String])] = []
        /// What protected resources want first, once for each.
        package var wanted: [String] = []
        /// Access tokens that were ended.
        package var endedTokens: Set<String> = []
        /// What was sent to end sessions.
        package var endedSessions: [String] = []
        /// What protected resources answer, if anything else than usual.
        package var problem: Problem?
        /// The actions of step-ups, by their tokens.
        package var granted: [String: String] = [:]
        /// The app's own provider, whose ID tokens are exchanged for tickets.
        package var provider: Provider?
        /// The exchanges of ID tokens: whether each came with a challenge, and whether the sign-in was fresh.
        package var exchanges: [(hasChallenge: Bool, isFresh: Bool)] = []
        /// The password that was set last.
        package var changedPassword: String?
    }

    package struct Provider: Sendable {
        package var issuer: String
        package var audience: String
        package var key: VerifyingKey

        package init(issuer: String, audience: String, key: VerifyingKey) {
            (self.issuer, self.audience, self.key) = (issuer, audience, key)
        }
    }

    package enum Loss: CaseIterable { case request, answer }

    package let state = Mutex(State())
    private let clock: any DeviceClock
    private let challenges = Challenges(
        issuer: "https://bank.example", audience: "https://bank.example",
        secrets: [ChallengeSecret(id: "1", bytes: [UInt8](repeating: 1, count: 32))]
    )

    package init(clock: any DeviceClock) {
        self.clock = clock
    }

    package var paths: [String] { state.withLock { $0.requests.map { "\($0.method) \($0.url.dropFirst(20))" } } }

    package func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        if state.withLock({ $0.isAway }) { throw Failure(.unreachable) }
        state.withLock { $0.requests.append(request) }
        let losesToken = state.withLock { state in
            defer { if request.url.hasSuffix("/v1/token") { state.losesToken = false } }
            return request.url.hasSuffix("/v1/token") && state.losesToken
        }
        if losesToken { throw Failure(.unreachable) }
        let isChange = request.method == "POST" && request.url.hasSuffix("/v1/devices/current/keys")
        let loss = state.withLock { state in
            defer { if isChange { state.loses = nil } }
            return isChange ? state.loses : nil
        }
        if loss == .request { throw Failure(.unreachable) }
        do {
            let answer = try answer(request)
            if loss == .answer { throw Failure(.unreachable) }
            let isLost = state.withLock { state in
                guard let path = state.losesAnswerTo, request.url.hasSuffix(path) else { return false }
                state.losesAnswerTo = nil
                return true
            }
            if isLost { throw Failure(.unreachable) }
            return answer
        } catch let lost as Failure {
            throw lost
        } catch let problem as Problem {
            return respond(problem.status, problem)
        } catch {
            return respond(401, Problem(.verificationFailed, status: 401))
        }
    }

    private func answer(_ request: TransportRequest) throws -> TransportResponse {
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
            return respond(200, ChallengeAnswer(challenge: challenge, expiresIn: asked.purpose.lifetime.components.seconds))
        case "/v1/accounts/sign-in":
            _ = try dpop(request)
            let typed = try WireJSON.decode(PasswordSignInRequest.self, from: request.body)
            guard typed.password == Self.password else { throw VerificationError.wrongSignature }
            if let code = typed.oneTimeCode {
                guard state.withLock({ $0.usedCodes.insert(code).inserted }) else { throw VerificationError.replayed }
            }
            let account = state.withLock { $0.tellsAccounts } ? Self.id(of: typed.account) : nil
            return respond(
                200, EnrolmentTicket(ticket: Self.ticket(of: typed.account), account: account, isFresh: true, expiresIn: 300))
        case "/backend/codes":
            // A door of the back end's own: a code by text message, and a ticket for who knows it.
            struct Typed: Decodable { var phone, code: String }
            _ = try dpop(request)
            let typed = try StrictJSON.decodeIgnoringUnknown(Typed.self, from: request.body)
            guard typed.code == Self.textedCode else { throw VerificationError.wrongSignature }
            return respond(
                200,
                EnrolmentTicket(
                    ticket: Self.ticket(of: typed.phone), account: Self.id(of: typed.phone), isFresh: true, expiresIn: 300))
        case "/v1/devices":
            let jkt = try dpop(request).jkt
            guard !state.withLock({ $0.refusesEnrolment }) else { throw VerificationError.wrongSignature }
            let enrol = try WireJSON.decode(EnrolRequest.self, from: request.body)
            guard let name = Self.holder(of: enrol.ticket) else { throw VerificationError.malformed }
            var keys: [DeviceRecord.Key] = []
            for registration in enrol.keys {
                guard let jwk = registration.jwk else { throw VerificationError.malformed }
                let key = try VerifyingKey(jwk: jwk)
                if let text = registration.proof {
                    let proof = try UnverifiedProof(text)
                    try proof.verify(by: key)
                    let claims = try challenges.verify(proof.challenge, for: .enrol, at: now)
                    guard claims.cnf.jkt == jkt else { throw VerificationError.foreignKey }
                }
                let kid = registration.kind == .pin ? try UnverifiedProof(registration.proof ?? "").kid : key.thumbprint
                keys.append(.init(kid: kid, kind: registration.kind, active: registration.proof != nil))
                state.withLock { $0.keys[kid] = (key, registration.kind) }
            }
            let record = DeviceRecord(id: "device", name: enrol.name, keys: keys, enrolledAt: now, current: true)
            state.withLock { ($0.devices[jkt], $0.accounts[jkt]) = (record, name) }
            return respond(201, record)
        case "/v1/token":
            let jkt = try dpop(request).jkt
            let form = String(decoding: request.body, as: UTF8.self)
            if let ticket = form.removingPercentEncoding?.components(separatedBy: "&ticket=").last, form.contains("%3Aticket") {
                guard state.withLock({ $0.letsVisit }), let name = Self.holder(of: ticket) else {
                    throw Problem(.verificationFailed, status: 400, error: "invalid_grant")
                }
                state.withLock {
                    $0.visits[jkt] = name
                    if ticket == Self.ticket(of: name, isFresh: false) { $0.staleVisits.insert(jkt) }
                }
                return respond(200, nextToken())
            }
            if form.hasPrefix("grant_type=refresh_token") { return respond(200, nextToken()) }
            let fields = Dictionary(
                form.split(separator: "&").map {
                    ($0.prefix { $0 != "=" }, String($0.drop { $0 != "=" }.dropFirst()).replacing("%3A", with: ":"))
                }
            ) { $1 }
            if fields["subject_token_type"] == TokenExchange.accessTokenType {
                guard state.withLock({ $0.takesUnlocks }), let act = fields["act"] else {
                    throw Problem(.malformed, status: 400, error: "unsupported_grant_type")
                }
                let tokens = nextToken()
                state.withLock { $0.granted[tokens.accessToken] = act }
                return respond(200, StepUpAnswer(accessToken: tokens.accessToken, expiresIn: tokens.expiresIn))
            }
            if fields["grant_type"] == TokenExchange.grantType {
                let ticket = try exchange(fields["subject_token"] ?? "", begunBy: fields["challenge"], jkt, at: now)
                return respond(200, ExchangedTicket(ticket))
            }
            let proof = try UnverifiedProof(fields["proof"] ?? "")
            let also = try fields["also"].map { try UnverifiedProof($0) }
            guard also == nil || also?.challenge == proof.challenge else { throw VerificationError.foreignKey }
            let claims = try challenges.verify(proof.challenge, for: fields["act"] == nil ? .signIn : .stepUp, at: now)
            guard claims.act == fields["act"] else { throw VerificationError.wrongPurpose }
            state.withLock {
                $0.redeemed.append((claims, proof.challenge, fields["liveness"], [proof.kid] + (also.map { [$0.kid] } ?? [])))
            }
            guard claims.cnf.jkt == jkt, let (key, _) = state.withLock({ $0.keys[proof.kid] }),
                state.withLock({ $0.devices[jkt]?.keys.contains { $0.kid == proof.kid } ?? false })
            else { throw VerificationError.foreignKey }
            guard state.withLock({ $0.spent.insert(claims.jti).inserted }) else { throw VerificationError.replayed }
            try judge(proof, by: key, error: "invalid_grant")
            if let also {
                guard let (key, _) = state.withLock({ $0.keys[also.kid] }), also.kid != proof.kid else {
                    throw VerificationError.foreignKey
                }
                try judge(also, by: key, error: "invalid_grant")
            }
            let tokens = nextToken()
            if let act = fields["act"] { state.withLock { $0.granted[tokens.accessToken] = act } }
            return fields["act"] == nil
                ? respond(200, tokens)
                : respond(200, StepUpAnswer(accessToken: tokens.accessToken, expiresIn: tokens.expiresIn))
        case "/v1/revoke":
            _ = try dpop(request)
            state.withLock { $0.endedSessions.append(String(decoding: request.body, as: UTF8.self)) }
            return TransportResponse(status: 200, headers: [:], body: [])
        case "/v1/me":
            let proof = try dpop(request)
            if let token = request.headers["Authorization"],
                state.withLock({ $0.endedTokens.contains(String(token.dropFirst(5))) })
            {
                throw Problem(.verificationFailed, status: 401, error: "invalid_token")
            }
            if let problem = state.withLock({ $0.problem }) { throw problem }
            if let wanted = state.withLock({ $0.wanted.isEmpty ? nil : $0.wanted.removeFirst() }) {
                return TransportResponse(status: 401, headers: ["www-authenticate": wanted], body: [])
            }
            let name = state.withLock { $0.accounts[proof.jkt] ?? $0.visits[proof.jkt] } ?? ""
            return respond(
                200, Me(account: Self.id(of: name), name: name, device: proof.jkt, acr: "x", amr: [], authTime: now)
            )
        case "/v1/tickets":
            let jkt = try dpop(request).jkt
            guard !state.withLock({ $0.staleVisits.contains(jkt) }) else {
                let challenge = StepUpChallenge(maximumAge: .seconds(300))
                return TransportResponse(
                    status: 401, headers: ["www-authenticate": challenge.header(scheme: .dpop)], body: [])
            }
            guard let name = state.withLock({ $0.visits[jkt] }), state.withLock({ $0.exchangedVisits.insert(jkt).inserted })
            else { throw Problem(.verificationFailed, status: 403) }
            return respond(
                200, EnrolmentTicket(ticket: Self.ticket(of: name), account: Self.id(of: name), isFresh: true, expiresIn: 300))
        case "/v1/password":
            _ = try dpop(request)
            let wanted = try WireJSON.decode(PasswordChangeRequest.self, from: request.body)
            guard wanted.password.count >= 15 else { throw Problem(.malformed, status: 400) }
            // A token is for one use.
            let token = String(request.headers["Authorization"]?.dropFirst(5) ?? "")
            guard state.withLock({ $0.granted.removeValue(forKey: token) }) == "change-password" else {
                let challenge = StepUpChallenge(maximumAge: .zero, ask: ActionAsk("change-password"))
                return TransportResponse(
                    status: 401, headers: ["www-authenticate": challenge.header(scheme: .dpop)], body: [])
            }
            state.withLock { $0.changedPassword = wanted.password }
            return TransportResponse(status: 204, headers: [:], body: [])
        case "/v1/devices/current" where request.method == "GET":
            return respond(200, try record(try dpop(request).jkt))
        case "/v1/devices/current/keys":
            let jkt = try dpop(request).jkt
            try change(try WireJSON.decode(KeyChangeRequest.self, from: request.body), jkt, at: now)
            return respond(200, try record(jkt))
        case "/v1/devices/current":
            let jkt = try dpop(request).jkt
            guard state.withLock({ $0.devices.removeValue(forKey: jkt) }) != nil else { throw Problem(.notFound, status: 404) }
            return TransportResponse(status: 204, headers: [:], body: [])
        default: throw Problem(.notFound, status: 404)
        }
    }

    private func record(_ jkt: String) throws -> DeviceRecord {
        guard let record = state.withLock({ $0.devices[jkt] }) else { throw Problem(.notFound, status: 404) }
        return record
    }

    /// Exchanges an ID token; the real server's judgement in short.
    private func exchange(
        _ token: String, begunBy challenge: String?, _ jkt: String, at now: UnixTime
    ) throws -> EnrolmentTicket {
        struct Claims: Decodable {
            enum CodingKeys: String, CodingKey {
                case iss, aud, sub, nonce, iat, exp
                case authTime = "auth_time"
            }
            var iss, aud, sub, nonce: String
            var iat, exp: UnixTime
            var authTime: UnixTime?
        }
        guard let provider = state.withLock({ $0.provider }) else {
            throw Problem(.malformed, status: 400, error: "unsupported_grant_type")
        }
        guard let jws = CompactJWS(token), provider.key.isValid(jws.signature, for: jws.signingInput),
            let claims = try? StrictJSON.decodeIgnoringUnknown(Claims.self, from: jws.payload),
            claims.iss == provider.issuer, claims.aud == provider.audience, TokenExchange.names(claims.nonce, key: jkt),
            now < claims.exp,
            now - claims.iat < .seconds(600)
        else { throw Problem(.verificationFailed, status: 400, error: "invalid_grant") }
        let began = try challenge.map { try challenges.verify($0, for: .enrol, youngerThan: .seconds(660), at: now) }
        guard began?.cnf.jkt ?? jkt == jkt else {
            throw Problem(.verificationFailed, status: 400, error: "invalid_grant")
        }
        let isFresh = began.flatMap { began in claims.authTime.map { TokenExchange.isFresh($0, since: began.iat) } } ?? false
        state.withLock { $0.exchanges.append((hasChallenge: began != nil, isFresh: isFresh)) }
        let ticket = Self.ticket(of: claims.sub, isFresh: isFresh)
        return EnrolmentTicket(ticket: ticket, account: Self.id(of: claims.sub), isFresh: isFresh, expiresIn: 300)
    }

    /// Exchanges one key of a device; the real server's table in short.
    private func change(_ request: KeyChangeRequest, _ jkt: String, at now: UnixTime) throws {
        let text = request.proof ?? request.key?.proof ?? ""
        let claims = try challenges.verify(try UnverifiedProof(text).challenge, for: .manage, at: now)
        guard claims.cnf.jkt == jkt, let change = claims.act.flatMap(KeyChange.init(rawValue:)),
            state.withLock({ $0.spent.insert(claims.jti).inserted }), var keys = state.withLock({ $0.devices[jkt]?.keys })
        else { throw VerificationError.replayed }
        if let proof = try request.proof.map({ try UnverifiedProof($0) }) {
            guard let (key, kind) = state.withLock({ $0.keys[proof.kid] }), keys.contains(where: { $0.kid == proof.kid })
            else { throw VerificationError.unknownKey }
            let payers: [KeyKind] =
                switch change {
                case .setPIN: [.biometric, .passcode]
                case .changePIN, .removePIN: [.pin, .biometric]
                case .resetPIN: []
                case .replaceBiometric: state.withLock { $0.letsPasscodeReplaceBiometricKey } ? [.passcode] : []
                case .removeBiometric: [.biometric, .passcode, .pin]
                }
            guard payers.contains(kind) else { throw VerificationError.unknownKey }
            try judge(proof, by: key)
        } else {
            let owners = state.withLock { $0.accounts[jkt] }.map { Self.ticket(of: $0) }
            guard request.ticket == owners, [.resetPIN, .replaceBiometric].contains(change) else {
                throw VerificationError.unknownKey
            }
        }
        keys.removeAll { $0.kind == change.kind }
        if let registration = request.key, let jwk = registration.jwk {
            let (key, proof) = (try VerifyingKey(jwk: jwk), try UnverifiedProof(registration.proof ?? ""))
            guard proof.kid == claims.kids[0] else { throw VerificationError.unknownKey }
            try proof.verify(by: key)
            keys.append(.init(kid: proof.kid, kind: change.kind, active: true))
            state.withLock { $0.keys[proof.kid] = (key, change.kind) }
        }
        state.withLock { $0.devices[jkt]?.keys = keys }
    }

    /// The id of the account of this name.
    package static func id(of name: String) -> String { "account of \(name)" }

    /// The ticket of a full sign-in. One that is not fresh changes no keys.
    private static func ticket(of name: String, isFresh: Bool = true) -> String { "\(isFresh ? "" : "stale ")ticket of \(name)" }

    /// The name of the account of a ticket; nil for what is none.
    private static func holder(of ticket: String) -> String? {
        for isFresh in [true, false] where ticket.hasPrefix(Self.ticket(of: "", isFresh: isFresh)) {
            return String(ticket.dropFirst(Self.ticket(of: "", isFresh: isFresh).count))
        }
        return nil
    }

    private func judge(_ proof: UnverifiedProof, by key: VerifyingKey, error code: String? = nil) throws {
        do {
            try proof.verify(by: key)
            state.withLock { $0.wrongPINs[proof.kid] = 0 }
        } catch {
            guard state.withLock({ $0.keys[proof.kid]?.kind == .pin }) else { throw error }
            let count = state.withLock { state in
                state.wrongPINs[proof.kid, default: 0] += 1
                return state.wrongPINs[proof.kid, default: 0]
            }
            throw Problem(.verificationFailed, status: 400, error: code, triesLeft: max(0, PINLedger.limit - count))
        }
    }

    private func nextToken() -> TokenAnswer {
        let number = state.withLock { state in
            state.tokens += 1
            return state.tokens
        }
        return TokenAnswer(accessToken: "access-\(number)", expiresIn: 300, refreshToken: "refresh \(number)")
    }

    private func dpop(_ request: TransportRequest) throws -> DPoPProof {
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
        } catch VerificationError.nonceNeeded {
            throw Problem(.verificationFailed, status: 401, error: "use_dpop_nonce")
        }
    }

    private func respond(_ status: Int, _ body: some Encodable) -> TransportResponse {
        TransportResponse(status: status, headers: ["dpop-nonce": state.withLock { $0.nonce }], body: WireJSON.encode(body))
    }
}

extension Problem: Error {}
