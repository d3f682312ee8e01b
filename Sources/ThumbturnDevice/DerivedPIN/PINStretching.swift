#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
package import ThumbturnCore

/// Stretches a PIN, so that each guess takes time.
package enum PINStretching {
    /// The number of PBKDF2-HMAC-SHA-256 rounds, from OWASP's Password Storage Cheat Sheet.
    package static let rounds = 600_000

    /// Stretches a PIN, differently for each key. It takes about half a second, away from the caller's actor.
    @concurrent package static func stretch(
        _ pin: PIN, for name: KeyName, rounds: Int
    ) async throws(Failure) -> [UInt8] {
        // The number of an enrolment is random, so no two keys have the same salt.
        let salt = SHA256.hash(
            data: BoundText.bytes("thumbturn pin salt v1", name.server, name.account, String(name.enrolment))
        )
        guard let stretched = PBKDF2.sha256(pin.digits, salt: Array(salt), rounds: rounds, count: 32) else {
            throw Failure(.platform)
        }
        return stretched
    }
}
