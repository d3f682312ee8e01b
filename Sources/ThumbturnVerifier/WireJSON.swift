import Foundation
package import ThumbturnCore

/// JSON as it travels: compact, sorted, and read strictly.
package enum WireJSON {
    private static let encoder: JSONEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return encoder
    }()
    private static let decoder = JSONDecoder()

    /// Our own values always have a JSON form.
    package static func encode(_ value: some Encodable) -> [UInt8] {
        do {
            return Array(try encoder.encode(value))
        } catch {
            preconditionFailure("a message that cannot be written as JSON: \(error)")
        }
    }

    /// Decodes a message and refuses unknown members.
    package static func decode<M: Message>(_ type: M.Type, from bytes: [UInt8]) throws(Refusal) -> M {
        guard JSONScan.isUnambiguous(bytes) else { throw .malformed }
        do {
            return try decoder.decode(Strict<M>.self, from: Data(bytes)).content
        } catch {
            throw .malformed
        }
    }

    /// Decodes claims and ignores unknown ones (RFC 7519 section 4).
    package static func decodeClaims<Claims: Decodable>(_ type: Claims.Type, from bytes: [UInt8]) throws(Refusal) -> Claims {
        guard JSONScan.isUnambiguous(bytes) else { throw .malformed }
        do {
            return try decoder.decode(Claims.self, from: Data(bytes))
        } catch {
            throw .malformed
        }
    }
}
