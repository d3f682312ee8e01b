#if Server
import ThumbturnCore
public import ThumbturnMessages
import ThumbturnVerifier

/// A resource server: its settings, and the DPoP proofs that it has seen. Use one value for all its routes, so that a
/// DPoP proof is accepted by only one of them.
public struct ResourceServer: Sendable {
    let settings: Settings
    let nonces: DPoPNonces
    let time: NodeTime

    /// The settings of a resource server.
    public struct Settings: Sendable {
        /// The issuer that tokens must have (`iss`).
        public var issuer: String
        /// The audience that tokens must have (`aud`).
        public var audience: String
        /// The address that clients use, without a slash at the end. DPoP proofs must be for it.
        public var publicURL: String
        /// The issuer's public keys.
        public var keys: IssuerKeys
        /// The demands of each action. Use the same policy file as the authorization server.
        public var policy: StepUpPolicy
        /// The memory of consumed single-use tokens.
        public var spent: any SpentTokens

        /// Creates settings.
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

    /// Creates a resource server with these settings and the system's clock.
    public init(_ settings: Settings) {
        self.init(settings, clock: .system)
    }

    /// Creates a resource server with this clock.
    package init(_ settings: Settings, clock: NodeClock) {
        self.settings = settings
        time = NodeTime(clock)
        nonces = DPoPNonces(now: time.now)
    }

    /// The claims of the current request's access token, in handlers behind `RequireStepUp`; nil elsewhere.
    @TaskLocal public static var token: AccessTokenClaims?
}

extension ResourceServer {
    /// Verifies the token and the DPoP proof. Until both are verified, a refusal reveals nothing about the action (RFC
    /// 9470 section 9).
    func verify(_ token: String, dpop: String, for request: DPoPProof.Request) async throws -> AccessTokenClaims {
        let now = time.now
        let claims: AccessTokenClaims
        do {
            let keys = try await settings.keys.keys(with: AccessToken.kid(of: token), at: now)
            claims = try AccessToken(
                token, keys: keys, issuer: settings.issuer, audience: settings.audience, at: now
            ).claims
        } catch let refusal as VerificationError {
            throw RequestError.invalidToken(.init(.token, refusal))
        }
        do throws(VerificationError) {
            let proof = try DPoPProof(dpop, for: request, fresh: .nonce(isLive: { nonces.isLive($0, at: now) }))
            guard claims.cnf.jkt == proof.jkt else { throw .foreignKey }
            try nonces.admit(proof, at: now)
        } catch {
            throw RequestError.dpop(error, atResource: true)
        }
        return claims
    }

    /// Throws unless the token covers the action. Consumes the use of a single-use token.
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
    /// The policy has no rule for the action, so no token is accepted.
    static func forbidden(_ reason: LogReason) -> RequestError {
        RequestError(.verificationFailed, 403, for: reason)
    }
}
#endif
