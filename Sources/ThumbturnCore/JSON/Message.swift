/// Something that travels between device and server as a JSON object. Its members are named, and no others are accepted.
package protocol Message: Codable, Sendable {
    associatedtype CodingKeys: CodingKey & CaseIterable
}

/// Decodes a message and refuses members that it does not know, so that nothing is accepted half understood.
package struct Strict<Content: Message>: Decodable, Sendable {
    /// The message.
    package let content: Content

    package init(from decoder: any Decoder) throws {
        try StrictKeys.check(decoder, Array(Content.CodingKeys.allCases))
        content = try Content(from: decoder)
    }
}

/// Refuses members that nobody knows.
package enum StrictKeys {
    /// Throws where an object has a member that is not among these.
    package static func check(_ decoder: any Decoder, _ known: [some CodingKey]) throws {
        let present = try decoder.container(keyedBy: AnyKey.self).allKeys
        if let unknown = present.first(where: { key in !known.contains { $0.stringValue == key.stringValue } }) {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath + [unknown], debugDescription: "Unknown member.")
            )
        }
    }

    private struct AnyKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
