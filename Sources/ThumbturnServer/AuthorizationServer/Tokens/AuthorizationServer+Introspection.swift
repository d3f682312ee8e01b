#if Server
import ThumbturnCore
import ThumbturnVerifier

extension AuthorizationServer {
    /// `POST /v1/introspect` (RFC 7662): whether a person's access token is active, and its claims. Anything else, a
    /// refresh token included, is reported as not active; so is a token of an account that is beyond the back end's
    /// limits (section 2.2).
    func introspect(_ text: String, by client: Client) async throws -> Introspection {
        let keys = try await tokenKeys()
        guard
            let claims = try? AccessToken(
                text, keys: keys, issuer: settings.publicURL, audience: settings.audience,
                longestLife: settings.accessTokenLifetime, at: time.now
            ).claims
        else {
            guard let claims = try await plainClaims(of: text), let account = AccountID(claims.sub),
                client.limits.allow([account])
            else { return .inactive }
            return .active("Bearer", claims)
        }
        guard let session = try await liveSession(claims.sid), client.limits.allow([session.account]) else { return .inactive }
        // A step-up that was granted before its device began to cool off authorises no action any more.
        guard session.granted == nil || CeremonyRules.stepUp.coolingOffMay || session.standing(at: time.now)?.coolsOff == false
        else {
            return .inactive
        }
        return .active("DPoP", claims)
    }

    /// `POST /v1/revoke` (RFC 7009): ends the session of a refresh token or an access token, if the DPoP proof is by
    /// the session's key. Any other token changes nothing, and the answer is the same. So an attacker cannot end a
    /// session with a leaked token, and cannot find out whether a token is live.
    func revoke(token text: String, dpop: DPoPProof) async throws {
        let id: SessionID?
        if let (session, _) = refreshTokens.read(text) {
            id = session
        } else {
            let keys = try await tokenKeys()
            id = try? SessionID(
                AccessToken(
                    text, keys: keys, issuer: settings.publicURL, audience: settings.audience,
                    longestLife: settings.accessTokenLifetime, at: time.now
                ).claims.sid
            )
        }
        guard let id else { return }
        try await store.end(id, by: dpop.jkt)
    }
}

/// The answer of RFC 7662 section 2.2. A token that is not active has no other member.
enum Introspection: Encodable {
    case inactive
    case active(_ tokenType: String, any Encodable & Sendable)

    private enum CodingKeys: String, CodingKey {
        case active
        case tokenType = "token_type"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .inactive: try container.encode(false, forKey: .active)
        case .active(let tokenType, let claims):
            try container.encode(true, forKey: .active)
            try container.encode(tokenType, forKey: .tokenType)
            try claims.encode(to: encoder)
        }
    }
}
#endif
