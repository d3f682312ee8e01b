/// Encodes texts as bytes that a seal is bound to: each text after its length (8 bytes, most significant first), so
/// that no two lists of texts have the same bytes.
enum BoundText {
    static func bytes(_ texts: String...) -> [UInt8] {
        texts.flatMap { bigEndian(UInt64($0.utf8.count)) + Array($0.utf8) }
    }

    static func bigEndian(_ number: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> UInt64($0)) }
    }
}
