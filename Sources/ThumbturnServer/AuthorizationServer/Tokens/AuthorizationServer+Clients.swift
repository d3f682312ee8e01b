#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension AuthorizationServer {
    /// The back end that made an assertion (RFC 7523 section 3). The assertion is consumed.
    func client(asserting text: String) async throws -> Client {
        do {
            let assertion = try ClientAssertion(text)
            guard let client = try await store.client(assertion.client) else { throw VerificationError.unknownKey }
            try assertion.verify(
                by: client.keys, audiences: [settings.publicURL, settings.publicURL + "/v1/token"], at: time.now
            )
            // The server no longer knows which assertions were used before this epoch began, so it refuses them all.
            let epoch = try await store.epoch()
            guard assertion.issuedAt - epoch.began > ClientAssertion.skew else { throw VerificationError.replayed }
            let spend = Spend(.assertion, id: assertion.replayKey, expiresAt: assertion.expiry, epoch: epoch.number)
            guard try await store.spend([spend]) else { throw VerificationError.replayed }
            return client
        } catch let refusal as VerificationError {
            throw RequestError.invalidClient(.init(.client, refusal))
        }
    }

    /// The token endpoint's client credentials grant (RFC 6749 section 4.4): a short-lived token for the routes of back
    /// ends, which is bound to a key of the back end's choice (RFC 9449 section 5).
    ///
    /// - Parameters:
    ///   - scope: the scopes that the client asks for, separated by spaces; nil for all that it has.
    ///   - jkt: the thumbprint of the key that signed the request's DPoP proof; nil for a request without one. Only a
    ///     client that the operator allows bearer tokens gets one then.
    func clientToken(asserting text: String, scope: String?, jkt: String?) async throws -> ClientTokenAnswer {
        let client = try await client(asserting: text)
        try admit(client)
        guard jkt != nil || client.allowsBearer else { throw RequestError.unboundToken }
        let asked = scope.map { Set($0.split(separator: " ").map(String.init)) } ?? Set(client.scopes.map(\.rawValue))
        let granted = Set(asked.compactMap(ClientScope.init)).intersection(client.scopes)
        guard granted.count == asked.count, !asked.isEmpty else {
            throw RequestError(.malformed, 400, .invalidScope, for: .init(.client, .scope))
        }
        let now = time.now
        let claims = ClientTokenClaims(
            iss: settings.publicURL, aud: settings.publicURL, client: client.id, iat: now,
            exp: now + settings.accessTokenLifetime, jti: Identifier<ClientTokenClaims>.random().text,
            scope: ClientScope.text(granted), cnf: jkt.map { KeyConfirmation(jkt: $0) }, registration: client.registration
        )
        return ClientTokenAnswer(
            accessToken: try secrets.current.signer(at: now).sign(claims), tokenType: jkt == nil ? "Bearer" : "DPoP",
            expiresIn: settings.accessTokenLifetime.components.seconds, scope: claims.scope
        )
    }

    /// The back end of a token. It is looked up for every request, so the removal of a client and a change of its
    /// registration take effect at once.
    ///
    /// - Parameter jkt: the thumbprint of the key that signed the request's DPoP proof; nil for a bearer token. A bound
    ///   token is not accepted as a bearer token, nor the reverse (RFC 9449 section 7.2).
    func client(token: String, boundTo jkt: String?) async throws -> Client {
        do {
            let claims = try ClientTokenClaims(
                verifying: token, keys: try await currentTokenKeys(), issuer: settings.publicURL,
                audience: settings.publicURL, longestLife: settings.accessTokenLifetime, at: time.now
            )
            // A client that has the name of a removed one must not be reached with the tokens of the removed one.
            guard var client = try await store.client(claims.sub),
                // A node of an older version names no registration, during the rollout of this one.
                claims.registration.map({ $0 == client.registration }) ?? (client.createdAt <= claims.iat)
            else { throw VerificationError.unknownKey }
            guard claims.cnf?.jkt == jkt, jkt != nil || client.allowsBearer else { throw VerificationError.foreignKey }
            client.scopes.formIntersection(ClientScope.known(in: claims.scope))
            return client
        } catch let refusal as VerificationError {
            let reason = LogReason(.clientToken, refusal)
            throw jkt == nil ? RequestError.invalidBearer(reason) : .invalidToken(reason)
        }
    }

    /// Counts a request of an authenticated back end. Throws if it is beyond the rate that the operator registered. The
    /// rates of approvals are the store's, and come after it.
    func admit(_ client: Client) throws(RequestError) {
        guard let rate = client.limits.requestsPerMinute else { return }
        if let wait = clientRates.wait(of: client.id, perMinute: rate, at: time.now) { throw .beyondRate(wait) }
    }
}

/// The token endpoint's answer to a back end (RFC 6749 section 5.1).
struct ClientTokenAnswer: Message, Redacted {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case accessToken = "access_token"
        case tokenType = "token_type"
        case expiresIn = "expires_in"
        case scope
    }

    var accessToken: String
    var tokenType: String
    var expiresIn: Int64
    var scope: String
}
#endif
