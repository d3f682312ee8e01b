import Foundation
public import ThumbturnCore

/// A live session: tokens bound to this device's session key. It has no description, so it cannot reach a log.
public struct Session: Sendable, CustomStringConvertible, CustomReflectable {
    public let accessToken: String
    let refreshToken: String
    public let expiresAt: UnixTime

    public var description: String { "Session" }
    public var customMirror: Mirror { Mirror(self, children: []) }

    init(_ answer: TokenAnswer, at now: UnixTime) {
        accessToken = answer.accessToken
        refreshToken = answer.refreshToken
        expiresAt = now + .seconds(answer.expiresIn)
    }
}

extension Authenticator {
    /// Sends a request to the server in the name of the signed-in person. A token that has run out is refreshed once.
    ///
    /// - Returns: the body of the answer.
    public func send(_ method: String, _ path: String, json: [UInt8]? = nil) async throws(Failure) -> [UInt8] {
        let body = json.map(ServerConnection.Body.json) ?? .none
        guard var session = try await storedSession() else { throw Failure(.refused, recovery: .fallBack(.biometric)) }
        if session.expiresAt <= platform.clock.civilTime { session = try await refresh() }
        do throws(Failure) {
            return try await connection.send(method, path, body, token: session.accessToken).body
        } catch {
            guard error.status == Failure.PlatformStatus(domain: "HTTP", code: 401) else { throw error }
            // The device's clock may be wrong about the token's age, so the server's word counts, once.
            session = try await refresh()
            return try await connection.send(method, path, body, token: session.accessToken).body
        }
    }

    /// Who the session speaks for.
    public func me() async throws(Failure) -> Me {
        try decode(Me.self, try await send("GET", "/v1/me"))
    }

    /// The devices of this account.
    public func devices() async throws(Failure) -> [DeviceRecord] {
        try decode(DeviceList.self, try await send("GET", "/v1/devices")).devices
    }

    /// Exchanges the refresh token for new tokens. No presence is proved: the claim `auth_time` does not move.
    ///
    /// Repeating it after a lost answer is safe: the server gives the same successor again.
    @discardableResult
    public func refresh() async throws(Failure) -> Session {
        guard let session = try await storedSession() else { throw Failure(.refused, recovery: .fallBack(.biometric)) }
        return try await token([("grant_type", "refresh_token"), ("refresh_token", session.refreshToken)])
    }

    /// Exchanges a proof for tokens.
    package func redeem(_ proof: Proof) async throws(Failure) -> Session {
        try await token([("grant_type", proofGrantType), ("proof", proof.jws)])
    }

    func forgetSession() async throws(Failure) {
        try await platform.secrets.delete(sessionName)
    }

    private func token(_ form: [(String, String)]) async throws(Failure) -> Session {
        let answer = try await connection.send("POST", "/v1/token", .form(form), expecting: TokenAnswer.self)
        guard answer.tokenType == "DPoP" else { throw Failure(.unexpectedAnswer, recovery: .report) }
        let session = Session(answer, at: platform.clock.civilTime)
        let stored = StoredSession(
            accessToken: session.accessToken, refreshToken: session.refreshToken, expiresAt: session.expiresAt
        )
        try await platform.secrets.write(Signing.encode(stored), as: sessionName)
        return session
    }

    private func storedSession() async throws(Failure) -> Session? {
        guard let bytes = try await platform.secrets.read(sessionName),
            let stored = try? JSONDecoder().decode(StoredSession.self, from: Data(bytes))
        else { return nil }
        let now = platform.clock.civilTime
        let left = max(.zero, stored.expiresAt - now).components.seconds
        return Session(
            TokenAnswer(accessToken: stored.accessToken, expiresIn: left, refreshToken: stored.refreshToken), at: now
        )
    }

    private struct StoredSession: Codable {
        var accessToken: String
        var refreshToken: String
        var expiresAt: UnixTime
    }

    private var sessionName: String {
        let key = name(of: .session)
        return "session \(key.server) \(key.account)"
    }

    private func decode<Answer: Message>(_ type: Answer.Type, _ bytes: [UInt8]) throws(Failure) -> Answer {
        guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(bytes)) else {
            throw Failure(.unexpectedAnswer, recovery: .report)
        }
        return answer
    }
}
