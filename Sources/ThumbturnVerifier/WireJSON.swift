package import ThumbturnCore

/// JSON as it travels: compact, sorted, and read strictly.
package enum WireJSON {
    /// Our own values always have a JSON form.
    package static func encode(_ value: some Encodable) -> [UInt8] {
        do {
            return try WireEncoder.encode(value)
        } catch {
            preconditionFailure("a message that cannot be written as JSON: \(error)")
        }
    }

    /// Decodes a message and refuses unknown members.
    package static func decode<M: Message>(_ type: M.Type, from bytes: [UInt8]) throws(VerificationError) -> M {
        try read(bytes) { tree in
            guard tree.nodes[0].kind == .object else { throw WireDecoder.Fault.notWhatIsWanted }
            let known = M.CodingKeys.allCases
            let present = known.count { tree.member($0.stringValue, of: 0) != nil }
            guard present == Int(tree.nodes[0].count) else { throw WireDecoder.Fault.notWhatIsWanted }
            return try M(from: WireDecoder(tree: tree, index: 0))
        }
    }

    /// Decodes claims and ignores unknown ones (RFC 7519 section 4).
    package static func decodeClaims<Claims: Decodable>(
        _ type: Claims.Type, from bytes: [UInt8]
    ) throws(VerificationError) -> Claims {
        try read(bytes) { try Claims(from: WireDecoder(tree: $0, index: 0)) }
    }

    private static func read<Value>(_ bytes: [UInt8], _ work: (JSONTree) throws -> Value) throws(VerificationError) -> Value {
        do {
            return try work(try JSONTree(bytes))
        } catch {
            throw .malformed
        }
    }
}
