#if Server
import Crypto
import Foundation
import ThumbturnMessages

/// How a plain client signs. It is named at the enrolment of the key, and never guessed from what the client sends: each
/// key is accepted in its own format alone. docs/plain-clients.md says what the second one gives up.
package enum PlainFormat: String, Sendable, Codable, CaseIterable {
    /// 64 hexadecimal digits that depend on the challenge are signed. The signature is r and s for ES256, in base64url
    /// without padding.
    case digits = "plain-v1"
    /// The bytes of the challenge themselves are signed, with P-256. The signature is in DER, in base64 with padding.
    case derChallenge = "der-challenge"

    /// The bytes that are signed for a challenge or a ticket of the server.
    ///
    /// The 64 lower-case digits are the SHA-256 of `thumbturn-plain-v1` and the challenge. They have no dot, a challenge has
    /// none and a ticket has two, so a signature over any of them is never the signature of a JWS, whose input has one,
    /// nor the reverse.
    func message(_ challenge: String) -> [UInt8] {
        switch self {
        case .digits:
            let digits = Array("0123456789abcdef".utf8)
            return SHA256.hash(data: Array("thumbturn-plain-v1\(challenge)".utf8)).flatMap {
                [digits[Int($0 >> 4)], digits[Int($0 & 15)]]
            }
        case .derChallenge: return Array(challenge.utf8)
        }
    }
}

/// A plain client's signature with the format that its text has. No text has both: 64 bytes in base64url are no group of
/// four characters, and no DER of a P-256 signature is as long as an RSA signature.
struct PlainSignature: Sendable {
    let format: PlainFormat
    /// The keys that can have made it, which its length tells.
    let kind: PlainKey.Kind
    /// r and s of 32 bytes each for ES256; as long as the modulus for RS256.
    let bytes: [UInt8]

    /// Nil for a text of neither format.
    init?(_ text: String) {
        if let bytes = Base64URL.decode(text), let kind = PlainKey.Kind(rawValue: bytes.count) {
            (format, self.kind, self.bytes) = (.digits, kind, bytes)
            return
        }
        // Only the one encoding: no characters that are skipped, and no second form of a number.
        guard text.utf8.count <= Self.longestText, let der = Data(base64Encoded: text), der.base64EncodedString() == text,
            let parsed = try? P256.Signing.ECDSASignature(derRepresentation: der), parsed.derRepresentation == der
        else { return nil }
        (format, kind, bytes) = (.derChallenge, .es256, Array(parsed.rawRepresentation))
    }

    /// 72 bytes: two integers of 33 bytes each, with their tags and lengths, in a SEQUENCE.
    private static let longestText = 96
}
#endif
