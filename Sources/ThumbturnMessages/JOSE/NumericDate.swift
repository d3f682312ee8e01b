package import ThumbturnCore

/// A NumericDate (RFC 7519 section 2) that another issuer wrote, in whole seconds.
///
/// It may have a fraction of a second, which is rounded down: what happened looks older, and what expires does so earlier.
/// So nothing is valid for longer than its issuer said.
package struct NumericDate: Decodable, Hashable, Sendable {
    /// The time, rounded down.
    package let time: UnixTime

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A whole number is not read as a fraction, which cannot have all of its digits.
        if let whole = try? container.decode(Int64.self) {
            time = UnixTime(seconds: whole)
            return
        }
        guard let whole = Int64(exactly: try container.decode(Double.self).rounded(.down)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "expected a time of 64 bits")
        }
        time = UnixTime(seconds: whole)
    }
}

/// A claim of another issuer that must not cost the person the sign-in where it cannot be read.
package struct IfReadable<Value: Decodable & Sendable>: Decodable, Sendable {
    /// The value; nil where it cannot be read.
    package let value: Value?

    package init(from decoder: any Decoder) throws { value = try? Value(from: decoder) }
}
