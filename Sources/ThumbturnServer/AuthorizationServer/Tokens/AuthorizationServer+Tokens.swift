#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension AuthorizationServer {
    /// The token endpoint's proof grant: exchanges a signature over a challenge for a session.
    ///
    /// - Parameter second: another key's proof over the same challenge, if two keys answer.
    func redeem(_ proof: String, also second: String? = nil, dpop: DPoPProof) async throws -> TokenAnswer {
        let ceremony = Ceremony(.signIn, proofs: [proof] + (second.map { [$0] } ?? []), jkt: dpop.jkt)
        let (session, refreshToken) = try await run(ceremony).session
        return try answer(session, refreshToken: refreshToken)
    }

    /// The token endpoint's refresh grant (RFC 6749 section 6), bound to the session key (RFC 9449 section 5).
    func refresh(_ text: String, dpop: DPoPProof) async throws -> TokenAnswer {
        guard let (id, generation) = refreshTokens.read(text), generation < .max else {
            throw RequestError.invalidGrant(.init(.refresh, .malformed))
        }
        let successor = refreshTokens.token(of: id, generation: generation + 1)
        let outcome = try await store.rotate(
            RefreshRotation(
                session: id, generation: generation, tokenHash: RefreshTokens.hash(text),
                successorHash: RefreshTokens.hash(successor), jkt: dpop.jkt, grace: settings.refreshGrace,
                lifetime: settings.sessionLifetime, visitLifetime: visitLifetime ?? .zero,
                idleLimit: settings.sessionIdleLimit
            )
        )
        switch outcome {
        case .rotated(let session), .repeated(let session):
            counters.refreshes.count()
            metrics.countSession(.refresh)
            return try answer(session, refreshToken: successor)
        case .reused: throw RequestError.invalidGrant(.init(.refresh, .reused))
        case .foreign: throw RequestError.invalidGrant(.init(.refresh, .foreignKey))
        case .over: throw RequestError.endedRefresh
        }
    }

    func answer(_ session: SessionView, refreshToken: String) throws -> TokenAnswer {
        let token = try accessToken(of: session)
        return TokenAnswer(accessToken: token.text, expiresIn: token.expiresIn, refreshToken: refreshToken)
    }

    /// A new access token of a session; a step-up's names the action that was granted.
    func accessToken(of session: SessionView) throws -> (text: String, expiresIn: Int64) {
        let (now, grant) = (time.now, session.granted)
        let lifetime = grant?.once == true ? settings.oneUseTokenLifetime : settings.accessTokenLifetime
        let assurance = session.standing(at: now)?.assurance ?? .withoutKey
        // A token does not outlive its session.
        let end = session.authTime + (session.isVisit ? visitLifetime ?? .zero : settings.sessionLifetime)
        let expiry = min(now + min(lifetime, settings.accessTokenLifetime), end)
        let claims = AccessTokenClaims(
            iss: settings.publicURL, aud: settings.audience, sub: session.account.text, clientID: settings.clientID,
            iat: now, exp: expiry, jti: Identifier<AccessTokenClaims>.random().text,
            sid: session.id.text, did: session.device.text, authTime: session.verifiedAt, acr: assurance.acr,
            amr: session.credentials ?? assurance.amr, cnf: KeyConfirmation(jkt: session.sessionJKT),
            authorizationDetails: grant.map { [$0] }
        )
        counters.tokens.count()
        return (try secrets.current.signer(at: now).sign(claims), (expiry - now).components.seconds)
    }

    var refreshTokens: RefreshTokens { secrets.current.refreshTokens }
}
#endif
