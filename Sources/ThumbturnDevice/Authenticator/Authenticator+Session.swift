public import ThumbturnCore
import ThumbturnMessages
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A live session: tokens that are bound to this device's session key. It prints as its type's name, so it cannot reach
/// a log.
public struct DeviceSession: Sendable, Redacted {
    /// The token for requests to this server's resources. Each request needs a DPoP proof of the session key beside it;
    /// without one the token is useless.
    public let accessToken: String
    /// Nil after a step-up: what was proved for one action ends with its token.
    let refreshToken: String?
    /// When the access token expires, by the device's clock.
    public let expiresAt: UnixTime
}

// MARK: - Requests

extension Authenticator {
    /// Sends a request to the server in the name of the signed-in person. A token that has expired is refreshed once.
    /// `longestAnswer` is the most bytes of the answer's body, after decompression.
    ///
    /// - Returns: the body of the answer.
    /// - Throws: `sessionOver` where there is no session or it has ended; `refused`, `unreachable`; `unexpectedAnswer`,
    ///   also for an answer that is longer.
    public func send(
        _ method: String, to path: String, json: [UInt8]? = nil, longestAnswer: Int = 256 * 1024
    ) async throws(Failure) -> [UInt8] {
        // Before a token is refreshed for it.
        _ = try connection.address(of: path)
        let body = ServerConnection.Body(json: json)
        let response = try await withSession(of: try await sessionNumber()) { [connection] (token, key) async throws(Failure) in
            try await connection.send(method, to: path, body: body, token: token, key: key, longestAnswer: longestAnswer)
        }
        return response.body
    }

    /// Sends a request that does one action, with the last step-up's token where that is recent enough. Where the
    /// resource demands a step-up (RFC 9470), the person is asked, and the request is sent once more.
    ///
    /// What is signed is the action and the amount that the app names here, and shows. A resource that names another
    /// one gets nothing.
    ///
    /// - Returns: the body of the answer.
    /// - Throws: what `send` and `stepUp` throw; `refused` where the resource demands more than this device can prove,
    ///   or demands a step-up again.
    public func send(
        _ method: String, to path: String, json: [UInt8]? = nil, for action: StepUpAction, amount: Money? = nil, reason: String,
        policy: UnlockPolicy = .highRisk, liveness: (any LivenessCheck)? = nil
    ) async throws(Failure) -> [UInt8] {
        // Before a token is refreshed, or the person asked.
        _ = try connection.address(of: path)
        let demand = try stepUpDemand(for: action, amount: amount, reason: reason, policy: policy, liveness: liveness)
        let request = ResourceRequest.here(method, path, .init(json: json))
        let earlier = try await reusableStepUp(for: demand)
        return try await reach(request, with: earlier?.session, proving: prove(demand, mayReuse: earlier == nil)).body
    }

    /// The account that the session belongs to.
    public func me() async throws(Failure) -> SignedInAccount {
        let me = try decode(Me.self, from: try await send("GET", to: "/v1/me"))
        // They are printed, and an app may show them.
        guard ([me.acr] + me.amr).allSatisfy(ShownText.identifier.holds) else { throw Failure(.unexpectedAnswer) }
        return SignedInAccount(me)
    }

    /// Makes a request. Where the resource demands a proof of presence (RFC 9470), it is given once, and the request is
    /// made once more; where an unlock stood in and the resource takes none, the person is asked then.
    ///
    /// - Parameters:
    ///   - stepUp: the step-up whose token is tried first, if there is one.
    ///   - prove: has the person prove presence for the action that the resource names, if it names one. Returns the step-up;
    ///     nil where the stored session proves it now.
    func reach(
        _ request: ResourceRequest, with stepUp: DeviceSession? = nil,
        proving prove: (_ asked: ActionAsk?) async throws(Failure) -> DeviceSession?
    ) async throws(Failure) -> TransportResponse {
        switch try await reach(request, with: stepUp) {
        case .answer(let answer): return answer
        case .stepUp(let wanted):
            try await checkIsProvable(wanted)
            let proof = try await prove(wanted.ask)
            switch try await reach(request, with: proof) {
            case .answer(let answer): return answer
            case .stepUp(let again):
                guard let proof, forgetUnlock(behind: proof) else { throw Failure(.refused) }
                try await checkIsProvable(again)
                switch try await reach(request, with: try await prove(again.ask)) {
                case .answer(let answer): return answer
                case .stepUp: throw Failure(.refused)
                }
            }
        }
    }

    private func reach(
        _ request: ResourceRequest, with stepUp: DeviceSession?
    ) async throws(Failure) -> ServerConnection.Reached {
        if let stepUp {
            let key = name(of: .session, in: try await requireEnrolment())
            do throws(Failure) {
                return try await connection.reach(request, token: stepUp.accessToken, key: key)
            } catch {
                // The step-up is over, by the server's clock or because it was revoked; the session may live.
                guard error.code == .sessionOver else { throw error }
            }
        }
        return try await withSession(of: try await sessionNumber()) { [connection] (token, key) async throws(Failure) in
            try await connection.reach(request, token: token, key: key)
        }
    }

    /// Makes a request with the session's access token, and once more with a fresh one where the server reports that it
    /// is over: the device's clock may be wrong about the token's age.
    private func withSession<Answer: Sendable>(
        of enrolment: Int, _ request: (_ token: String, _ key: KeyName) async throws(Failure) -> Answer
    ) async throws(Failure) -> Answer {
        let key = name(of: .session, in: enrolment)
        var session = try await liveSession(of: enrolment)
        do throws(Failure) {
            return try await request(session.accessToken, key)
        } catch {
            guard error.code == .sessionOver else { throw error }
            session = try await refresh(enrolment)
            return try await request(session.accessToken, key)
        }
    }

    /// The number of the session that requests are made with: the visit's, where a full sign-in was the last one, or the live
    /// enrolment's. Both are of one account.
    func sessionNumber() async throws(Failure) -> Int {
        let journal = try await enrolments()
        guard let number = journal.visit(of: keeper) ?? journal.live else { throw Failure(.notEnrolled) }
        return number
    }

    /// A stored session, refreshed where its token has expired by this device's clock.
    func liveSession(of number: Int) async throws(Failure) -> DeviceSession {
        let session = try await storedSession(of: number)
        return session.expiresAt <= platform.clock.civilTime ? try await refresh(number) : session
    }

    func requireEnrolment() async throws(Failure) -> Int {
        guard let live = try await liveEnrolment() else { throw Failure(.notEnrolled) }
        return live
    }

    func decode<Answer: Message>(_ type: Answer.Type, from bytes: [UInt8]) throws(Failure) -> Answer {
        guard let answer = try? StrictJSON.decodeIgnoringUnknown(Answer.self, from: bytes) else {
            throw Failure(.unexpectedAnswer)
        }
        return answer
    }
}

// MARK: - Tokens

extension Authenticator {
    /// Exchanges the refresh token for new tokens. It proves no presence: the claim `auth_time` does not move.
    ///
    /// Repeating it after a lost answer is safe: the server gives the same successor again.
    ///
    /// - Throws: `sessionOver` where there is no session or it has ended; `unreachable`, `unexpectedAnswer`.
    @discardableResult
    public func refresh() async throws(Failure) -> DeviceSession {
        try await refresh(try await sessionNumber())
    }

    /// Exchanges the proofs of `proof(_:policy:)` for a session, and keeps it.
    package func redeem(_ proofs: [Proof]) async throws(Failure) -> DeviceSession {
        let act = try await act()
        let session = try await session(for: proofs)
        try await keep(session, since: act) { () async throws(Failure) in try await act.check(for: .samePlace) }
        return session
    }

    /// Exchanges the proof of one key, or the proofs of two, for a session. If it is not kept, it ends at the server by its limits.
    func session(for proofs: [Proof]) async throws(Failure) -> DeviceSession {
        try await token(for: try fields(for: proofs), of: try await requireEnrolment())
    }

    /// Keeps the session that keys opened, in place of the last one.
    ///
    /// - Parameters:
    ///   - act: what opened it.
    ///   - check: throws if the act no longer counts.
    func keep(_ session: DeviceSession, since act: PersonAct, check: AskCheck) async throws(Failure) {
        // Other processes may have changed the place several times since the act began.
        guard let live = act.mark.number else { throw Failure(.notEnrolled) }
        // A new sign-in ends the last step-up.
        lastStepUp = nil
        try await keep(session, of: live, since: act)
        do throws(Failure) {
            try await check()
        } catch {
            // The person signed out, or the enrolment ended, while it was written. Whatever ends an enrolment writes that into the
            // journal first and deletes the session then, so one of the two finds this session.
            try await forgetSession(of: live)
            throw error
        }
        // There is one session at a time: a key's takes the place of a visit's.
        await endVisit()
    }

    /// Exchanges proofs for a token for one action. The session stays as it is.
    func redeem(
        _ proofs: [Proof], for action: ActionAsk, with evidence: LivenessEvidence?
    ) async throws(Failure) -> DeviceSession {
        let live = try await requireEnrolment()
        var fields = try fields(for: proofs) + [("act", action.text)]
        if let evidence { fields.append(("liveness", evidence.jws)) }
        let answer = try await connection.send(
            "POST", to: "/v1/token", body: .form(fields), key: name(of: .session, in: live), expecting: StepUpAnswer.self
        )
        // There is one step-up at a time: this one ends the last.
        lastStepUp = nil
        return try session(answer.accessToken, type: answer.tokenType, expiresIn: answer.expiresIn)
    }

    /// Exchanges a session's access token for one for an action (RFC 8693), where the server takes its unlock for it.
    func exchange(_ unlocked: DeviceSession, for action: ActionAsk) async throws(Failure) -> DeviceSession {
        let live = try await requireEnrolment()
        let fields = [
            ("grant_type", TokenExchange.grantType), ("subject_token", unlocked.accessToken),
            ("subject_token_type", TokenExchange.accessTokenType), ("act", action.text),
        ]
        let answer = try await connection.send(
            "POST", to: "/v1/token", body: .form(fields), key: name(of: .session, in: live), expecting: StepUpAnswer.self
        )
        return try session(answer.accessToken, type: answer.tokenType, expiresIn: answer.expiresIn)
    }

    private func fields(for proofs: [Proof]) throws(Failure) -> [(String, String)] {
        guard (1...2).contains(proofs.count) else { throw Failure(.policyDenies) }
        let fields = [("grant_type", proofGrantType), ("proof", proofs[0].jws)]
        return proofs.count == 2 ? fields + [("also", proofs[1].jws)] : fields
    }

    private func refresh(_ enrolment: Int) async throws(Failure) -> DeviceSession {
        let (bytes, exchanged) = try await sessionRecord(of: enrolment)
        do throws(Failure) {
            let fields = [("grant_type", "refresh_token"), ("refresh_token", exchanged.refreshToken)]
            let answer = try await token(for: fields, of: enrolment)
            // A slow answer must not overwrite a newer session, nor bring back one that was ended meanwhile.
            try await replaceSession(bytes, by: Self.record(of: answer), of: enrolment)
            return answer
        } catch {
            guard error.code == .refused else { throw error }
            throw Failure(.sessionOver, status: error.status)
        }
    }

    func token(for fields: [(String, String)], of enrolment: Int) async throws(Failure) -> DeviceSession {
        let answer = try await connection.send(
            "POST", to: "/v1/token", body: .form(fields), key: name(of: .session, in: enrolment), expecting: TokenAnswer.self
        )
        return try session(
            answer.accessToken, type: answer.tokenType, expiresIn: answer.expiresIn, refreshToken: answer.refreshToken
        )
    }

    private func session(
        _ accessToken: String, type: String, expiresIn: Int64, refreshToken: String? = nil
    ) throws(Failure) -> DeviceSession {
        guard type == "DPoP", EchoedText.isAccessToken(accessToken), refreshToken.map(EchoedText.isOpaqueToken) ?? true
        else { throw Failure(.unexpectedAnswer) }
        return DeviceSession(
            accessToken: accessToken, refreshToken: refreshToken, expiresAt: platform.clock.civilTime + .seconds(expiresIn)
        )
    }
}

// MARK: - Storage

extension Authenticator {
    /// - Parameter act: what opened it.
    func keep(_ session: DeviceSession, of enrolment: Int, since act: PersonAct) async throws(Failure) {
        let record = Self.record(of: session)
        switch sessionKeeping {
        case .stored: try await platform.secrets.write(record, as: sessionName(enrolment))
        case .untilLock:
            // One that was stored before the app chose this must not outlive it.
            try await platform.secrets.delete(sessionName(enrolment))
            heldSessions[enrolment] = HeldSession(bytes: record, act: act)
        }
    }

    func forgetSession(of enrolment: Int) async throws(Failure) {
        heldSessions[enrolment] = nil
        try await platform.secrets.delete(sessionName(enrolment))
    }

    private func replaceSession(_ old: [UInt8], by new: [UInt8], of enrolment: Int) async throws(Failure) {
        switch sessionKeeping {
        case .stored: _ = try await platform.secrets.replace(old, by: new, as: sessionName(enrolment))
        case .untilLock: if heldSessions[enrolment]?.bytes == old { heldSessions[enrolment]?.bytes = new }
        }
    }

    private static func record(of session: DeviceSession) -> [UInt8] {
        guard let stored = StoredSession(session) else { preconditionFailure("a stored session has a refresh token") }
        return StoredRecord.encode(stored)
    }

    private func storedSession(of enrolment: Int) async throws(Failure) -> DeviceSession {
        try await sessionRecord(of: enrolment).stored.session
    }

    func sessionRecord(of enrolment: Int) async throws(Failure) -> (bytes: [UInt8], stored: StoredSession) {
        guard let bytes = try await sessionBytes(of: enrolment),
            let stored = try? JSONDecoder().decode(StoredSession.self, from: Data(bytes))
        else { throw Failure(.sessionOver) }
        return (bytes, stored)
    }

    private func sessionBytes(of enrolment: Int) async throws(Failure) -> [UInt8]? {
        switch sessionKeeping {
        case .stored: return try await platform.secrets.readable(sessionName(enrolment))
        case .untilLock:
            guard let held = heldSessions[enrolment], await held.act.counts(for: .samePerson) else { return nil }
            return held.bytes
        }
    }

    /// Takes a session that is over out of memory or storage, with its refresh token, by which the server can be told.
    func takeSession(of number: Int) async -> String? {
        let token = takeHeldSessions { $0 == number }.first?.refreshToken
        guard sessionKeeping == .stored else { return token }
        let stored = try? await sessionRecord(of: number)
        try? await forgetSession(of: number)
        return stored?.stored.refreshToken
    }

    /// Ends the sessions in memory that a lock or a dismissal has ended, at the server as well. One that it could not be told
    /// of is tried again at the next lock.
    func endVoidedSessions() async {
        let voided = heldSessions.filter { !$1.act.isLive }.map(\.key)
        let ended = untoldSessions + takeHeldSessions { voided.contains($0) }
        untoldSessions = []
        for (number, refreshToken) in ended {
            do throws(Failure) {
                try await revoke(refreshToken, of: number)
            } catch {
                if error.code == .unreachable { untoldSessions.append((number, refreshToken)) }
            }
        }
    }

    /// Takes sessions out of memory.
    func takeHeldSessions(where isTaken: (_ number: Int) -> Bool = { _ in true }) -> [(number: Int, refreshToken: String)] {
        let taken = heldSessions.filter { isTaken($0.key) }
        for number in taken.keys { heldSessions[number] = nil }
        return taken.compactMap { number, held in
            let stored = try? JSONDecoder().decode(StoredSession.self, from: Data(held.bytes))
            return stored.map { (number, $0.refreshToken) }
        }
    }

    /// Has the server end a session (RFC 7009).
    func revoke(_ refreshToken: String, of enrolment: Int) async throws(Failure) {
        try await connection.send(
            "POST", to: "/v1/revoke", body: .form([("token", refreshToken)]), key: name(of: .session, in: enrolment))
    }

    private nonisolated func sessionName(_ enrolment: Int) -> String {
        let key = name(of: .session, in: enrolment)
        return "session \(key.server) \(key.account) \(enrolment)"
    }
}

/// A session as it is stored.
struct StoredSession: Codable {
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
