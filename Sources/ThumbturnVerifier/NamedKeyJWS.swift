import ThumbturnCore
import ThumbturnMessages

/// A compact JWS, ES256, whose header has only a type, the algorithm and the id of the key that signed it: an access
/// token or a receipt.
package enum NamedKeyJWS {
    /// The payload of a JWS that one of these keys signed.
    ///
    /// - Parameters:
    ///   - types: the accepted types, in lower case; nil accepts an absent type. Media types are compared without
    ///     regard to case (RFC 2045 section 5.1).
    ///   - keys: the accepted keys by their `kid`. The algorithm is that of the keys, never taken from the header.
    package static func payload(
        of text: String, types: Set<String?>, keys: [String: VerifyingKey]
    ) throws(VerificationError) -> [UInt8] {
        guard let jws = CompactJWS(text) else { throw .malformed }
        let header = try WireJSON.decode(Header.self, from: jws.header)
        guard types.contains(header.typ?.lowercased()) else { throw .wrongType }
        guard header.alg == "ES256" else { throw .wrongAlgorithm }
        guard let key = keys[header.kid] else { throw .unknownKey }
        guard key.isValid(jws.signature, for: jws.signingInput) else { throw .wrongSignature }
        return jws.payload
    }

    struct Header: Message {
        enum CodingKeys: String, CodingKey, CaseIterable { case typ, alg, kid }
        var typ: String?
        var alg: String
        var kid: String
    }
}
