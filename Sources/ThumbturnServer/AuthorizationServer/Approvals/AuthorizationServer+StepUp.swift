#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension AuthorizationServer {
    /// The proof grant for one action: exchanges signatures for an access token that names the action, without a
    /// refresh token.
    ///
    /// - Parameters:
    ///   - second: another key's proof over the same challenge, if two keys answer.
    ///   - act: the action, with its amount.
    ///   - liveness: the signed evidence of a liveness check.
    func stepUp(
        _ proof: String, also second: String? = nil, act: String, liveness: String? = nil, dpop: DPoPProof
    ) async throws -> StepUpAnswer {
        // The server issues no challenge for such an action.
        guard let ask = ActionAsk(text: act) else { throw RequestError(.unopened(.wrongPurpose), .stepUp) }
        let intent = StepUpIntent(
            act: act, ask: ask, table: settings.stepUp.current, liveness: liveness, livenessJudge: livenessJudge)
        let ceremony = Ceremony(.stepUp(intent), proofs: [proof] + (second.map { [$0] } ?? []), jkt: dpop.jkt)
        let session = try await run(ceremony).session.view
        let token = try accessToken(of: session)
        return StepUpAnswer(accessToken: token.text, expiresIn: token.expiresIn)
    }

    /// Token exchange (RFC 8693) for one action: the access token of a recent unlock for one that names the action, where the
    /// action's rule takes an unlock. The token's age goes on counting from the unlock.
    ///
    /// Only the session that an unlock opened is taken: neither a visit, which no key opened, nor another step-up.
    func stepUp(byUnlock text: String, act: String, dpop: DPoPProof) async throws -> StepUpAnswer {
        guard let ask = ActionAsk(text: act) else { throw RequestError.malformed(error: .invalidRequest) }
        let demand: ActionDemand
        do throws(StepUpTable.Unasked) {
            demand = try settings.stepUp.current.demand(for: ask)
        } catch {
            throw RequestError(.denied(error), .stepUp)
        }
        let claims: AccessTokenClaims
        do {
            claims = try AccessToken(
                text, keys: try await tokenKeys(), issuer: settings.publicURL, audience: settings.audience,
                longestLife: settings.accessTokenLifetime, at: time.now
            ).claims
        } catch let refusal as VerificationError {
            throw RequestError.invalidGrant(.init(.token, refusal))
        }
        guard let session = SessionID(claims.sid), claims.cnf.jkt == dpop.jkt else {
            throw RequestError.invalidGrant(.init(.token, .foreignKey))
        }
        if let device = try await store.session(session)?.enrolledDevice { try admit(device) }
        let granted = try await store.openStepUp(.random(), byUnlock: session, of: dpop.jkt) {
            StepUpIntent.grant(ask, demand, byUnlock: $0, at: $1)
        }
        guard let granted else { throw RequestError.invalidGrant(.init(.stepUp, .unmet)) }
        let token = try accessToken(of: granted)
        var answer = StepUpAnswer(accessToken: token.text, expiresIn: token.expiresIn)
        answer.issuedTokenType = TokenExchange.accessTokenType
        return answer
    }

    /// Throws if the step-up table has no demand for the action in the claim `act`, so that the request is denied
    /// before a person is asked for a finger.
    func checkIsGrantable(_ act: String) throws(RequestError) {
        guard let ask = ActionAsk(text: act) else { throw .malformed() }
        do throws(StepUpTable.Unasked) {
            _ = try settings.stepUp.current.demand(for: ask)
        } catch {
            throw RequestError(.denied(error), .stepUp)
        }
    }
}
#endif
