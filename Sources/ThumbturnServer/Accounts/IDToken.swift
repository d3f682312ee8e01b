#if Server
import Crypto
import CryptoExtras
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// An OpenID provider of the app, whose ID tokens this server exchanges for enrolment tickets.
struct IdentityProvider: Sendable {
    var issuer: String
    /// The app's client id at the provider.
    var audience: String
    var keys: [Key]
    var staleSignIn = StaleSignIn.enrolsWithCoolOffOnly

    /// The worth of a stale sign-in at this provider, from the operator's file. Each value names what it lets happen.
    enum StaleSignIn: String, Decodable, Sendable, CaseIterable {
        /// It opens a visit and enrols a device that cools off, and changes no keys.
        case enrolsWithCoolOffOnly = "enrols_with_cool_off_only"
        /// It changes keys too: for a provider that cannot be asked for a fresh sign-in.
        case aBrowserCookieMayResetKeys = "a_browser_cookie_may_reset_keys"

        var freshness: SignInFreshness {
            switch self {
            case .enrolsWithCoolOffOnly: .stale
            case .aBrowserCookieMayResetKeys: .acceptedStale
            }
        }
    }

    /// A public key with its only algorithm.
    struct Key: Sendable {
        enum Signature: Sendable {
            case es256(VerifyingKey)
            case rs256(_RSA.Signing.PublicKey)
        }

        var kid: String?
        var signature: Signature

        func isValid(_ signature: [UInt8], for message: [UInt8], algorithm: String) -> Bool {
            switch (self.signature, algorithm) {
            case (.es256(let key), "ES256"): key.isValid(signature, for: message)
            case (.rs256(let key), "RS256"):
                // RFC 7518 section 3.3 demands this padding.
                key.isValidSignature(
                    _RSA.Signing.RSASignature(rawRepresentation: signature), for: message, padding: .insecurePKCS1v1_5)
            default: false
            }
        }
    }
}

/// A verified ID token of one of the providers (OpenID Connect Core section 3.1.3.7), bound to one session key.
struct IDToken {
    /// The longest time between the sign-in at the provider and the exchange.
    static let longestAge = Duration.seconds(600)
    /// The longest time between the beginning of a sign-in and the exchange. A device gives the person 10 minutes at the
    /// provider's page, and needs a moment before and after.
    static let longestSignIn = Duration.seconds(660)
    /// How far a provider's clock may be ahead.
    static let skew = TokenTimes.leeway

    let issuer: String
    let subject: String
    let issuedAt: UnixTime
    /// How the provider verified the person, in its own words (OpenID Connect Core section 2, `amr`). Where it does not
    /// say, or not in short texts, it is `fed`: no value of RFC 8176 says that another party signed the person in, and an
    /// empty list would say that nothing did.
    let methods: [String]
    private let id: [UInt8]
    private let expiresAt: UnixTime
    private let authTime: UnixTime?
    private let staleSignIn: IdentityProvider.StaleSignIn

    /// Whether the provider authenticated the person for this sign-in.
    ///
    /// - Parameter began: the server's time when the sign-in began; nil if nothing shows it.
    func freshness(since began: UnixTime?) -> SignInFreshness {
        guard let authTime, let began, TokenExchange.isFresh(authTime, since: began) else { return staleSignIn.freshness }
        return .fresh
    }

    /// The record that this token was used, so that it is accepted once.
    func spend(in epoch: Int64) -> Spend { Spend(.idToken, id: id, expiresAt: expiresAt, epoch: epoch) }

    /// The record that this authentication of the person was the fresh one of an ID token, so that it is that once: a provider may
    /// give out more ID tokens with its time, and challenges from before it may be kept in stock.
    func spendAuthentication(in epoch: Int64) -> Spend {
        guard let authTime else { preconditionFailure("only an authentication whose time is known is fresh") }
        let named = "\(issuer)\n\(subject)\n\(authTime.seconds)"
        return Spend(
            .authentication, id: Array(SHA256.hash(data: Array(named.utf8)).prefix(16)),
            expiresAt: authTime + Self.longestSignIn + TokenExchange.clockLeeway + .seconds(1), epoch: epoch)
    }

    /// Verifies a token. Its `nonce` has to name the session key that presents it, so that a stolen
    /// token is useless to another device, and so is a token that was issued for another purpose.
    init(_ text: String, providers: [IdentityProvider], jkt: String, at now: UnixTime) throws(VerificationError) {
        guard let jws = CompactJWS(text) else { throw .malformed }
        let header = try WireJSON.decodeClaims(Header.self, from: jws.header)
        guard header.crit == nil else { throw .malformed }
        guard header.typ.map({ ["jwt", "application/jwt"].contains($0.lowercased()) }) ?? true else { throw .wrongType }
        let claims = try WireJSON.decodeClaims(Claims.self, from: jws.payload)
        guard let provider = providers.first(where: { $0.issuer == claims.iss }) else { throw .wrongIssuer }
        let keys = header.kid.map { kid in provider.keys.filter { $0.kid == kid } } ?? provider.keys
        guard keys.count == 1, let key = keys.first else { throw .unknownKey }
        guard key.isValid(jws.signature, for: jws.signingInput, algorithm: header.alg) else { throw .wrongSignature }
        guard claims.aud.values.contains(provider.audience),
            claims.azp.map({ $0 == provider.audience }) ?? (claims.aud.values.count == 1)
        else { throw .wrongAudience }
        guard TokenExchange.names(claims.nonce, key: jkt) else { throw .foreignKey }
        let (iat, exp) = (claims.iat.time, claims.exp.time)
        guard now < exp else { throw .expired }
        try TokenTimes.checkPast(iat, at: now)
        guard now - iat < Self.longestAge else { throw .expired }
        guard (1...255).contains(claims.sub.utf8.count) else { throw .malformed }
        issuer = claims.iss
        subject = claims.sub
        issuedAt = iat
        methods = claims.amr?.values ?? ["fed"]
        // Over the signed part only, because one text may have several valid signatures.
        id = Array(SHA256.hash(data: jws.signingInput).prefix(16))
        expiresAt = min(exp, iat + Self.longestAge)
        // Nothing from the future counts as fresh, nor does what is no time. Neither costs the person the sign-in.
        authTime = claims.authTime?.value.flatMap { TokenTimes.age(of: $0.time, at: now) == nil ? nil : $0.time }
        staleSignIn = provider.staleSignIn
    }

    private struct Header: Decodable {
        var alg: String
        var typ: String?
        var kid: String?
        var crit: [String]?
    }

    private struct Claims: Decodable {
        enum CodingKeys: String, CodingKey {
            case iss, sub, aud, azp, nonce, iat, exp, amr
            case authTime = "auth_time"
        }

        var iss: String
        var sub: String
        var aud: Audiences
        var azp: String?
        var nonce: String
        var iat: NumericDate
        var exp: NumericDate
        var amr: Methods?
        var authTime: IfReadable<NumericDate>?
    }

    /// 1 to 8 texts of visible ASCII; nil for anything else, which must not cost the person the sign-in.
    private struct Methods: Decodable {
        var values: [String]?

        init(from decoder: any Decoder) throws {
            let values = try? decoder.singleValueContainer().decode([String].self)
            guard let values, (1...8).contains(values.count), values.allSatisfy(ShownText.identifier.holds) else { return }
            self.values = values
        }
    }

    private struct Audiences: Decodable {
        var values: [String]

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let single = try? container.decode(String.self) {
                values = [single]
            } else {
                values = try container.decode([String].self)
            }
        }
    }
}
#endif
