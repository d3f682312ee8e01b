#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// Visits: short sessions of full credentials, for a person whose device cannot be enrolled now or is not to be. A visit
/// enrols and replaces nothing, and no key has shown anything: its `acr` says so, and its `amr` names the credentials.
extension AuthorizationServer {
    /// The token endpoint's ticket grant: redeems the ticket of a full sign-in for a visit in place of an enrolment. The
    /// visit counts its life from the sign-in, and no refresh makes it longer.
    func visit(by text: String, dpop: DPoPProof) async throws -> TokenAnswer {
        let ticket: Tickets.Right
        do throws(VerificationError) {
            ticket = try tickets.verify(text, jkt: dpop.jkt, at: time.now)
            guard ticket.credentials != nil else { throw .wrongPurpose }
        } catch {
            let refused = RequestError.invalidGrant(.init(.ticket, error))
            throw error == .foreignKey ? refused.byStranger : refused
        }
        await beforeSpending()
        let id = SessionID.random(at: time.now, time.moment)
        let refreshToken = refreshTokens.token(of: id, generation: 0)
        let new = NewVisit(
            id: id, tokenHash: RefreshTokens.hash(refreshToken), jkt: dpop.jkt, lifetime: visitLifetime ?? .zero)
        guard let visit = try await store.openVisit(new, by: ticket) else {
            throw RequestError.invalidGrant(.init(.ticket, .replayed))
        }
        counters.spends.count()
        counters.sessions.count()
        metrics.countSession(.visit)
        return try answer(visit, refreshToken: refreshToken)
    }

    /// The ticket for a visit's own device: its person signed in a moment ago, so an enrolment needs no second password.
    /// It is worth what the sign-in's own ticket was worth for an enrolment, once for each visit, and opens no session. The
    /// visit of a sign-in that is not worth it gets none: the person signs in again.
    func ticket(for jkt: String, ofVisit visit: SessionView) async throws -> EnrolmentTicket {
        let now = time.now
        guard let freshness = visit.freshness, freshness.worth.vouches,
            let age = TokenTimes.age(of: visit.authTime, at: now), age <= Self.oldestSignInForATicket
        else {
            throw RequestError.stepUp(maximumAge: Self.oldestSignInForATicket)
        }
        // It is remembered for as long as such a request is accepted.
        let spend = Spend(
            .visit, id: visit.id.bytes, expiresAt: visit.authTime + Self.oldestSignInForATicket + .seconds(1),
            epoch: secrets.current.epoch)
        guard try await store.spend([spend]) else { throw RequestError.unverified(.init(.ticket, .replayed)) }
        let ticket = tickets.issue(
            to: visit.account, generation: visit.credentialGeneration, jkt: jkt, freshness: freshness, at: now,
            lifetime: settings.ticketLifetime)
        return EnrolmentTicket(
            ticket: ticket, account: visit.account.text, isFresh: freshness.worth.changesKeys,
            expiresIn: settings.ticketLifetime.components.seconds)
    }

    /// How long after the sign-in a visit ends; nil if there are none. It never outlasts other sessions.
    var visitLifetime: Duration? { settings.visitLifetime.map { min($0, settings.sessionLifetime) } }

    /// The greatest age of the sign-in after which a visit gets a ticket: as long as its own ticket would have lived.
    private static let oldestSignInForATicket = Duration.seconds(300)
}
#endif
