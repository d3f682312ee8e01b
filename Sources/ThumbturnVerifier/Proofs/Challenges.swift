import Crypto
import Foundation
public import ThumbturnCore
public import ThumbturnMessages

/// A secret of the server that authenticates challenges: 32 random bytes, with an id so that it can be rotated.
public struct ChallengeSecret: Sendable {
    /// The id of the secret, which is the `kid` in the header of its challenges.
    public let id: String
    fileprivate let key: SymmetricKey
    /// The header of its challenges, in base64url.
    fileprivate let header: [UInt8]

    /// Creates a secret from exactly 32 bytes.
    public init(id: String, bytes: [UInt8]) {
        precondition(bytes.count == 32, "a challenge secret has 32 bytes")
        self.id = id
        key = SymmetricKey(data: bytes)
        header = Base64URL.encodedBytes(WireJSON.encode(ChallengeHeader(typ: ChallengeClaims.type, alg: "HS256", kid: id)))
    }
}

private struct ChallengeHeader: Message {
    enum CodingKeys: String, CodingKey, CaseIterable { case typ, alg, kid }
    var typ: String
    var alg: String
    var kid: String
}

/// Issues and verifies the challenges of a server: compact JWS, HS256, with an exact header.
///
/// Verification does not consume a challenge. The caller must consume it once, in the transaction that it authorises.
public struct Challenges: Sendable {
    /// The claim `iss`.
    public let issuer: String
    /// The claim `aud`.
    public let audience: String
    /// The secrets, newest first: the first one issues challenges, the others only verify older ones.
    public let secrets: [ChallengeSecret]

    /// Creates an issuer with these secrets, of which there must be at least one.
    public init(issuer: String, audience: String, secrets: [ChallengeSecret]) {
        precondition(!secrets.isEmpty, "challenges need a secret")
        self.issuer = issuer
        self.audience = audience
        self.secrets = secrets
    }

    /// Issues a challenge. The key ids are copied without looking them up; the placeholder `pin` of a new PIN key
    /// becomes a random handle.
    ///
    /// - Parameters:
    ///   - request: the keys, the session key, the purpose and the action of the challenge.
    ///   - now: the claim `iat`. The challenge expires after the lifetime of its purpose.
    ///   - moment: the first four bytes of the claim `jti`, before its 128 random bits, so that the ids of consecutive
    ///     challenges are neighbours in the index of consumed ids.
    ///   - generator: the source of the random bytes.
    /// - Returns: the challenge as a compact JWS.
    /// - Throws: `malformed` for a request that no challenge can be issued for, such as one for the purpose `approve`.
    public func issue(
        _ request: ChallengeRequest, at now: UnixTime, _ moment: UInt32 = 0, using generator: inout some RandomNumberGenerator
    ) throws(VerificationError) -> String {
        guard (1...4).contains(request.kids.count), Set(request.kids).count == request.kids.count,
            Self.mayAsk(for: request.kids, request.purpose, request.act), Self.isThumbprint(request.jkt)
        else { throw .malformed }
        let kids = request.kids.map { $0 == PINHandle.placeholder ? PINHandle.make(using: &generator) : $0 }
        let claims = ChallengeClaims(
            iss: issuer, aud: audience, jti: Self.id(moment, using: &generator), iat: now,
            exp: now + request.purpose.lifetime, kids: kids, cnf: KeyConfirmation(jkt: request.jkt), purpose: request.purpose,
            act: request.act
        )
        return sign(claims)
    }

    /// Issues a challenge for an approval. The transaction comes from the server's own record, never from the device.
    ///
    /// - Parameter txn: base64url of the transaction's bytes.
    package func issue(
        approval id: String, txn: String, demand: ApprovalDemand, kids: [String], jkt: String, at now: UnixTime,
        using generator: inout some RandomNumberGenerator
    ) throws(VerificationError) -> String {
        guard (1...4).contains(kids.count), Set(kids).count == kids.count, kids.allSatisfy(Self.isKnown),
            txn.utf8.count <= Self.largestTransaction
        else { throw .malformed }
        return sign(
            ChallengeClaims(
                iss: issuer, aud: audience, jti: Base64URL.encode(RandomBytes.sixteen(using: &generator)), iat: now,
                exp: now + Purpose.approve.lifetime, kids: kids, cnf: KeyConfirmation(jkt: jkt), purpose: .approve, act: id,
                txn: txn,
                demand: demand
            ))
    }

    private static let largestTransaction = 4 * 1024

    private static func id(_ moment: UInt32, using generator: inout some RandomNumberGenerator) -> String {
        Base64URL.encode([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: moment >> $0) } + RandomBytes.sixteen(using: &generator))
    }

    /// Verifies a challenge that one of these secrets issued, and returns its claims.
    ///
    /// - Throws: `expired`, `wrongPurpose`, or the first other check that failed.
    public func verify(_ challenge: String, for purpose: Purpose, at now: UnixTime) throws(VerificationError) -> ChallengeClaims {
        let claims = try issuedClaims(of: challenge, for: purpose)
        try TokenTimes.check(issued: claims.iat, expiry: claims.exp, longestLife: purpose.lifetime, at: now)
        return claims
    }

    /// Verifies a challenge that shows when something began, and returns its claims. No key signs such a challenge, so it
    /// may be older than one that is signed: its expiry does not count.
    ///
    /// - Throws: `expired` at this age or a greater one, `notYetValid`, `wrongPurpose`, or the first other check that failed.
    package func verify(
        _ challenge: String, for purpose: Purpose, youngerThan age: Duration, at now: UnixTime
    ) throws(VerificationError) -> ChallengeClaims {
        let claims = try issuedClaims(of: challenge, for: purpose)
        try TokenTimes.checkPast(claims.iat, at: now)
        guard now - claims.iat < age else { throw .expired }
        return claims
    }

    /// The claims of a challenge that one of these secrets issued for this purpose, whatever its age.
    private func issuedClaims(of challenge: String, for purpose: Purpose) throws(VerificationError) -> ChallengeClaims {
        guard let jws = CompactJWS(challenge) else { throw .malformed }
        let secret = try secret(of: jws)
        guard HMAC<SHA256>.isValidAuthenticationCode(jws.signature, authenticating: jws.signingInput, using: secret.key)
        else { throw .wrongSignature }
        let claims = try WireJSON.decode(ChallengeClaims.self, from: jws.payload)
        guard claims.iss == issuer else { throw .wrongIssuer }
        guard claims.aud == audience else { throw .wrongAudience }
        guard claims.purpose == purpose else { throw .wrongPurpose }
        return claims
    }

    /// The secret whose header the challenge has. A header of ours has one spelling; another one is read only to tell
    /// what is wrong with it.
    private func secret(of jws: CompactJWS) throws(VerificationError) -> ChallengeSecret {
        if let secret = secrets.first(where: {
            jws.signingInput.starts(with: $0.header) && jws.signingInput[$0.header.count] == UInt8(ascii: ".")
        }) {
            return secret
        }
        let header = try WireJSON.decode(ChallengeHeader.self, from: jws.header)
        guard header.typ == ChallengeClaims.type else { throw .wrongType }
        guard header.alg == "HS256" else { throw .wrongAlgorithm }
        throw .unknownKey
    }

    /// The challenge with these claims, authenticated with the newest secret.
    package func sign(_ claims: ChallengeClaims) -> String {
        let input = secrets[0].header + [UInt8(ascii: ".")] + Base64URL.encodedBytes(WireJSON.encode(claims))
        let code = HMAC<SHA256>.authenticationCode(for: input, using: secrets[0].key)
        return CompactJWS.compact(signingInput: input, signature: Array(code))
    }

    /// Whether a challenge may be issued for these keys. Only the server makes handles: a new PIN key has the
    /// placeholder, and every other handle names an enrolled key. In a change the new key comes first, so a handle in
    /// that place is always new.
    private static func mayAsk(for kids: [String], _ purpose: Purpose, _ act: String?) -> Bool {
        switch purpose {
        case .signIn: return act == nil && kids.allSatisfy(isKnown)
        // The transaction is in the server's own record: see `issue(approval:)`.
        case .approve: return false
        case .stepUp: return act.flatMap(ActionAsk.init(text:)) != nil && kids.allSatisfy(isKnown)
        case .enrol: return act == nil && kids.allSatisfy { isThumbprint($0) || $0 == PINHandle.placeholder }
        case .manage:
            guard let change = act.flatMap(KeyChange.init(rawValue:)) else { return false }
            guard change.bringsKey else { return kids.allSatisfy(isKnown) }
            let isNew = change.kind == .pin ? kids[0] == PINHandle.placeholder : isThumbprint(kids[0])
            return isNew && kids.dropFirst().allSatisfy(isKnown)
        }
    }

    /// Whether an id has the form of an enrolled key's: a thumbprint or a handle.
    private static func isKnown(_ kid: String) -> Bool { isThumbprint(kid) || PINHandle.isHandle(kid) }

    /// Whether an id has the form of a thumbprint: 32 bytes in 43 characters.
    private static func isThumbprint(_ text: String) -> Bool {
        text.utf8.count == 43 && Base64URL.decode(text)?.count == 32
    }
}
