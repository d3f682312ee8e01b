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
