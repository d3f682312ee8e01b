#if Tools
/// The entitlements in the code signature of a program (Mach-O).
///
/// The load command `LC_CODE_SIGNATURE` says where the signature is: a block of blocks, whose index names the entitlements
/// with the number 5. They are a property list in XML. A program for several processors is several programs with a table
/// before them; the one for arm64 is read, or else the first one. The numbers are those of `mach-o/loader.h`, `mach-o/fat.h`
/// and `kern/cs_blobs.h`.
enum SignedEntitlements: Hashable {
    case found([String: PropertyList])
    /// The signature has none.
    case none
    case unsigned
    /// No Mach-O, or one whose parts do not fit together.
    case damaged

    static func read(_ file: BoundedFile) -> SignedEntitlements {
        guard let magic = file.bytes(at: 0, count: 4)?.bigEndian else { return .damaged }
        switch magic {
        case 0xCAFE_BABE, 0xCAFE_BABF:
            guard let start = slice(of: file, isLong: magic == 0xCAFE_BABF) else { return .damaged }
            return read(file, at: start)
        default: return read(file, at: 0)
        }
    }

    /// Where the program for arm64 begins, or else the first one.
    private static func slice(of file: BoundedFile, isLong: Bool) -> Int? {
        guard let count = file.bytes(at: 4, count: 4)?.bigEndian, (1...UInt64(AppFileLimits.slices)).contains(count) else {
            return nil
        }
        let (size, width) = isLong ? (32, 8) : (20, 4)
        var first: Int?
        for index in 0..<Int(count) {
            guard let entry = file.bytes(at: 8 + index * size, count: size), let cpu = entry.prefix(4).bigEndian,
                let offset = entry.dropFirst(8).prefix(width).bigEndian.flatMap({ Int(exactly: $0) })
            else { return nil }
            if cpu == 0x0100_000C { return offset }
            first = first ?? offset
        }
        return first
    }

    private static func read(_ file: BoundedFile, at start: Int) -> SignedEntitlements {
        // Every processor of Apple's systems today is little-endian.
        guard start <= file.size, let magic = little(file, start), magic == 0xFEED_FACF || magic == 0xFEED_FACE,
            let commands = little(file, start + 16), let size = little(file, start + 20), size <= AppFileLimits.loadCommands,
            let table = file.bytes(at: start + (magic == 0xFEED_FACF ? 32 : 28), count: size)
        else { return .damaged }
        var rest = table[...]
        for _ in 0..<commands {
            guard let command = little(rest.prefix(4)), let length = little(rest.dropFirst(4).prefix(4)), length >= 8,
                length <= rest.count
            else { return .damaged }
            if command == 0x1D {
                guard let offset = little(rest.dropFirst(8).prefix(4)), let size = little(rest.dropFirst(12).prefix(4)) else {
                    return .damaged
                }
                return signature(file, at: start + offset, size: size)
            }
            rest = rest.dropFirst(length)
        }
        return .unsigned
    }

    private static func signature(_ file: BoundedFile, at start: Int, size: Int) -> SignedEntitlements {
        guard big(file, start) == 0xFADE_0CC0, let count = big(file, start + 8), count <= AppFileLimits.signatureBlocks else {
            return .damaged
        }
        for index in 0..<count {
            guard let kind = big(file, start + 12 + index * 8), let offset = big(file, start + 16 + index * 8), offset < size
            else {
                return .damaged
            }
            guard kind == 5 else { continue }
            guard big(file, start + offset) == 0xFADE_7171, let length = big(file, start + offset + 4), length >= 8,
                length - 8 <= AppFileLimits.propertyList, length <= size - offset,
                let bytes = file.bytes(at: start + offset + 8, count: length - 8), let table = PropertyList.table(of: bytes)
            else { return .damaged }
            return .found(table)
        }
        return .none
    }

    private static func big(_ file: BoundedFile, _ offset: Int) -> Int? {
        file.bytes(at: offset, count: 4)?.bigEndian.map { Int($0) }
    }

    private static func little(_ file: BoundedFile, _ offset: Int) -> Int? {
        file.bytes(at: offset, count: 4).flatMap { little($0[...]) }
    }

    private static func little(_ bytes: ArraySlice<UInt8>) -> Int? {
        bytes.count == 4 ? bytes.reversed().bigEndian.map { Int($0) } : nil
    }
}

/// The entitlements that a provisioning profile allows: a signed message (CMS) with a property list in XML inside.
///
/// The signature is not checked: the profile is only asked what its developer may use.
enum ProvisioningProfile {
    /// - Returns: nil where there is no property list inside, or none with entitlements.
    static func entitlements(of bytes: [UInt8]) -> [String: PropertyList]? {
        guard let start = first(Array("<?xml".utf8), in: bytes[...]),
            let end = first(Array("</plist>".utf8), in: bytes[start...])
        else { return nil }
        return PropertyList.table(of: Array(bytes[start..<end + 8]))?["Entitlements"]?.table
    }

    private static func first(_ text: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        var rest = bytes
        while let start = rest.firstIndex(of: text[0]) {
            if bytes[start...].starts(with: text) { return start }
            rest = bytes[(start + 1)...]
        }
        return nil
    }
}
#endif
