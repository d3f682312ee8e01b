#if Tools
/// A reader of property lists in Apple's binary format, `bplist00`.
///
/// The file ends with a trailer of 32 bytes: five unused ones, a sort version, the size of an offset, the size of a
/// reference, the number of objects, the number of the root, and where the table of the objects' offsets begins. An object
/// begins with a byte: its kind in the upper half, its length in the lower one, where 15 means that the length follows as an
/// integer.
///
/// It is read here, because Foundation's reader unfolds an object as often as it is referred to: 24 lists of two references
/// each would take it ten seconds.
struct BinaryPropertyList {
    static let magic = Array("bplist00".utf8)

    private let bytes: [UInt8]
    private let offsetSize: Int
    private let referenceSize: Int
    private let count: Int
    private let rootNumber: Int
    private let offsets: Int
    /// What may still be unfolded, in objects and bytes.
    private var budget = AppFileLimits.unfolded

    /// - Returns: nil for bytes without the magic number, or with a trailer that does not fit them.
    init?(_ bytes: [UInt8]) {
        guard bytes.starts(with: Self.magic), bytes.count >= Self.magic.count + 32 else { return nil }
        let trailer = bytes.suffix(32)
        func number(_ at: Int) -> Int? { trailer.dropFirst(at).prefix(8).bigEndian.flatMap { Int(exactly: $0) } }
        let (offsetSize, referenceSize) = (Int(bytes[bytes.count - 26]), Int(bytes[bytes.count - 25]))
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), let count = number(8), let root = number(16),
            let offsets = number(24), root < count, offsets >= Self.magic.count, offsets <= bytes.count - 32,
            count <= (bytes.count - 32 - offsets) / offsetSize
        else { return nil }
        (self.bytes, self.offsetSize, self.referenceSize) = (bytes, offsetSize, referenceSize)
        (self.count, self.rootNumber, self.offsets) = (count, root, offsets)
    }

    /// The root with everything that it refers to; nil for a damaged list, and for one that unfolds to more than the cap.
    mutating func root() -> PropertyList? { object(rootNumber, within: AppFileLimits.nesting) }

    /// - Parameter depth: how many more levels are read, which also ends a list that refers to itself.
    private mutating func object(_ number: Int, within depth: Int) -> PropertyList? {
        guard depth > 0, number < count, pay(1), let start = self.number(at: offsets + number * offsetSize, size: offsetSize),
            start < offsets, let marker = part(at: start, count: 1)?.first
        else { return nil }
        switch marker >> 4 {
        case 0x0: return marker == 0x08 ? .flag(false) : marker == 0x09 ? .flag(true) : .other
        case 0x1:
            // Longer integers exist in no list of interest.
            guard marker & 0xF <= 3, let value = self.number(at: start + 1, size: 1 << Int(marker & 0xF)) else { return .other }
            return .number(Double(value))
        case 0x5, 0x6: return text(marker, at: start)
        case 0xA, 0xD: return container(marker, at: start, within: depth)
        // Real numbers, dates, data and references between keyed objects.
        default: return .other
        }
    }

    private mutating func text(_ marker: UInt8, at start: Int) -> PropertyList? {
        let unit = marker >> 4 == 0x6 ? 2 : 1
        guard let (length, first) = length(marker, at: start), length <= bytes.count / unit, pay(length * unit),
            let units = part(at: first, count: length * unit)
        else { return nil }
        guard unit == 2 else { return .text(String(decoding: units, as: UTF8.self)) }
        let pairs = stride(from: units.startIndex, to: units.endIndex, by: 2)
        return .text(String(decoding: pairs.map { UInt16(units[$0]) << 8 | UInt16(units[$0 + 1]) }, as: UTF16.self))
    }

    private mutating func container(_ marker: UInt8, at start: Int, within depth: Int) -> PropertyList? {
        guard let (length, first) = length(marker, at: start), length <= bytes.count / referenceSize else { return nil }
        var values: [PropertyList] = []
        for index in 0..<(marker >> 4 == 0xD ? 2 * length : length) {
            guard let number = self.number(at: first + index * referenceSize, size: referenceSize),
                let value = object(number, within: depth - 1)
            else { return nil }
            values.append(value)
        }
        guard marker >> 4 == 0xD else { return .list(values) }
        // A table has the references to its keys first, then those to its values.
        let keys = values.prefix(length).compactMap(\.text)
        guard keys.count == length else { return nil }
        return .table(Dictionary(zip(keys, values.suffix(length))) { first, _ in first })
    }

    /// The length of an object, and where its contents begin.
    private func length(_ marker: UInt8, at start: Int) -> (length: Int, first: Int)? {
        let short = Int(marker & 0xF)
        guard short == 0xF else { return (short, start + 1) }
        guard let kind = part(at: start + 1, count: 1)?.first, kind >> 4 == 0x1, kind & 0xF <= 3 else { return nil }
        let size = 1 << Int(kind & 0xF)
        return number(at: start + 2, size: size).map { ($0, start + 2 + size) }
    }

    private func number(at start: Int, size: Int) -> Int? {
        part(at: start, count: size)?.bigEndian.flatMap { Int(exactly: $0) }
    }

    private func part(at start: Int, count: Int) -> ArraySlice<UInt8>? {
        guard start >= 0, count >= 0, start <= bytes.count, count <= bytes.count - start else { return nil }
        return bytes[start..<start + count]
    }

    private mutating func pay(_ price: Int) -> Bool {
        guard price <= budget else { return false }
        budget -= price
        return true
    }
}
#endif
