/// Whether a text is JSON that everybody reads alike (RFC 8259, I-JSON: RFC 7493 section 2): UTF-8 without a mark, one value, no
/// member twice in an object, bounded depth.
///
/// Decoders differ in which of two equal members they take. What is signed by one party and judged by another must not depend
/// on that, so such texts are refused before they are decoded (RFC 7515 section 4).
public enum JSONScan {
    /// Our own messages are three deep.
    private static let maximumDepth = 16

    /// Whether the bytes are such a text.
    public static func isUnambiguous(_ bytes: [UInt8]) -> Bool { fault(in: bytes) == nil }

    /// Why the bytes are no such text, and the line, from 1, where reading them stopped.
    package struct Fault: Hashable, Sendable {
        package let line: Int
        package let says: String
    }

    package static func fault(in bytes: [UInt8]) -> Fault? {
        guard String(validating: bytes, as: UTF8.self) != nil, bytes.first != 0xEF else {
            return Fault(line: 1, says: "is no UTF-8, or begins with a mark")
        }
        var scanner = Scanner(bytes: bytes)
        if scanner.value(depth: 0) && scanner.isAtEnd { return nil }
        return Fault(line: 1 + bytes.prefix(scanner.index).count { $0 == UInt8(ascii: "\n") }, says: scanner.says)
    }

    private struct Scanner {
        let bytes: [UInt8]
        var index = 0
        var says = "is no JSON"

        init(bytes: [UInt8]) {
            self.bytes = bytes
        }

        var isAtEnd: Bool {
            mutating get {
                skipSpace()
                return index == bytes.count
            }
        }

        mutating func value(depth: Int) -> Bool {
            guard depth <= maximumDepth else {
                says = "is nested more than \(maximumDepth) deep"
                return false
            }
            skipSpace()
            switch peek {
            case UInt8(ascii: "{"): return object(depth: depth)
            case UInt8(ascii: "["): return array(depth: depth)
            case UInt8(ascii: "\""): return string() != nil
            default: return literal()
            }
        }

        private mutating func object(depth: Int) -> Bool {
            index += 1
            var names: Set<[Unicode.Scalar]> = []
            if take("}") { return true }
            repeat {
                skipSpace()
                guard peek == UInt8(ascii: "\""), let name = string() else { return false }
                guard names.insert(name).inserted else {
                    says = "holds a member twice in one object"
                    return false
                }
                guard take(":"), value(depth: depth + 1) else { return false }
            } while take(",")
            return take("}")
        }

        private mutating func array(depth: Int) -> Bool {
            index += 1
            if take("]") { return true }
            repeat {
                guard value(depth: depth + 1) else { return false }
            } while take(",")
            return take("]")
        }

        /// A string without its escapes, so that two spellings of one name are one name.
        private mutating func string() -> [Unicode.Scalar]? {
            index += 1
            let start = index
            var hasEscapes = false
            while let byte = peek, byte != UInt8(ascii: "\"") {
                guard byte >= 0x20 else { return nil }
                if byte == UInt8(ascii: "\\") {
                    hasEscapes = true
                    index += 1
                }
                index += 1
            }
            guard index < bytes.count else { return nil }
            let raw = bytes[start..<index]
            index += 1
            return hasEscapes ? unescaped(raw) : Array(String(decoding: raw, as: UTF8.self).unicodeScalars)
        }

        private func unescaped(_ raw: ArraySlice<UInt8>) -> [Unicode.Scalar]? {
            // UTF-16 is what \u speaks; surrogates pair up when it is read as a whole.
            var units: [UInt16] = []
            var rest = Array(String(decoding: raw, as: UTF8.self).utf16)[...]
            while let unit = rest.popFirst() {
                guard unit == UInt16(UInt8(ascii: "\\")) else {
                    units.append(unit)
                    continue
                }
                guard let escape = rest.popFirst() else { return nil }
                switch escape {
                case 0x22, 0x5C, 0x2F: units.append(escape)
                case 0x62: units.append(8)
                case 0x66: units.append(12)
                case 0x6E: units.append(10)
                case 0x72: units.append(13)
                case 0x74: units.append(9)
                case 0x75:
                    let digits = rest.prefix(4)
                    guard digits.count == 4, let text = String(validating: digits, as: UTF16.self),
                        text.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
                        let code = UInt16(text, radix: 16),
                        code != 0
                    else { return nil }
                    units.append(code)
                    rest = rest.dropFirst(4)
                default: return nil
                }
            }
            return String(validating: units, as: UTF16.self).map { Array($0.unicodeScalars) }
        }

        /// A number, `true`, `false` or `null`.
        private mutating func literal() -> Bool {
            let start = index
            while let byte = peek, !Self.ends.contains(byte) { index += 1 }
            if Self.names.contains(Array(bytes[start..<index])) || Self.isNumber(bytes[start..<index]) { return true }
            index = start
            return false
        }

        /// `-` digits `.` digits `e` digits (RFC 8259 section 6), of which only the first digits are needed.
        private static func isNumber(_ text: ArraySlice<UInt8>) -> Bool {
            var rest = text
            func skip(_ characters: String) -> Bool {
                guard let first = rest.first, characters.utf8.contains(first) else { return false }
                rest.removeFirst()
                return true
            }
            func digits() -> Int {
                let found = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
                rest.removeFirst(found)
                return found
            }
            _ = skip("-")
            let leadsWithZero = rest.first == UInt8(ascii: "0")
            let whole = digits()
            guard whole == 1 || (whole > 1 && !leadsWithZero) else { return false }
            if skip("."), digits() == 0 { return false }
            if skip("eE") {
                _ = skip("+-")
                if digits() == 0 { return false }
            }
            return rest.isEmpty
        }

        private mutating func take(_ character: Unicode.Scalar) -> Bool {
            skipSpace()
            guard peek == UInt8(ascii: character) else { return false }
            index += 1
            return true
        }

        private mutating func skipSpace() {
            while let byte = peek, Self.spaces.contains(byte) { index += 1 }
        }

        private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

        private static let names = ["true", "false", "null"].map { Array($0.utf8) }
        private static let spaces: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
        private static let ends: [UInt8] = spaces + Array(",:{}[]\"".utf8)
    }
}
