#if Server
import Crypto
import ThumbturnCore

/// Recovery codes, which a person keeps on paper. Each code replaces a lost factor once. A code has 120 random bits, so
/// a plain hash is enough to store it (OWASP ASVS 6.5.2).
package enum RecoveryCodes {
    /// The number of codes that an account gets.
    package static let count = 10

    /// 24 characters in groups of four, with hyphens between them.
    package static func random() -> String {
        let text = Base32.encode((0..<15).map { _ in UInt8.random(in: 0...255) })
        let groups = stride(from: 0, to: 24, by: 4).map { start in
            String(text.dropFirst(start).prefix(4))
        }
        return groups.joined(separator: "-")
    }

    /// The hash under which a code is stored. Letter case, hyphens and spaces are ignored; 0 counts as O and 1 as I,
    /// because the alphabet has neither digit.
    package static func hash(_ typed: String) -> [UInt8] {
        let letters = typed.uppercased().filter { $0 != "-" && $0 != " " }.map { $0 == "0" ? "O" : $0 == "1" ? "I" : $0 }
        return Array(SHA256.hash(data: Array("thumbturn recovery \(String(letters))".utf8)))
    }
}
#endif
