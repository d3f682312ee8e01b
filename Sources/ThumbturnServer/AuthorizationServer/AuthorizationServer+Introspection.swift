#if Server
import ThumbturnCore
import ThumbturnVerifier

extension AuthorizationServer {
    /// `POST /v1/introspect` (RFC 7662): whether a person's access token is active, and its claims. Anything else, a
    /// refresh token included, is reported as not active.
    func introspect(_ text: String) async throws -> Introspection {
        guard
            let claims = try? AccessToken(
                text, keys: secrets.current.tokenKeys, issuer: settings.publicURL, audience: settings.audience, at: time.now
            ).claims
        else { return try await plainClaims(of: text).map { .active("Bearer", $0) } ?? .inactive }
        guard let id = SessionID(claims.sid), let session = try await store.session(id), session.isLive else { return .inactive }
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
            id = try? SessionID(
                AccessToken(
                    text, keys: secrets.current.tokenKeys, issuer: settings.publicURL, audience: settings.audience, at: time.now
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
