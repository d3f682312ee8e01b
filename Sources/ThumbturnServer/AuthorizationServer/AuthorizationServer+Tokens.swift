#if Server
import Crypto
import Foundation
import ThumbturnCore
import ThumbturnVerifier

extension AuthorizationServer {
    /// The token endpoint's proof grant: a signature over our challenge becomes a session.
    ///
    /// - Parameter second: another key's proof over the same challenge, where two keys answer.
    func redeem(_ text: String, also second: String? = nil, dpop: DPoPProof) async throws -> TokenAnswer {
        let (session, refreshToken) = try await open(text, also: second, act: nil, liveness: nil, dpop: dpop)
        return try answer(session, refreshToken: refreshToken)
    }

    /// The proof grant for one action: the signature becomes an access token that says so, and nothing that could be refreshed.
    ///
    /// - Parameter act: the action, with its amount.
    func stepUp(
        _ text: String, also second: String? = nil, act: String, liveness: String? = nil, dpop: DPoPProof
    ) async throws -> StepUpAnswer {
        let (session, _) = try await open(text, also: second, act: act, liveness: liveness, dpop: dpop)
        let token = try accessToken(of: session, for: grant(of: session))
        return StepUpAnswer(accessToken: token.text, expiresIn: token.expiresIn)
    }

    /// Spends a proof.
    ///
    /// The order is the rule. Until the sender has shown the session key that the challenge names, nothing is spent, so a stolen
    /// proof can neither be used nor used up. From then on the challenge is spent, also when the proof is wrong; and a wrong signature
    /// for a PIN key of this device is a wrong PIN, which is counted.
    ///
    /// - Parameter act: nil for a sign-in. Neither takes the other's proofs.
    private func open(
        _ text: String, also second: String?, act: String?, liveness: String?, dpop: DPoPProof
    ) async throws -> (session: SessionView, refreshToken: String) {
        let claims: ChallengeClaims
        let spend: Spend
        let challenge: String
        do {
            guard let text = UnverifiedProof.challenge(in: text) else { throw VerificationError.malformed }
            challenge = text
            (claims, spend) = try await verified(challenge, for: act == nil ? .signIn : .stepUp)
            guard claims.act == act else { throw VerificationError.wrongPurpose }
            guard claims.cnf.jkt == dpop.jkt else { throw VerificationError.foreignKey }
        } catch let refusal as VerificationError {
            throw RequestError.invalidGrant(.init(.proof, refusal)).counting(refusal)
        }

        let answers: [Answer]
        let granted: ActionGrant?
        do {
            answers = try await self.answers([text] + (second.map { [$0] } ?? []), to: challenge, claims)
            granted = try act.map { try judge($0, by: answers.map(\.key), liveness, over: challenge) }
        } catch {
            _ = try await store.spend([spend])
            guard let refusal = error as? VerificationError else { throw error }
            throw RequestError.invalidGrant(.init(.proof, refusal)).counting(refusal)
        }
        for answer in answers { try await refuseIfPaused(answer.key, spending: [spend], error: .invalidGrant) }
        // A PIN comes last: what is said of it is said only where nothing else is wrong, and is counted.
        for answer in answers.filter({ $0.key.kind != .pin }) + answers.filter({ $0.key.kind == .pin }) {
            counters.verifications.count()
            do throws(VerificationError) {
                try answer.proof.verify(by: try VerifyingKey(x963: answer.key.x963))
            } catch {
                guard let count = try await store.spend([spend], wronglySignedBy: answer.key.kid), answer.key.kind == .pin else {
                    throw RequestError.invalidGrant(.init(.proof, error))
                }
                throw RequestError.wrongPIN(after: count, error: .invalidGrant)
            }
        }

        await beforeSpending()
        let id = SessionID.random(at: time.now, time.moment)
        // That of a step-up is handed to nobody, and its hash is not kept, so nothing is exchanged for it.
        let refreshToken = refreshTokens.token(of: id, generation: 0)
        let new = NewSession(
            id: id, kid: answers[0].key.kid, also: answers.dropFirst().map(\.key.kid), sessionJKT: dpop.jkt,
            tokenHash: act == nil ? RefreshTokens.hash(refreshToken) : [],
            // An action's age counts from the challenge, since nobody knows when in its life it was signed.
            authTime: act == nil ? nil : claims.iat,
            granted: granted.map { String(decoding: WireJSON.encode($0), as: UTF8.self) }
        )
        switch try await store.openSession(new, spending: spend) {
        case .done(let session):
            counters.spends.count()
            counters.sessions.count()
            return (session, refreshToken)
        case .refused: throw RequestError.invalidGrant(.init(.proof, .replayed))
        // The same answer as to a wrong PIN: a key that is used up no longer tells which one is right.
        case .disabled: throw RequestError.wrongPIN(after: PINLedger.limit, error: .invalidGrant)
        }
    }

    /// A proof, and the key that claims to have made it.
    private struct Answer {
        var proof: UnverifiedProof
        var key: EnrolledKey
    }

    /// One proof, or two by keys of two kinds: no factor answers twice.
    private func answers(
        _ texts: [String], to challenge: String, _ claims: ChallengeClaims
    ) async throws -> [Answer] {
        var answers: [Answer] = []
        for text in texts {
            let proof = try UnverifiedProof(text)
            guard proof.challenge == challenge else { throw VerificationError.foreignKey }
            let key = try await self.key(claimedBy: proof, claims)
            guard !answers.contains(where: { $0.key.kind == key.kind }) else { throw VerificationError.unknownKey }
            answers.append(Answer(proof: proof, key: key))
        }
        return answers
    }

    /// The key that claims to have made a proof, if it may: it verifies the person, belongs to the device of this session key, and
    /// the challenge was made for it.
    private func key(claimedBy proof: UnverifiedProof, _ claims: ChallengeClaims) async throws -> EnrolledKey {
        guard claims.kids.contains(proof.kid) else { throw VerificationError.unknownKey }
        guard let key = try await store.knownKey(proof.kid), !key.isRevoked, key.kind.userVerification > .none else {
            throw VerificationError.unknownKey
        }
        guard key.sessionJKT == claims.cnf.jkt else { throw VerificationError.foreignKey }
        return key
    }

    /// The token endpoint's refresh grant (RFC 6749 section 6), bound to the session key (RFC 9449 section 5).
    func refresh(_ text: String, dpop: DPoPProof) async throws -> TokenAnswer {
        guard let (id, generation) = refreshTokens.read(text), generation < .max else {
            throw RequestError.invalidGrant(.init(.refresh, .malformed))
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
        case .rotated(let session), .repeated(let session):
            counters.refreshes.count()
            return try answer(session, refreshToken: successor)
        case .reused: throw RequestError.invalidGrant(.init(.refresh, .reused))
        case .foreign: throw RequestError.invalidGrant(.init(.refresh, .foreignKey))
        case .over: throw RequestError.endedRefresh
        }
    }

    private func answer(_ session: SessionView, refreshToken: String) throws -> TokenAnswer {
        let token = try accessToken(of: session, for: nil)
        return TokenAnswer(accessToken: token.text, expiresIn: token.expiresIn, refreshToken: refreshToken)
    }

    private func accessToken(
        of session: SessionView, for grant: ActionGrant?
    ) throws -> (text: String, expiresIn: Int64) {
        let now = time.now
        let lifetime = grant?.once == true ? settings.oneUseTokenLifetime : settings.accessTokenLifetime
        let assurance = assurance(of: session.kind)
        // A token does not outlive its session.
        let expiry = min(now + min(lifetime, settings.accessTokenLifetime), session.authTime + settings.sessionLifetime)
        let claims = AccessTokenClaims(
            iss: settings.publicURL, aud: settings.audience, sub: session.account.text, clientID: settings.clientID,
            iat: now, exp: expiry, jti: Identifier<AccessTokenClaims>.random().text,
            sid: session.id.text, did: session.device.text, authTime: session.authTime, acr: assurance.acr,
            amr: assurance.amr, cnf: Confirmation(jkt: session.sessionJKT),
            authorizationDetails: grant.map { [$0] }
        )
        counters.tokens.count()
        return (try secrets.current.signer(at: now).sign(claims), (expiry - now).components.seconds)
    }

    var refreshTokens: RefreshTokens { secrets.current.refreshTokens }
}
#endif
