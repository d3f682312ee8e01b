import ThumbturnCore
import ThumbturnMessages

/// A compact JWS, ES256, whose header has only a type, the algorithm and the id of the key that signed it: an access token, a receipt,
/// or the evidence of a liveness check.
package struct NamedKeyJWS: Sendable {
    /// The id of the key that claims to have signed it.
    package let kid: String
    /// The payload, which nothing vouches for before `verify(by:)`.
    package let payload: [UInt8]
    private let jws: CompactJWS

    /// Reads a JWS.
    ///
    /// - Parameter types: the accepted types, in lower case; nil accepts an absent type. Media types are compared without regard to case
    ///   (RFC 2045 section 5.1).
    package init(_ text: String, types: Set<String?>) throws(VerificationError) {
        guard let jws = CompactJWS(text) else { throw .malformed }
        let header = try WireJSON.decode(Header.self, from: jws.header)
        guard types.contains(header.typ?.lowercased()) else { throw .wrongType }
        try ES256.require(header.alg)
        kid = header.kid
        payload = jws.payload
        self.jws = jws
    }

    /// Verifies that this key signed it. The caller has to find the key by `kid`, among those that it trusts.
    package func verify(by key: VerifyingKey) throws(VerificationError) {
        guard key.isValid(jws.signature, for: jws.signingInput) else { throw .wrongSignature }
    }

    /// The payload of a JWS that one of these keys signed.
    ///
    /// - Parameter keys: by their `kid`. The algorithm is pinned to them, never taken from the header.
    package static func payload(
        of text: String, types: Set<String?>, keys: [String: VerifyingKey]
    ) throws(VerificationError) -> [UInt8] {
        let jws = try NamedKeyJWS(text, types: types)
        guard let key = keys[jws.kid] else { throw .unknownKey }
        try jws.verify(by: key)
        return jws.payload
    }

    struct Header: Message {
        enum CodingKeys: String, CodingKey, CaseIterable { case typ, alg, kid }
        var typ: String?
        var alg: String
        var kid: String
    }
}

/// The one algorithm of every signature (RFC 7518 section 3.4): ECDSA on P-256 with SHA-256.
enum ES256 {
    /// Throws where a header names another algorithm.
    static func require(_ alg: String) throws(VerificationError) {
        guard alg == "ES256" else { throw .wrongAlgorithm }
    }
}
