#if Server
import Crypto
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The text of refresh tokens: session (16 bytes), generation (4 bytes, big-endian) and HMAC-SHA-256 over both (32
/// bytes), in base64url.
///
/// The successor of a token is always the same, so a repeated exchange cannot fork a session. `RefreshRotation` says when a
/// token is exchanged.
struct RefreshTokens {
    private let key: SymmetricKey

    init(key: SymmetricKey) {
        self.key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, info: Array("thumbturn refresh".utf8), outputByteCount: 32
        )
    }

    func token(of session: SessionID, generation: UInt32) -> String {
        let body = session.bytes + (0..<4).map { UInt8(truncatingIfNeeded: generation >> (24 - 8 * $0)) }
        return Base64URL.encode(body + Array(HMAC<SHA256>.authenticationCode(for: body, using: key)))
    }

    /// The session and the generation of a token that this server made; nil for any other text.
    func read(_ token: String) -> (SessionID, generation: UInt32)? {
        guard token.utf8.count == 70, let bytes = Base64URL.decode(token), bytes.count == 52,
            let session = SessionID(Array(bytes[..<16])),
            HMAC<SHA256>.isValidAuthenticationCode(bytes[20...], authenticating: bytes[..<20], using: key)
        else { return nil }
        return (session, bytes[16..<20].reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// The hash under which a token is stored.
    static func hash(_ token: String) -> [UInt8] { SHA256.bytes(of: Array(token.utf8)) }
}
#endif
