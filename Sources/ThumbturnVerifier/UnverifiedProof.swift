import ThumbturnCore
import ThumbturnMessages

/// A proof as it arrived: read, but not yet verified.
public struct UnverifiedProof: Sendable {
    /// The key that claims to have signed.
    public let kid: String
    /// The challenge string, exactly as it was signed.
    public let challenge: String
    private let jws: CompactJWS

    /// Reads a proof: compact JWS, type `thumbturn-proof+jwt`, ES256, with exactly these header members.
    public init(_ text: String) throws(VerificationError) {
        guard let jws = CompactJWS(text) else { throw .malformed }
        let header = try WireJSON.decode(ProofHeader.self, from: jws.header)
        guard header.typ == ProofHeader.type else { throw .wrongType }
        guard header.alg == "ES256" else { throw .wrongAlgorithm }
        guard let challenge = String(validating: jws.payload, as: UTF8.self) else { throw .malformed }
        self.jws = jws
        kid = header.kid
        self.challenge = challenge
    }

    /// The challenge inside something that is meant to be a proof, however damaged the rest of it is. A broken attempt is an
    /// attempt: what it is about must be spent all the same.
    public static func challenge(in text: String) -> String? {
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 2, let payload = Base64URL.decode(parts[1]) else { return nil }
        return String(validating: payload, as: UTF8.self)
    }

    /// Returns if `key` made this proof, and throws otherwise. The caller has found the key by `kid` and owns that decision.
    public func verify(by key: VerifyingKey) throws(VerificationError) {
        guard key.isValid(jws.signature, for: jws.signingInput) else { throw .wrongSignature }
    }
}
