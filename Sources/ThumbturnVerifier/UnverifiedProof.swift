import ThumbturnCore
import ThumbturnMessages

/// A proof that is decoded but not verified.
public struct UnverifiedProof: Sendable {
    /// The key that claims to have signed.
    public let kid: String
    /// The challenge string, exactly as it was signed.
    public let challenge: String
    private let jws: CompactJWS

    /// Decodes a proof: compact JWS, type `thumbturn-proof+jwt`, ES256, with exactly these header members.
    public init(_ text: String) throws(VerificationError) {
        guard let jws = CompactJWS(text) else { throw .malformed }
        let header = try WireJSON.decode(ProofHeader.self, from: jws.header)
        guard header.typ == ProofHeader.type else { throw .wrongType }
        try ES256.require(header.alg)
        guard let challenge = String(validating: jws.payload, as: UTF8.self) else { throw .malformed }
        self.jws = jws
        kid = header.kid
        self.challenge = challenge
    }

    /// The challenge inside a damaged proof, as far as its payload can be decoded. A failed attempt also consumes its challenge.
    public static func challenge(in text: String) -> String? {
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 2, let payload = Base64URL.decode(parts[1]) else { return nil }
        return String(validating: payload, as: UTF8.self)
    }

    /// Verifies that `key` signed this proof. The caller has to find the key by `kid`, and to decide that it may sign.
    public func verify(by key: VerifyingKey) throws(VerificationError) {
        guard key.isValid(jws.signature, for: jws.signingInput) else { throw .wrongSignature }
    }
}
