#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension AuthorizationServer {
    /// Exchanges an ID token of the app's own provider for a ticket for the caller's session key (RFC 8693). The first
    /// exchange of an identity makes its account.
    ///
    /// - Parameter challenge: the challenge that this session key got before the person was sent to the provider. Without
    ///   it nothing shows that the provider asked the person for this sign-in.
    func exchange(_ text: String, begunBy challenge: String?, dpop: DPoPProof) async throws -> ExchangedTicket {
        let token: IDToken
        var beginning: (time: UnixTime, spend: Spend)?
        let epoch = try await store.epoch()
        do {
            token = try IDToken(text, providers: providers.current, jkt: dpop.jkt, at: time.now)
            // The server no longer knows which tokens were used before this epoch began, so it refuses them all.
            guard token.issuedAt - epoch.began > IDToken.skew else { throw VerificationError.replayed }
            if let challenge { beginning = try await self.beginning(by: challenge, jkt: dpop.jkt) }
        } catch let refusal as VerificationError {
            throw RequestError.invalidGrant(.init(.idToken, refusal))
        }
        let identity = Identity(issuer: token.issuer, subject: token.subject)
        // The account of an identity has no password, so nothing is hashed: neither for a new identity nor for a token
        // that was used before.
        let fresh = Account(
            id: .random(), name: Self.normalized("\(token.subject) at \(token.issuer)"),
            passwordHash: passwords.unfittingHash()
        )
        let freshness = token.freshness(since: beginning?.time)
        var spends = [token.spend(in: epoch.number)] + (beginning.map { [$0.spend] } ?? [])
        if freshness == .fresh { spends.append(token.spendAuthentication(in: epoch.number)) }
        guard let account = try await store.account(of: identity, orMaking: fresh, by: freshness, spending: spends) else {
            throw RequestError.invalidGrant(.init(.idToken, .replayed))
        }
        let ticket = tickets.issue(
            to: account.id, generation: account.credentialGeneration, jkt: dpop.jkt,
            freshness: freshness, credentials: token.methods, at: time.now, lifetime: settings.ticketLifetime)
        return ExchangedTicket(
            EnrolmentTicket(
                ticket: ticket, account: account.id.text, isFresh: freshness.worth.changesKeys,
                expiresIn: settings.ticketLifetime.components.seconds))
    }
}
#endif
