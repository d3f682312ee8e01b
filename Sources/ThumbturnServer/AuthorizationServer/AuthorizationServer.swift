#if Server
import ThumbturnCore
import ThumbturnMessages
package import ThumbturnVerifier

/// The server without HTTP: it takes requests of the core's messages, and returns answers or throws `RequestError`.
package struct AuthorizationServer: Sendable {
    package let settings: ServerSettings
    let store: any Store
    let secrets: ServerSecrets
    package var passwords: Passwords
    package var throttleLimits = ThrottleLimits.standard
    /// A sealed secret of one-time codes that no account has.
    let decoySecret: [UInt8]
    let time: NodeTime
    let nonces: DPoPNonces
    /// Judges signed liveness evidence; nil where no vendor is trusted, and then a request that carries any is refused.
    package var livenessJudge: LivenessJudge?
    let counters = Counters()
    let providers: IdentityProviders
    /// Runs between the judgement of a proof and the transaction that spends its challenge. For tests of that race; empty
    /// otherwise.
    package var beforeSpending: @Sendable () async -> Void = {}

    /// A server on a data folder, which is made where it is missing.
    package init(_ settings: ServerSettings, clock: NodeClock = .system) async throws {
        self.settings = settings
        providers = try IdentityProviders(file: settings.identityProviders)
        time = NodeTime(clock)
        let folder = try DataFolder(settings, time: time)
        store = folder.store
        secrets = try await ServerSecrets(store: store, masterKey: folder.masterKey, time: time)
        passwords = try Passwords()
        decoySecret = try secrets.seal(OneTimeCodes.random().secret, label: Self.oneTimeLabel)
        nonces = DPoPNonces(now: time.now)
        let vendors = settings.approvals.livenessVendors
        if !vendors.vendors.isEmpty { livenessJudge = { vendors.level(of: $0, for: $1, at: $2) } }
    }

    /// `POST /v1/challenges`.
    func challenge(_ request: ChallengeRequest) throws -> ChallengeAnswer {
        if request.purpose == .stepUp { try checkIsGrantable(request.act ?? "") }
        var generator = SystemRandomNumberGenerator()
        let challenge = try challenges.issue(request, at: time.now, time.moment, using: &generator)
        return ChallengeAnswer(challenge: challenge, expiresIn: request.purpose.lifetime.components.seconds)
    }

    /// Renews secrets that are due, and forgets what expired. The server calls it from time to time.
    package func tidy() async throws {
        nonces.tidy(at: time.now)
        providers.reload()
        try await secrets.reload()
        try await secrets.retire(life: settings.accessTokenLifetime)
        try await store.purge(sessionsBefore: time.now + (.zero - settings.sessionLifetime))
        // A day later no back end asks any more what became of an approval.
        try await store.purgeApprovals(before: time.now + .seconds(-24 * 3600))
    }

    /// The public halves of the keys that sign access tokens.
    package var jwks: JWKS { secrets.current.jwks(at: time.now) }

    var challenges: Challenges { challenges(by: secrets.current) }

    private func challenges(by secrets: ServerSecrets.Current) -> Challenges {
        Challenges(issuer: settings.publicURL, audience: settings.publicURL, secrets: secrets.challenges)
    }

    /// The claims of one of the server's own challenges for this purpose, which is still alive, and what is spent with it.
    /// Another node may have renewed the secret, so an unknown one is looked up again.
    func verified(_ challenge: String, for purpose: Purpose) async throws -> (claims: ChallengeClaims, spend: Spend) {
        do {
            return try verify(challenge, for: purpose, by: secrets.current)
        } catch VerificationError.unknownKey {
            try await secrets.reload(atMostOncePerSecond: true)
            return try verify(challenge, for: purpose, by: secrets.current)
        }
    }

    private func verify(
        _ challenge: String, for purpose: Purpose, by secrets: ServerSecrets.Current
    ) throws(VerificationError) -> (claims: ChallengeClaims, spend: Spend) {
        let claims = try challenges(by: secrets).verify(challenge, for: purpose, at: time.now)
        // It is the server's own, so it has the right form.
        guard let id = Base64URL.decode(claims.jti), id.count >= 16 else { throw .malformed }
        return (claims, Spend(.challenge, id: id, expiresAt: claims.exp, epoch: secrets.epoch))
    }
}
#endif
