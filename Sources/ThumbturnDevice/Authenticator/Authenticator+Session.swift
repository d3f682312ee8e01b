import Foundation
public import ThumbturnCore
import ThumbturnMessages

/// A live session: tokens bound to this device's session key. It has no description, so it cannot reach a log.
public struct DeviceSession: Sendable, Redacted {
    /// For requests to this server's resources, with a DPoP proof of the session key; alone it is useless.
    public let accessToken: String
    /// Nil after a step-up: what was proved for one action ends with its token.
    let refreshToken: String?
    /// When the access token runs out, by the device's clock.
    public let expiresAt: UnixTime
}

extension Authenticator {
    /// Sends a request to the server in the name of the signed-in person. A token that has run out is refreshed once.
    ///
    /// - Returns: the body of the answer.
    /// - Throws: `sessionOver` where nobody is signed in or the session has ended; `refused`, `unreachable`,
    ///   `unexpectedAnswer`.
    public func send(_ method: String, _ path: String, json: [UInt8]? = nil) async throws(Failure) -> [UInt8] {
        guard let live = try await liveEnrolment() else { throw Failure(.notEnrolled) }
        return try await send(method, path, json: json, in: live)
    }

    /// Sends a request that does one action, with the last step-up's token where that stands for it. Where the resource wants a step-up
    /// (RFC 9470), the person is asked, and the request is sent once more.
    ///
    /// What is signed is the action and the amount that the app names here, and shows. A resource that names another one gets nothing.
    ///
    /// - Returns: the body of the answer.
    /// - Throws: what `send` and `stepUp` throw; `refused` where the resource wants more than this device can show, or wants a step-up
    ///   again.
    public func send(
        _ method: String, _ path: String, json: [UInt8]? = nil, doing action: StepUpAction, amount: Money? = nil, _ reason: String,
        policy: UnlockPolicy = .highRisk, liveness: (any LivenessCheck)? = nil
    ) async throws(Failure) -> [UInt8] {
        try check(reason)
        guard let live = try await liveEnrolment() else { throw Failure(.notEnrolled) }
        let body = json.map(ServerConnection.Body.json) ?? .none
        let ask = ActionAsk(action.name, amount: amount)
        let before = try await reusable(for: action, ask, policy, withLiveness: liveness != nil)
        switch try await reach(method, path, body, with: before?.session, in: live) {
        case .answer(let answer): return answer.body
        case .stepUp(let wanted):
            guard wanted.ask == nil || wanted.ask == ask else { throw Failure(.unexpectedAnswer) }
            // Another prompt does not raise what a key is trusted for.
            guard wanted.acrValues.isEmpty else { throw Failure(.refused) }
        }
        let fresh = try await stepUp(for: action, amount, reason, policy, liveness, mayReuse: false).session
        guard let live = try await liveEnrolment() else { throw Failure(.notEnrolled) }
        switch try await reach(method, path, body, with: fresh, in: live) {
        case .answer(let answer): return answer.body
        case .stepUp: throw Failure(.refused)
        }
    }

    /// - Parameter stepUp: one whose token goes first, if there is one.
    private func reach(
        _ method: String, _ path: String, _ body: ServerConnection.Body, with stepUp: DeviceSession?, in enrolment: Int
    ) async throws(Failure) -> ServerConnection.Reached {
        let key = name(of: .session, in: enrolment)
        if let stepUp {
            do throws(Failure) {
                return try await connection.reach(method, path, body, token: stepUp.accessToken, key: key)
            } catch {
                // It is over, by the server's clock or because somebody ended it; the session may live.
                guard error.code == .sessionOver else { throw error }
            }
        }
        var session = try await storedSession(of: enrolment)
        if session.expiresAt <= platform.clock.civilTime { session = try await refresh(enrolment) }
        do throws(Failure) {
            return try await connection.reach(method, path, body, token: session.accessToken, key: key)
        } catch {
            // As in `send`.
            guard error.code == .sessionOver else { throw error }
            session = try await refresh(enrolment)
            return try await connection.reach(method, path, body, token: session.accessToken, key: key)
        }
    }

    private func send(_ method: String, _ path: String, json: [UInt8]? = nil, in enrolment: Int) async throws(Failure) -> [UInt8]
    {
        let key = name(of: .session, in: enrolment)
        let body = json.map(ServerConnection.Body.json) ?? .none
        var session = try await storedSession(of: enrolment)
        if session.expiresAt <= platform.clock.civilTime { session = try await refresh(enrolment) }
        do throws(Failure) {
            return try await connection.send(method, path, body, token: session.accessToken, key: key).body
        } catch {
            guard error.code == .sessionOver else { throw error }
            // The device's clock may be wrong about the token's age, so the server's word counts, once.
            session = try await refresh(enrolment)
            return try await connection.send(method, path, body, token: session.accessToken, key: key).body
        }
    }

    /// The account and the device that are signed in, as the server knows them.
    public func me() async throws(Failure) -> SignedInAccount {
        SignedInAccount(try decode(Me.self, try await send("GET", "/v1/me")))
    }

    /// The devices of this account that are not revoked, oldest first.
    public func devices() async throws(Failure) -> [EnrolledDevice] {
        try decode(DeviceList.self, try await send("GET", "/v1/devices")).devices.map(EnrolledDevice.init)
    }

    /// Exchanges the refresh token for new tokens. No presence is proved: the claim `auth_time` does not move.
    ///
    /// Repeating it after a lost answer is safe: the server gives the same successor again.
    ///
    /// - Throws: `sessionOver` where nobody is signed in or the session has ended; `unreachable`, `unexpectedAnswer`.
    @discardableResult
    public func refresh() async throws(Failure) -> DeviceSession {
        guard let live = try await liveEnrolment() else { throw Failure(.notEnrolled) }
        return try await refresh(live)
    }

    /// Exchanges one key's proof, or two keys', for a session.
    package func redeem(_ proofs: [Proof]) async throws(Failure) -> DeviceSession {
        guard let live = try await liveEnrolment() else { throw Failure(.notEnrolled) }
        let session = try await token(try form(proofs), live)
        // Whoever signs in anew begins anew.
        lastStepUp = nil
        // The enrolment may have been ended while the server answered; then nothing is kept.
        if try await liveEnrolment() == live { try await keep(session, live) }
        return session
    }

    /// Exchanges proofs for a token for one action. The session stays as it is.
    func redeem(
        _ proofs: [Proof], for ask: ActionAsk, with evidence: LivenessEvidence?
    ) async throws(Failure) -> DeviceSession {
        guard let live = try await liveEnrolment() else { throw Failure(.notEnrolled) }
        var form = try form(proofs) + [("act", ask.text)]
        if let evidence { form.append(("liveness", evidence.jws)) }
        let answer = try await connection.send(
            "POST", "/v1/token", .form(form), key: name(of: .session, in: live), expecting: StepUpAnswer.self
        )
        // One at a time: the one before stands for nothing any more.
        lastStepUp = nil
        return try session(answer.accessToken, answer.tokenType, answer.expiresIn)
    }

    private func form(_ proofs: [Proof]) throws(Failure) -> [(String, String)] {
        guard (1...2).contains(proofs.count) else { throw Failure(.policyDenies) }
        let form = [("grant_type", proofGrantType), ("proof", proofs[0].jws)]
        return proofs.count == 2 ? form + [("also", proofs[1].jws)] : form
    }

    func forgetSession(of enrolment: Int) async throws(Failure) {
        try await platform.secrets.delete(sessionName(enrolment))
    }

    private func refresh(_ enrolment: Int) async throws(Failure) -> DeviceSession {
        guard let exchanged = try await storedSession(of: enrolment).refreshToken else {
            preconditionFailure("what is kept can be refreshed")
        }
        do throws(Failure) {
            let session = try await token([("grant_type", "refresh_token"), ("refresh_token", exchanged)], enrolment)
            // A slow answer must not overwrite a newer session, nor bring back one that was ended meanwhile.
            if try await storedSession(of: enrolment).refreshToken == exchanged { try await keep(session, enrolment) }
            return session
        } catch {
            guard error.code == .refused else { throw error }
            throw Failure(.sessionOver, status: error.status)
        }
    }

    private func token(_ form: [(String, String)], _ enrolment: Int) async throws(Failure) -> DeviceSession {
        let answer = try await connection.send(
            "POST", "/v1/token", .form(form), key: name(of: .session, in: enrolment), expecting: TokenAnswer.self
        )
        return try session(answer.accessToken, answer.tokenType, answer.expiresIn, refreshToken: answer.refreshToken)
    }

    private func session(
        _ accessToken: String, _ type: String, _ expiresIn: Int64, refreshToken: String? = nil
    ) throws(Failure) -> DeviceSession {
        guard type == "DPoP" else { throw Failure(.unexpectedAnswer) }
        return DeviceSession(
            accessToken: accessToken, refreshToken: refreshToken, expiresAt: platform.clock.civilTime + .seconds(expiresIn))
    }

    private func keep(_ session: DeviceSession, _ enrolment: Int) async throws(Failure) {
        guard let stored = StoredSession(session) else { preconditionFailure("what is kept can be refreshed") }
        try await platform.secrets.write(Signing.encode(stored), as: sessionName(enrolment))
    }

    private func storedSession(of enrolment: Int) async throws(Failure) -> DeviceSession {
        guard let bytes = try await platform.secrets.read(sessionName(enrolment)),
            let stored = try? JSONDecoder().decode(StoredSession.self, from: Data(bytes))
        else { throw Failure(.sessionOver) }
        return stored.session
    }

    private nonisolated func sessionName(_ enrolment: Int) -> String {
        let key = name(of: .session, in: enrolment)
        return "session \(key.server) \(key.account) \(enrolment)"
    }

    private func decode<Answer: Message>(_ type: Answer.Type, _ bytes: [UInt8]) throws(Failure) -> Answer {
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(bytes)) else {
            throw Failure(.unexpectedAnswer)
        }
        return answer
    }
}

/// How a session is kept.
private struct StoredSession: Codable {
    var accessToken: String
    var refreshToken: String
    var expiresAt: UnixTime

    init?(_ session: DeviceSession) {
        guard let refreshToken = session.refreshToken else { return nil }
        accessToken = session.accessToken
        self.refreshToken = refreshToken
        expiresAt = session.expiresAt
    }

    var session: DeviceSession { DeviceSession(accessToken: accessToken, refreshToken: refreshToken, expiresAt: expiresAt) }
}
