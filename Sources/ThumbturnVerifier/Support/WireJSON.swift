package import ThumbturnCore

/// `StrictJSON` for messages from the network. Every fault of a text throws `malformed`, without detail.
package enum WireJSON {
    /// The compact text of a value, with its members sorted by name.
    package static func encode(_ value: some Encodable) -> [UInt8] { StrictJSON.encode(value) }

    /// Decodes a message. Members that it does not know are refused, at every depth.
    package static func decode<Value: Message>(_ type: Value.Type, from bytes: [UInt8]) throws(VerificationError) -> Value {
        do throws(JSONError) {
            return try StrictJSON.decode(type, from: bytes)
        } catch {
            throw .malformed
        }
    }

    /// Decodes claims and ignores unknown ones (RFC 7519 section 4).
    package static func decodeClaims<Claims: Decodable>(
        _ type: Claims.Type, from bytes: [UInt8]
    ) throws(VerificationError) -> Claims {
        do throws(JSONError) {
            return try StrictJSON.decodeIgnoringUnknown(type, from: bytes)
        } catch {
            throw .malformed
        }
    }
}
