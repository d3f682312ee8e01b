/// The one JSON of everything that is signed or judged, on the device and on the server: read strictly, and written in
/// one form.
///
/// Decoders differ in which of two equal members they take. What one party signs and another judges must not depend on
/// that, so such texts are refused (RFC 7515 section 4). What is read:
///
/// - UTF-8 without a byte order mark, one value (RFC 8259, and I-JSON: RFC 7493 section 2)
/// - no member twice in one object, however its name is escaped, and at most `maximumMembers` members
/// - at most `maximumDepth` objects and arrays inside each other
/// - at most `maximumLength` bytes
///
/// Reading costs time in proportion to the length of the text. Callers that take less cap it themselves.
package enum StrictJSON {
    /// The most bytes of a text: 1 MiB. The longest text of ours is a vault's record, with the hashes of its names
    /// beside its sealed secrets.
    package static let maximumLength = 1024 * 1024
    /// The most members that one object may have. The largest object is the `actions` of a policy file, with one member
    /// for each action; our own messages have at most 14.
    package static let maximumMembers = 256
    /// How many objects and arrays may be inside each other. Our own messages are six deep.
    package static let maximumDepth = 16

    /// Decodes a message. Members that it does not know are refused, at every depth.
    package static func decode<Value: Message>(_ type: Value.Type, from bytes: [UInt8]) throws(JSONError) -> Value {
        try read(JSONTree(bytes), at: 0, refusingUnknownMembers: true, type)
    }

    /// Decodes a value and ignores members that it does not know, as claims are read (RFC 7519 section 4).
    package static func decodeIgnoringUnknown<Value: Decodable>(
        _ type: Value.Type, from bytes: [UInt8]
    ) throws(JSONError) -> Value {
        try read(JSONTree(bytes), at: 0, refusingUnknownMembers: false, type)
    }

    /// Decodes one value of a text that was read before, and ignores members that it does not know. The paths of errors
    /// begin at the whole text.
    package static func decodeIgnoringUnknown<Value: Decodable>(
        _ type: Value.Type, from tree: JSONTree, at index: Int
    ) throws(JSONError) -> Value {
        try read(tree, at: index, refusingUnknownMembers: false, type)
    }

    private static func read<Value: Decodable>(
        _ tree: JSONTree, at index: Int, refusingUnknownMembers: Bool, _ type: Value.Type
    ) throws(JSONError) -> Value {
        do {
            return try JSONTreeDecoder(tree: tree, index: index, refusesUnknownMembers: refusingUnknownMembers).value(type)
        } catch let error as DecodingError {
            throw JSONError(error)
        } catch let error as JSONError {
            throw error
        } catch {
            throw tree.error(at: index, "cannot be read")
        }
    }

    /// The compact text of a value, with its members sorted by name, so that equal values have equal bytes.
    ///
    /// Numbers that JSON cannot express are a mistake of the caller: our own messages have none.
    package static func encode(_ value: some Encodable) -> [UInt8] {
        do {
            return try SortedJSONEncoder.encode(value)
        } catch {
            preconditionFailure("a value that cannot be written as JSON: \(error)")
        }
    }
}
