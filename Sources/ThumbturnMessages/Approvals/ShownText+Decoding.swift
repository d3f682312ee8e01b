import ThumbturnCore

extension KeyedDecodingContainer {
    /// A text of a kind; anything else is not decoded.
    func decode(_ kind: ShownText, forKey key: Key) throws -> String {
        let text = try decode(String.self, forKey: key)
        guard kind.holds(text) else {
            throw DecodingError.dataCorruptedError(forKey: key, in: self, debugDescription: "Not a text that can be shown.")
        }
        return text
    }

    func decodeIfPresent(_ kind: ShownText, forKey key: Key) throws -> String? {
        contains(key) ? try decode(kind, forKey: key) : nil
    }
}
