import ThumbturnCore
import ThumbturnMessages

/// A proof that is decoded and not verified.
public struct UnverifiedProof: Sendable {
    /// The id of the key that the proof names as its signer.
    public let kid: String
    /// The challenge string, exactly as it was signed.
    public let challenge: String
    private let jws: CompactJWS

    /// Decodes a proof: compact JWS, type `thumbturn-proof+jwt`, ES256, without other header members. Throws the first
    /// check that failed.
    public init(_ text: String) throws(VerificationError) {
        guard let jws = CompactJWS(text) else { throw .malformed }
        let header = try WireJSON.decode(ProofHeader.self, from: jws.header)
        guard header.typ == ProofHeader.type else { throw .wrongType }
        try ES256.require(header.alg)
        guard let challenge = Self.challenge(jws.payload) else { throw .malformed }
        self.jws = jws
        kid = header.kid
        self.challenge = challenge
    }

    /// The challenge in a proof that may be malformed otherwise; nil if its payload cannot be decoded, and for a text of
    /// more than 16 KiB. The server needs it because a failed attempt consumes its challenge, too.
    public static func challenge(in text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count <= CompactJWS.largest else { return nil }
        let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 2, let payload = Base64URL.decode(parts[1]) else { return nil }
        return self.challenge(payload)
    }

    /// A challenge is a compact JWS, so it is ASCII.
    private static func challenge(_ payload: [UInt8]) -> String? {
        ASCII.holds(payload) ? String(decoding: payload, as: UTF8.self) : nil
    }

    /// Verifies that `key` signed this proof, or throws `wrongSignature`. The caller has to find the key by `kid`, and
    /// to decide whether it may sign.
    public func verify(by key: VerifyingKey) throws(VerificationError) {
        guard key.isValid(jws.signature, for: jws.signingInput) else { throw .wrongSignature }
    }
}
