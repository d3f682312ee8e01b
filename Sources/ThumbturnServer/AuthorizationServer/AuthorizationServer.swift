#if Server
import ThumbturnCore
package import ThumbturnVerifier

/// What the server decides, without HTTP: requests of the core's messages in, answers or refusals out.
package struct AuthorizationServer: Sendable {
    package let settings: ServerSettings
    let store: any Store
    let secrets: ServerSecrets
    package var passwords: Passwords
    package var throttleLimits = ThrottleLimits.standard
    /// The sealed secret of one-time codes that nobody has.
    let decoySecret: [UInt8]
    let time: NodeTime
    let nonces: DPoPNonces
    /// Judges signed liveness evidence; nil where nobody can, and then a request that carries any is refused.
    package var livenessJudge: LivenessJudge?
    let counters = Counters()
    /// Waits between the judgement of a proof and the spending of its challenge. For tests of that very race; empty otherwise.
    package var beforeSpending: @Sendable () async -> Void = {}

    /// Opens the data folder: makes what is missing, and reads the secrets.
    package init(_ settings: ServerSettings, clock: NodeClock = .system) async throws {
        self.settings = settings
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
        if request.purpose == .stepUp { _ = try demand(for: request.act ?? "") }
        var generator = SystemRandomNumberGenerator()
        let challenge = try challenges.issue(request, at: time.now, using: &generator)
        return ChallengeAnswer(challenge: challenge, expiresIn: request.purpose.lifetime.components.seconds)
    }

    /// What is due from time to time: new secrets, and forgetting what expired.
    package func tidy() async throws {
        nonces.tidy(at: time.now)
        try await secrets.reload()
        try await store.purge(sessionsBefore: time.now + (.zero - settings.sessionLifetime))
        // A day later nobody asks any more what became of it.
        try await store.purgeApprovals(before: time.now + .seconds(-24 * 3600))
    }

    /// The public halves of the keys that sign access tokens.
    package var jwks: JWKS { secrets.current.jwks }

    var challenges: Challenges {
        Challenges(issuer: settings.publicURL, audience: settings.publicURL, secrets: secrets.current.challenges)
    }

    /// One of our own challenges for this purpose, alive. Another node may have renewed the secret, so an unknown one is looked
    /// up again.
    func verified(_ challenge: String, for purpose: Purpose) async throws -> ChallengeClaims {
        do {
            return try challenges.verify(challenge, for: purpose, at: time.now)
        } catch Refusal.unknownKey {
            try await secrets.reload(atMostOncePerSecond: true)
            return try challenges.verify(challenge, for: purpose, at: time.now)
        }
    }

    /// The spending of a challenge. Its `jti` is ours, so it has the right form.
    func spend(of claims: ChallengeClaims) throws(Refusal) -> Spend {
        guard let id = Base64URL.decode(claims.jti), id.count == 16 else { throw .malformed }
        return Spend(.challenge, id: id, expiresAt: claims.exp)
    }

    /// How far a key may be trusted, by its evidence. None is verified yet, so nothing is known of any key but that it is one:
    /// what its kind demands of the person is the client's word, and raises nothing.
    func assurance(of kind: KeyKind) -> Assurance {
        Assurance(protection: .software, verification: .none)
    }
}
#endif
