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
        /// The longest time between `iat` and `exp` of a token; a token with a longer life is refused. Set it if the issuer
        /// has another `ServerSettings.accessTokenLifetime`.
        public var longestTokenLife = AccessToken.longestLife

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
        // It keeps no time beyond the process, and a clock that jumps ahead makes it refuse more.
        time = NodeTime(clock, largestStep: nil)
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
                token, keys: keys, issuer: settings.issuer, audience: settings.audience,
                longestLife: settings.longestTokenLife, at: now
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
        try await claims.judge(for: ask, by: settings.policy.current, at: now) { grant in
            guard grant.once else { return true }
            return try await settings.spent.spend("\(claims.iss) \(claims.jti)", until: claims.exp, at: now)
        }
    }
}
#endif
