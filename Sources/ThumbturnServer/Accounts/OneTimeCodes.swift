#if Server
import Crypto
import Foundation
package import ThumbturnCore

/// Time-based one-time codes (RFC 6238): HMAC-SHA-1, steps of 30 s, 6 digits, as authenticator apps use them.
package struct OneTimeCodes: Sendable, Redacted {
    /// 20 bytes (RFC 4226 section 4, R6).
    package let secret: [UInt8]

    /// Creates the codes of a secret.
    package init(secret: [UInt8]) { self.secret = secret }

    /// Codes with a new random secret.
    package static func random() -> OneTimeCodes { OneTimeCodes(secret: (0..<20).map { _ in UInt8.random(in: 0...255) }) }

    /// The number of the 30-second step at a time (RFC 6238 section 4.2).
    package static func step(at time: UnixTime) -> Int64 { time.seconds / 30 }

    /// The code of a step (RFC 4226 section 5.3).
    package func code(of step: Int64, digits: Int = 6) -> String {
        let message = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * $0)) }
        let mac = Array(HMAC<Insecure.SHA1>.authenticationCode(for: message, using: SymmetricKey(data: secret)))
        let offset = Int(mac[19] & 0xF)
        let number = mac[offset..<offset + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let power = (0..<digits).reduce(UInt32(1)) { power, _ in power * 10 }
        let text = String(number % power)
        return String(repeating: "0", count: digits - text.count) + text
    }

    /// The step of a typed code: the current one, the previous one or the next one (RFC 6238 section 5.2). All three
    /// are compared, so that the time does not reveal which one it is.
    package func step(of typed: String, at time: UnixTime) -> Int64? {
        let now = Self.step(at: time)
        let digits = Array(typed.utf8.filter { $0 != UInt8(ascii: " ") })
        var found: Int64?
        for step in now - 1...now + 1 where Self.equal(digits, Array(code(of: step).utf8)) { found = step }
        return found
    }

    /// The `otpauth` address that authenticator apps read.
    package func address(account: String, issuer: String) -> String {
        var parts = URLComponents()
        (parts.scheme, parts.host, parts.path) = ("otpauth", "totp", "/\(issuer):\(account)")
        parts.queryItems = [
            URLQueryItem(name: "secret", value: Base32.encode(secret)), URLQueryItem(name: "issuer", value: issuer),
        ]
        return parts.string ?? ""
    }

    private static func equal(_ lhs: [UInt8], _ rhs: [UInt8]) -> Bool {
        guard lhs.count == rhs.count else { return false }
        return zip(lhs, rhs).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// Base 32 without padding (RFC 4648 section 6).
enum Base32 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")

    static func encode(_ bytes: [UInt8]) -> String {
        var (text, buffer, bits) = ("", UInt32(0), 0)
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(alphabet[Int(buffer >> UInt32(bits) & 31)])
            }
            buffer &= 0xFF
        }
        if bits > 0 { text.append(alphabet[Int(buffer << UInt32(5 - bits) & 31)]) }
        return text
    }
}
#endif
