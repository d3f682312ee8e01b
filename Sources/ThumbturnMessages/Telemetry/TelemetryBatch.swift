public import ThumbturnCore

/// Reports of unlocks on their way from a device to a server.
///
///     {"batch": "hNn0…", "day": "pX3k…", "unlocks": [{"context": {…}, "began": 1790000000, "events": […]}]}
///
/// Nothing in it names a person, an account or a device: `batch` is random and new for each batch, `day` is random and new each day.
public struct TelemetryBatch: Hashable, Sendable {
    /// The name of this batch, by which a server counts it once although it may come twice: 16 random bytes.
    public var id: Name
    /// The name of this device for one day of UTC, by which a server counts distinct devices: 16 random bytes, drawn anew each day.
    public var day: Name
    /// The unlocks: at least one, at most `mostUnlocks`.
    public var unlocks: [UnlockReport]

    /// The most unlocks of a batch.
    public static let mostUnlocks = 100
    /// The largest batch that a server takes, in bytes of JSON.
    public static let largest = 256 * 1024

    /// 16 random bytes, written as 22 characters of base64url (RFC 4648 section 5) without padding.
    public struct Name: Hashable, Sendable {
        /// The characters.
        public let text: String

        /// Draws a name.
        public init(using generator: inout some RandomNumberGenerator) {
            text = Base64URL.encode((0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
    }

    /// Makes a batch of at most `mostUnlocks` unlocks; the first ones of more.
    public init(_ unlocks: [UnlockReport], id: Name, day: Name) {
        self.id = id
        self.day = day
        self.unlocks = Array(unlocks.prefix(Self.mostUnlocks))
    }
}

extension TelemetryBatch: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case id = "batch"
        case day, unlocks
    }

    /// Reads a batch. Throws `DecodingError` for an unknown member, a name of another form, and for none or too many unlocks.
    public init(from decoder: any Decoder) throws {
        try StrictKeys.check(decoder, CodingKeys.allCases)
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let unlocks = try values.decode([UnlockReport].self, forKey: .unlocks)
        guard (1...Self.mostUnlocks).contains(unlocks.count) else {
            throw DecodingError.dataCorruptedError(
                forKey: .unlocks, in: values, debugDescription: "has not 1 to \(Self.mostUnlocks) unlocks")
        }
        self.init(
            unlocks, id: try values.decode(Name.self, forKey: .id), day: try values.decode(Name.self, forKey: .day))
    }
}

extension TelemetryBatch.Name: Codable {
    /// Reads a name. Throws `DecodingError` for a text that is not 16 bytes in base64url.
    public init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        guard Base64URL.decode(text)?.count == 16 else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "is not 16 bytes in base64url"))
        }
        self.text = text
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

extension TelemetryBatch.Name: CustomStringConvertible {
    /// The characters.
    public var description: String { text }
}

extension TelemetryBatch: CustomStringConvertible {
    /// For example `12 unlocks`.
    public var description: String { "\(unlocks.count) unlocks" }
}
