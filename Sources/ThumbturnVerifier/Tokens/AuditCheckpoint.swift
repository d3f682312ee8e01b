package import ThumbturnCore
import ThumbturnMessages

/// The server's signature over its audit log up to one row: a compact JWS, ES256, `typ: thumbturn-audit+jwt`, by a key
/// of access tokens.
package struct AuditCheckpoint: Codable, Hashable, Sendable {
    /// The header `typ`.
    package static let type = "thumbturn-audit+jwt"

    package enum CodingKeys: String, CodingKey {
        case iss, iat, log, number, hash
    }

    /// The server.
    package var iss: String
    /// When it was signed, by the server's clock.
    package var iat: UnixTime
    /// The id of the log: 16 bytes in base64url.
    package var log: String
    /// The number of the row.
    package var number: Int64
    /// The hash of the row: 32 bytes in base64url.
    package var hash: String

    package init(iss: String, iat: UnixTime, log: [UInt8], number: Int64, hash: [UInt8]) {
        self.iss = iss
        self.iat = iat
        self.log = Base64URL.encode(log)
        self.number = number
        self.hash = Base64URL.encode(hash)
    }

    /// Reads a checkpoint that one of these keys signed. Throws the first check that failed.
    package init(verifying text: String, keys: [String: VerifyingKey]) throws(VerificationError) {
        self = try WireJSON.decodeClaims(Self.self, from: try NamedKeyJWS.payload(of: text, types: [Self.type], keys: keys))
    }
}
