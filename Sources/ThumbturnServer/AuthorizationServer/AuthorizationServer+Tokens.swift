#if Server
import Crypto
import Foundation
import ThumbturnCore
import ThumbturnVerifier

extension AuthorizationServer {
    /// The token endpoint's proof grant: a signature over our challenge becomes a session.
    ///
    /// The order is the rule. Until the sender has shown the session key that the challenge names, nothing is spent, so a stolen
    /// proof can neither be used nor used up. From then on the challenge is spent, also when the proof is wrong; and a wrong signature
    /// for a PIN key of this device is a wrong PIN, which is counted.
    ///
    /// - Parameter act: the action of a step-up; nil for a sign-in. Neither takes the other's proofs.
    func redeem(_ text: String, act: String? = nil, dpop: DPoPProof) async throws -> TokenAnswer {
        let claims: ChallengeClaims
        do {
            guard let challenge = UnverifiedProof.challenge(in: text) else { throw Refusal.malformed }
            claims = try await verified(challenge, for: act == nil ? .signIn : .stepUp)
            guard claims.act == act else { throw Refusal.wrongPurpose }
            guard claims.cnf.jkt == dpop.jkt else { throw Refusal.foreignKey }
        } catch let refusal as Refusal {
            throw Refused.invalidGrant("proof \(refusal.rawValue)")
        }

        let spend = try spend(of: claims)
        let proof: UnverifiedProof
        let key: EnrolledKey
        do {
            proof = try UnverifiedProof(text)
            key = try await self.key(claimedBy: proof, claims)
        } catch let refusal as Refusal {
            _ = try await store.spend([spend])
            throw Refused.invalidGrant("proof \(refusal.rawValue)")
        }
        do throws(Refusal) {
            try proof.verify(by: try VerifyingKey(x963: key.x963))
        } catch {
            guard let count = try await store.spend([spend], wronglySignedBy: key.kid), key.kind == .pin else {
                throw Refused.invalidGrant("proof \(error.rawValue)")
            }
            throw Refused.wrongPIN(after: count, error: "invalid_grant")
        }

        await beforeSpending()
        let id = SessionID.random()
        let refreshToken = refreshTokens.token(of: id, generation: 0)
        let new = NewSession(
            id: id, kid: key.kid, tokenHash: RefreshTokens.hash(refreshToken),
            // An action's age counts from the challenge, since nobody knows when in its life it was signed.
            authTime: act == nil ? nil : claims.iat
        )
        switch try await store.openSession(new, spending: spend) {
        case .done(let session): return try answer(session, refreshToken: refreshToken)
        case .refused: throw Refused.invalidGrant("proof \(Refusal.replayed.rawValue)")
        // The same answer as to a wrong PIN: a key that is used up no longer tells which one is right.
        case .disabled: throw Refused.wrongPIN(after: PINLedger.limit, error: "invalid_grant")
        }
    }

    /// The key that claims to have made a proof, if it may: it verifies the person, belongs to the device of this session key, and
    /// the challenge was made for it.
    private func key(claimedBy proof: UnverifiedProof, _ claims: ChallengeClaims) async throws -> EnrolledKey {
        guard claims.kids.contains(proof.kid) else { throw Refusal.unknownKey }
        guard let key = try await store.key(proof.kid), !key.isRevoked, key.kind.userVerification > .none else {
            throw Refusal.unknownKey
        }
        guard key.sessionJKT == claims.cnf.jkt else { throw Refusal.foreignKey }
        return key
    }

    /// The token endpoint's refresh grant (RFC 6749 section 6), bound to the session key (RFC 9449 section 5).
    func refresh(_ text: String, dpop: DPoPProof) async throws -> TokenAnswer {
        guard let (id, generation) = refreshTokens.read(text), generation < .max else {
            throw Refused.invalidGrant("refresh \(Refusal.malformed.rawValue)")
        }
        let successor = refreshTokens.token(of: id, generation: generation + 1)
        let outcome = try await store.rotate(
            Rotation(
                session: id, generation: generation, tokenHash: RefreshTokens.hash(text),
                successorHash: RefreshTokens.hash(successor), jkt: dpop.jkt, grace: settings.refreshGrace,
                lifetime: settings.sessionLifetime, idleLimit: settings.sessionIdleLimit
            )
        )
        switch outcome {
        case .rotated(let session), .repeated(let session): return try answer(session, refreshToken: successor)
        case .reused: throw Refused.invalidGrant("refresh reused, session ended")
        case .foreign: throw Refused.invalidGrant("refresh \(Refusal.foreignKey.rawValue)")
        case .over: throw Refused.invalidGrant("refresh session over")
        }
    }

    private func answer(_ session: SessionView, refreshToken: String) throws -> TokenAnswer {
        let now = time.now
        let assurance = assurance(of: session.kind)
        // A token does not outlive its session.
        let expiry = min(now + settings.accessTokenLifetime, session.authTime + settings.sessionLifetime)
        let claims = AccessTokenClaims(
            iss: settings.publicURL, aud: settings.audience, sub: session.account.text, clientID: settings.clientID,
            iat: now, exp: expiry, jti: Identifier<AccessTokenClaims>.random().text,
            sid: session.id.text, did: session.device.text, authTime: session.authTime, acr: assurance.acr,
            amr: assurance.amr, cnf: Confirmation(jkt: session.sessionJKT)
        )
        return TokenAnswer(
            accessToken: try secrets.current.token.sign(claims),
            expiresIn: (expiry - now).components.seconds, refreshToken: refreshToken
        )
    }

    private var refreshTokens: RefreshTokens { RefreshTokens(key: secrets.current.refresh) }
}
#endif
