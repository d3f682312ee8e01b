#if Server
import ThumbturnCore
public import ThumbturnMessages
import ThumbturnVerifier

/// What a resource server trusts and remembers. One value serves all its routes, so that a DPoP proof is seen once on all of them.
public struct ResourceServer: Sendable {
    let settings: Settings
    let nonces: DPoPNonces
    let time: NodeTime

    /// What a resource server is told.
    public struct Settings: Sendable {
        /// The claim `iss` of the tokens that it takes.
        public var issuer: String
        /// The claim `aud` that they must have.
        public var audience: String
        /// The address that its clients use, without a slash at the end: what DPoP proofs must be for.
        public var publicURL: String
        /// The issuer's keys.
        public var keys: IssuerKeys
        /// What each action demands: the same file as the authorization server's.
        public var policy: StepUpPolicy
        /// The memory of tokens for one use.
        public var spent: any SpentTokens

        /// All that is needed.
        public init(
            issuer: String, audience: String, publicURL: String, keys: IssuerKeys, policy: StepUpPolicy, spent: any SpentTokens
        ) {
            self.issuer = issuer
            self.audience = audience
            self.publicURL = publicURL
            self.keys = keys
            self.policy = policy
            self.spent = spent
        }
    }

    /// A resource server with these settings, by this machine's clock.
    public init(_ settings: Settings) {
        self.init(settings, clock: .system)
    }

    package init(_ settings: Settings, clock: NodeClock) {
        self.settings = settings
        time = NodeTime(clock)
        nonces = DPoPNonces(now: time.now)
    }

    /// The token of the request that is being answered, in handlers behind `RequireStepUp`.
    @TaskLocal public static var token: AccessTokenClaims?
}

extension ResourceServer {
    /// What a request has to show.
    struct Shown {
        var token: String
        var dpop: String
        var method: String
        var path: String
        var body: [UInt8]
    }

    /// Verifies the token and the DPoP proof. Nothing is said of an action before both hold (RFC 9470 section 9).
    func verify(_ shown: Shown) async throws -> AccessTokenClaims {
        let now = time.now
        let claims: AccessTokenClaims
        do {
            let keys = try await settings.keys.keys(with: AccessToken.kid(of: shown.token), at: now)
            claims = try AccessToken(
                shown.token, keys: keys, issuer: settings.issuer, audience: settings.audience, at: now
            ).claims
        } catch let refusal as VerificationError {
            throw RequestError.invalidToken(.init(.token, refusal))
        }
        do throws(VerificationError) {
            let proof = try DPoPProof(
                shown.dpop,
                for: .init(
                    method: shown.method, uri: settings.publicURL + shown.path, accessToken: shown.token,
                    body: shown.method == "GET" ? nil : shown.body
                ),
                fresh: .nonce(isLive: { nonces.isLive($0, at: now) })
            )
            guard claims.cnf.jkt == proof.jkt else { throw .foreignKey }
            try nonces.admit(proof, at: now)
        } catch {
            throw RequestError.dpop(error, atResource: true)
        }
        return claims
    }

    /// Returns if the token is good for the action now; of one that is good for one use that use is taken here.
    func judge(_ claims: AccessTokenClaims, for ask: ActionAsk) async throws {
        let now = time.now
        let demand: ActionDemand
        do throws(StepUpTable.Unasked) {
            demand = try settings.policy.current.demand(for: ask)
        } catch {
            throw RequestError.forbidden(.init(.stepUp, error))
        }
        guard Assurance(acr: claims.acr)?.meets(demand.assurance) == true else {
            throw RequestError.stepUp(StepUpChallenge(acrValues: [demand.assurance.acr], ask: ask))
        }
        let stale = RequestError.stepUp(StepUpChallenge(maximumAge: demand.maximumAge, ask: ask))
        guard let grant = claims.authorizationDetails?.first, claims.authorizationDetails?.count == 1, grant.covers(ask),
            demand.takes(grant.keys), demand.isMet(by: grant.shown), grant.once || !demand.signsEach,
            now - claims.authTime <= demand.oldest
        else { throw stale }
        guard grant.once else { return }
        guard try await settings.spent.spend("\(claims.iss) \(claims.jti)", until: claims.exp, at: now) else {
            throw stale
        }
    }
}

extension RequestError {
    /// The policy has no answer: no token helps.
    static func forbidden(_ reason: LogReason) -> RequestError {
        RequestError(problem: Problem(.verificationFailed, status: 403), reason: reason)
    }
}
#endif
