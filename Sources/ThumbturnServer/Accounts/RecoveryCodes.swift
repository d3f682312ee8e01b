#if Server
import Crypto
import ThumbturnCore

/// Codes to write down: each replaces once what was lost. 120 random bits each, so a plain hash keeps them (OWASP ASVS 6.5.2).
package enum RecoveryCodes {
    package static let count = 10

    /// 24 characters, with a hyphen after each four.
    package static func random() -> String {
        let text = Base32.encode((0..<15).map { _ in UInt8.random(in: 0...255) })
        let groups = stride(from: 0, to: 24, by: 4).map { start in
            String(text.dropFirst(start).prefix(4))
        }
        return groups.joined(separator: "-")
    }

    /// What is stored of a code. Small letters, hyphens and spaces do not matter, nor does a nought for an O or a one for an I: the
    /// alphabet has neither.
    package static func hash(_ typed: String) -> [UInt8] {
        let letters = typed.uppercased().filter { $0 != "-" && $0 != " " }.map { $0 == "0" ? "O" : $0 == "1" ? "I" : $0 }
        return Array(SHA256.hash(data: Array("thumbturn recovery \(String(letters))".utf8)))
    }
}
#endif
