/// Something that travels between device and server as a JSON object. Its members are named, and no others are accepted.
public protocol Message: Codable, Sendable {
    associatedtype CodingKeys: CodingKey & CaseIterable
}

/// Decodes a message and refuses members that it does not know, so that nothing is accepted half understood.
public struct Strict<Content: Message>: Decodable, Sendable {
    /// The message.
    public let content: Content

    public init(from decoder: any Decoder) throws {
        let present = try decoder.container(keyedBy: AnyKey.self).allKeys
        if let unknown = present.first(where: { Content.CodingKeys(stringValue: $0.stringValue) == nil }) {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath + [unknown], debugDescription: "Unknown member.")
            )
        }
        content = try Content(from: decoder)
    }

    private struct AnyKey: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
