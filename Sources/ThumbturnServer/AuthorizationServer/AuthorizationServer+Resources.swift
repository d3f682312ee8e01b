#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The sender of a request: a live session, authenticated by its access token and a DPoP proof of its key.
struct Caller {
    var session: SessionView
    var claims: AccessTokenClaims

    /// The standing of the key that opened the session. Throws for a visit, which no key opened, what RFC 9470 has for an
    /// authentication that is not enough.
    func key(at now: UnixTime) throws(RequestError) -> KeyStanding {
        guard let standing = session.standing(at: now) else {
            throw .stepUp(StepUpChallenge(acrValues: [Assurance.withoutEvidence.acr]))
        }
        return standing
    }
}

extension AuthorizationServer {
    /// The caller with this token and this DPoP proof. The session is looked up for every request, so that a revoked
    /// one is refused at once.
    func caller(token: String, dpop: DPoPProof) async throws -> Caller {
        let keys = try await tokenKeys()
        let claims: AccessTokenClaims
        do {
            claims = try AccessToken(
                token, keys: keys, issuer: settings.publicURL, audience: settings.audience,
                longestLife: settings.accessTokenLifetime, at: time.now
            ).claims
        } catch {
            throw RequestError.invalidToken(.init(.token, error))
        }
        guard claims.cnf.jkt == dpop.jkt else { throw RequestError.invalidToken(.init(.token, .foreignKey)) }
        guard let session = try await liveSession(claims.sid) else { throw RequestError.endedSession }
        return Caller(session: session, claims: claims)
    }

    /// The session of an access token; nil if it has ended. All visits end with the setting that allows them.
    func liveSession(_ id: String) async throws -> SessionView? {
        guard let id = SessionID(id), let session = try await store.session(id), session.isLive else { return nil }
        return session.isVisit && visitLifetime == nil ? nil : session
    }

    /// `GET /v1/me`: the account, device and assurance of the caller's token.
    func me(_ caller: Caller) -> Me {
        Me(
            account: caller.session.account.text, name: caller.session.accountName, device: caller.session.device.text,
            acr: caller.claims.acr, amr: caller.claims.amr, authTime: caller.session.verifiedAt
        )
    }
}
#endif
