#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension AccessTokenClaims {
    /// Throws unless the token covers the action by a step-up table (RFC 9470). Resource servers judge by it, and this
    /// server at its own routes.
    ///
    /// - Parameter consume: consumes the token's use, after everything else has been judged. False if it was consumed
    ///   before; the token then counts as too old.
    func judge(
        for ask: ActionAsk, by table: StepUpTable, at now: UnixTime, consume: (ActionGrant) async throws -> Bool
    ) async throws {
        let demand: ActionDemand
        do throws(StepUpTable.Unasked) {
            demand = try table.demand(for: ask)
        } catch {
            throw RequestError.forbidden(.init(.stepUp, error))
        }
        let stale = RequestError.stepUp(StepUpChallenge(maximumAge: demand.maximumAge, ask: ask))
        // Only a visit has this assurance: no key signed. Nothing else is taken for it, and it is taken for no key.
        if demand.takesCredentials, acr == Assurance.withoutKey.acr {
            guard let age = TokenTimes.age(of: authTime, at: now), age <= demand.maximumAge else { throw stale }
            return
        }
        guard Assurance(acr: acr)?.meets(demand.assurance) == true else {
            throw RequestError.stepUp(StepUpChallenge(acrValues: [demand.assurance.acr], ask: ask))
        }
        guard let grant = authorizationDetails?.first, authorizationDetails?.count == 1, grant.covers(ask),
            demand.takes(grant.keys), demand.isMet(by: grant.shown), grant.once || !demand.signsEach,
            grant.unlock != true || demand.takesUnlock,
            let age = TokenTimes.age(of: authTime, at: now), age <= demand.oldest
        else { throw stale }
        guard try await consume(grant) else { throw stale }
    }
}

extension RequestError {
    /// The policy has no rule for the action, so no token is accepted.
    static func forbidden(_ reason: LogReason) -> RequestError {
        RequestError(.verificationFailed, 403, for: reason)
    }
}
#endif
