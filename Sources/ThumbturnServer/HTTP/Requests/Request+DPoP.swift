#if Server
import HTTPTypes
import Hummingbird
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension HTTPField.Name {
    static let dpop = HTTPField.Name("DPoP")!
    static let dpopNonce = HTTPField.Name("DPoP-Nonce")!
}

extension Request {
    /// The DPoP proof of a request; nil if there is none, or more than one (RFC 9449 section 4.3, check 1).
    var dpopProof: String? {
        let values = headers[values: .dpop]
        guard values.count == 1, !values[0].utf8.contains(UInt8(ascii: ",")) else { return nil }
        return values[0]
    }

    /// The token in `Authorization: <scheme> <token>`; nil if the header is missing, is sent twice or has another
    /// scheme.
    func authorization(scheme: String) -> String? {
        let values = headers[values: .authorization]
        guard values.count == 1 else { return nil }
        let parts = values[0].split(separator: " ", maxSplits: 1)
        // Bytes are compared: comparing strings takes quadratic time for some of an attacker's.
        guard parts.count == 2, parts[0].utf8.elementsEqual(scheme.utf8, by: { $0 | 0x20 == $1 | 0x20 }) else { return nil }
        return String(parts[1])
    }

    /// The request that a DPoP proof has to be for, under the server's public URL. `DPoPProof` refuses a proof for
    /// another URL (`VerificationError.wrongRequest`).
    func dpopTarget(at publicURL: String, accessToken: String?, body: [UInt8]) -> DPoPProof.Request {
        DPoPProof.Request(
            method: method.rawValue, uri: publicURL + uri.path, accessToken: accessToken,
            // Standard DPoP does not cover the body, and the body of every method but GET may change something.
            body: method == .get ? nil : body
        )
    }
}
#endif
