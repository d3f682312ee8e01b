/// A data item of CBOR (RFC 8949) that a test writes, also in forms that a strict reader refuses.
///
/// A map is written in the given order and with the given keys, so it can have a key twice.
public indirect enum MintedCBOR: Sendable {
    /// A number from 0.
    case unsigned(UInt64)
    /// The number -1 - n.
    case negative(UInt64)
    /// Bytes.
    case bytes([UInt8])
    /// Text.
    case text(String)
    /// A list.
    case array([MintedCBOR])
    /// Keys with their values.
    case map([(key: MintedCBOR, value: MintedCBOR)])
    /// A tag and its item.
    case tag(UInt64, MintedCBOR)
    /// A simple value, for example 22 for `null`.
    case simple(UInt8)
    /// Bytes that stand for an item as they are.
    case raw([UInt8])
    /// An item whose head has 1, 2, 4 or 8 bytes after the first one, even where fewer are enough.
    case wide(MintedCBOR, bytes: Int)
    /// A string, a list or a map of indefinite length. A string has one chunk.
    case indefinite(MintedCBOR)

    /// A whole number of either sign.
    public static func int(_ number: Int64) -> MintedCBOR {
        number < 0 ? .negative(UInt64(-1 - number)) : .unsigned(UInt64(number))
    }

    /// A map of text keys.
    public static func object(_ members: [(String, MintedCBOR)]) -> MintedCBOR {
        .map(members.map { (key: .text($0.0), value: $0.1) })
    }

    /// The encoded item.
    public var encoded: [UInt8] { encoded(nil) }

    private func encoded(_ width: Int?) -> [UInt8] {
        switch self {
        case .unsigned(let number): Self.head(0, number, width)
        case .negative(let number): Self.head(1, number, width)
        case .bytes(let bytes): Self.head(2, UInt64(bytes.count), width) + bytes
        case .text(let text): Self.head(3, UInt64(text.utf8.count), width) + text.utf8
        case .array(let elements): Self.head(4, UInt64(elements.count), width) + elements.flatMap(\.encoded)
        case .map(let members):
            Self.head(5, UInt64(members.count), width) + members.flatMap { $0.key.encoded + $0.value.encoded }
        case .tag(let number, let item): Self.head(6, number, width) + item.encoded
        case .simple(let value): Self.head(7, UInt64(value), width)
        case .raw(let bytes): bytes
        case .wide(let item, let width): item.encoded(width)
        case .indefinite(let item): item.endless
        }
    }

    private var endless: [UInt8] {
        switch self {
        case .bytes: [0x5F] + encoded + [0xFF]
        case .text: [0x7F] + encoded + [0xFF]
        case .array(let elements): [0x9F] + elements.flatMap(\.encoded) + [0xFF]
        case .map(let members): [0xBF] + members.flatMap { $0.key.encoded + $0.value.encoded } + [0xFF]
        case .unsigned, .negative, .tag, .simple, .raw, .wide, .indefinite:
            preconditionFailure("only strings, lists and maps have an indefinite length")
        }
    }

    /// A head with the shortest argument, or with one of `width` bytes.
    private static func head(_ major: UInt8, _ argument: UInt64, _ width: Int?) -> [UInt8] {
        let needed =
            switch argument {
            case ..<24: 0
            case ...UInt64(UInt8.max): 1
            case ...UInt64(UInt16.max): 2
            case ...UInt64(UInt32.max): 4
            default: 8
            }
        let width = width ?? needed
        precondition([0, 1, 2, 4, 8].contains(width) && width >= needed, "\(argument) does not fit into \(width) bytes")
        guard width > 0 else { return [major << 5 | UInt8(argument)] }
        let bytes = (0..<width).reversed().map { UInt8(truncatingIfNeeded: argument >> (8 * UInt64($0))) }
        return [major << 5 | UInt8(24 + width.trailingZeroBitCount)] + bytes
    }
}
