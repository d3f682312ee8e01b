/// Refuses members that a value does not know, whichever decoder reads it: for what apps and operators may decode with
/// Foundation's.
package enum StrictKeys {
    static let problem = "Unknown member."

    /// Throws where an object has a member that is not among these.
    package static func check(_ decoder: any Decoder, _ known: [some CodingKey]) throws {
        let present = try decoder.container(keyedBy: JSONPathKey.self).allKeys
        if let unknown = present.first(where: { key in !known.contains { $0.stringValue == key.stringValue } }) {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath + [unknown], debugDescription: problem))
        }
    }
}
