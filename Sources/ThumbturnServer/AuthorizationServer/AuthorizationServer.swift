#if Server
import ThumbturnCore
import ThumbturnMessages
package import ThumbturnVerifier

/// The server without HTTP. It takes the decoded messages of `ThumbturnMessages`, and returns answers or throws
/// `RequestError`.
package struct AuthorizationServer: Sendable {
    package let settings: ServerSettings
    package let store: SQLStore
    let secrets: ServerSecrets
    package var passwords: Passwords
    package var throttleLimits = ThrottleLimits.standard
    package let time: NodeTime
    let nonces: DPoPNonces
    /// The proofs that all nodes share; nil where there is one node.
    var sharedProofs: (any SharedProofs)?
    /// When this node last asked for the time of the others.
    let caughtUp = OncePerSecond()
    /// Judges signed liveness evidence; nil if no vendor is trusted. A request with evidence is then refused.
    package var livenessJudge: LivenessJudge?
    package let counters = Counters()
    let refusals = Refusals()
    let clientRates = RequestRates<String>()
    let deviceRates = RequestRates<DeviceID>()
    let telemeter: Telemeter
    let metrics: ServerMetrics
    let providers: IdentityProviders
    /// Runs once in a request that was judged, before the transaction that does what it asks for. It is empty except in
    /// tests of these races. An `Interlude` cannot stand in for it: that one comes before every transaction of its task and
    /// of its child tasks, so in a running server also before a checkpoint of the audit log.
    package var beforeSpending: @Sendable () async -> Void = {}

    /// Opens the server's data folder, or makes it if it is missing and the use may make it. Throws `SetupError`.
    ///
    /// - Parameter clock: the clock of a test. Nil for the machine's, which is compared with that of a database elsewhere.
    package init(_ settings: ServerSettings, for use: DataUse = .serving, clock: NodeClock? = nil) async throws {
        if clock == nil { try settings.database?.check(.system) }
        let time = NodeTime(clock ?? .system, keepsStoredTime: use.keepsStoredTime)
        let folder = try DataFolder(settings, time: time, for: use)
        try await self.init(
            settings, on: folder.store, folder.masterKey, readMasterKey: { try DataFolder.masterKey(settings) },
            passwords: try Passwords(), time: time)
        // A command has no policy, and must not take one for empty.
        if use == .serving {
            try await agreeOnPolicies()
            try await applyEvidencePolicy()
        }
    }

    /// Makes a server on a store that is open already, whose time it shares.
    ///
    /// - Parameter readMasterKey: reads the master key again, because it may have been changed meanwhile.
    package init(
        _ settings: ServerSettings, on store: SQLStore, _ masterKey: MasterKey,
        readMasterKey: @escaping @Sendable () throws -> MasterKey, passwords: Passwords, time: NodeTime
    ) async throws {
        self.settings = settings
        self.store = store
        self.time = time
        self.passwords = passwords
        providers = try IdentityProviders(file: settings.identityProviders)
        let secrets = try await ServerSecrets(store: store, masterKey: masterKey, time: time, readMasterKey: readMasterKey)
        self.secrets = secrets
        let sharedProofs = store.sharedProofs
        self.sharedProofs = sharedProofs
        nonces = DPoPNonces(now: time.now, sharedKey: sharedProofs.map { proofs in secrets.nonceKeys(of: proofs) })
        metrics = ServerMetrics(settings.metrics)
        telemeter = Telemeter(
            store: store, time: time, rates: settings.telemetryRates, spacing: settings.telemetrySpacing, metrics: metrics,
            counters: counters)
        let vendors = settings.approvals.livenessVendors
        if !vendors.vendors.isEmpty { livenessJudge = { vendors.level(of: $0, for: $1, at: $2) } }
    }

    /// Has the database demand what the evidence policy demands of accounts, and reads the lists that evidence is judged by.
    /// It is called before the first request.
    package func applyEvidencePolicy() async throws {
        settings.evidence.use(try await evidenceLists())
        let policy = settings.evidence.current
        try await store.setMinimums(policy.minimums, version: policy.version)
    }

    /// `POST /v1/challenges`: issues a challenge.
    func challenge(_ request: ChallengeRequest) throws -> ChallengeAnswer {
        if request.purpose == .stepUp { try checkIsGrantable(request.act ?? "") }
        var generator = SystemRandomNumberGenerator()
        do throws(VerificationError) {
            let challenge = try challenges.issue(request, at: time.now, time.moment, using: &generator)
            metrics.countChallenge(request.purpose)
            return ChallengeAnswer(challenge: challenge, expiresIn: request.purpose.lifetime.components.seconds)
        } catch {
            throw RequestError.malformed(error)
        }
    }

    /// Renews secrets that are due and deletes expired rows. The running server calls it every minute.
    package func tidy() async throws {
        nonces.tidy(at: time.now)
        clientRates.tidy(at: time.now)
        deviceRates.tidy(at: time.now)
        // Whatever fails below, a leaked key goes; a mistake in the file holds up nothing else.
        let reading = Result { try providers.reload() }
        try await secrets.reload()
        try await secrets.retire(life: settings.accessTokenLifetime)
        try await tidyAudit()
        try await store.purge(sessionsBefore: time.now + (.zero - settings.sessionLifetime))
        try await store.purgeApprovals(before: time.now + (.zero - Limits.endedApprovalAge))
        try await keepUpEvidence()
        try await telemeter.tidy(retention: settings.telemetryRetention)
        try reading.get()
    }

    /// The public keys of access tokens by their ids, as they are now: a key that an operator revoked a moment ago, in
    /// another process, is not among them.
    func tokenKeys() async throws -> [String: VerifyingKey] {
        try await secrets.keepUp()
        return secrets.current.tokenKeys
    }

    /// The keys of tokens without a session: of back ends and of plain clients. A person's token ends with its session,
    /// which ends with the epoch; such a token would be accepted again after a restore until it expires, although its
    /// back end or its key was removed after the backup. So a key of an earlier epoch does not verify it. The key and not
    /// the token's `iat` decides, because the first tokens of an epoch may be of the second in which it began.
    func currentTokenKeys() async throws -> [String: VerifyingKey] {
        try await secrets.keepUp()
        return secrets.current.currentTokenKeys
    }

    /// The epoch of the database, which each right names.
    package var epoch: Int64 { secrets.current.epoch }

    /// The key that signs access tokens now.
    package var tokenSigner: TokenSigner { secrets.current.signer(at: time.now) }

    /// The public halves of the keys that sign access tokens.
    package var jwks: JWKS { secrets.current.jwks(at: time.now) }

    var challenges: Challenges { challenges(by: secrets.current) }

    private func challenges(by secrets: ServerSecrets.Current) -> Challenges {
        Challenges(issuer: settings.publicURL, audience: settings.publicURL, secrets: secrets.challenges)
    }

    /// Verifies one of the server's own challenges for this purpose, and returns its claims and what has to be consumed
    /// with it. If the challenge's secret is unknown, the secrets are read again, because another node may have renewed
    /// them.
    func verified(_ challenge: String, for purpose: Purpose) async throws -> (claims: ChallengeClaims, spend: Spend) {
        try await byRecentSecrets { secrets in
            let claims = try challenges(by: secrets).verify(challenge, for: purpose, at: time.now)
            return (claims, try spend(.challenge, claims, until: claims.exp, in: secrets.epoch))
        }
    }

    /// Verifies the challenge that a session key got before its person was sent to a provider, and returns when that was and
    /// what has to be consumed with it.
    ///
    /// It pays for nothing by itself. It is consumed all the same: otherwise one sign-in of the person would be the fresh one
    /// of every ID token that the provider then gives out by its session.
    func beginning(by challenge: String, jkt: String) async throws -> (time: UnixTime, spend: Spend) {
        try await byRecentSecrets { secrets in
            // A person at a provider's page may take longer than a challenge lives for a signature.
            let claims = try challenges(by: secrets).verify(
                challenge, for: .enrol, youngerThan: IDToken.longestSignIn, at: time.now)
            guard claims.cnf.jkt == jkt else { throw VerificationError.foreignKey }
            return (
                claims.iat, try spend(.signInBeginning, claims, until: claims.iat + IDToken.longestSignIn, in: secrets.epoch)
            )
        }
    }

    private func byRecentSecrets<Verified>(
        _ verify: (ServerSecrets.Current) throws -> Verified
    ) async throws -> Verified {
        do {
            return try verify(secrets.current)
        } catch VerificationError.unknownKey {
            try await secrets.reload(atMostOncePerSecond: true)
            return try verify(secrets.current)
        }
    }

    private func spend(
        _ use: Spend.Use, _ claims: ChallengeClaims, until expiry: UnixTime, in epoch: Int64
    ) throws(VerificationError) -> Spend {
        // The server made the claims, so this guard does not fail.
        guard let id = Base64URL.decode(claims.jti), id.count >= 16 else { throw .malformed }
        return Spend(use, id: id, expiresAt: expiry, epoch: epoch)
    }
}
#endif
