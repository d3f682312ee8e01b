#if Tools
import Foundation

/// A value of a property list: of an Info.plist, of entitlements, of a privacy manifest or of an Xcode project.
indirect enum PropertyList: Hashable, Sendable {
    case text(String)
    case flag(Bool)
    case number(Double)
    case list([PropertyList])
    case table([String: PropertyList])
    /// Data, a date, or another value whose contents matter to no check.
    case other

    /// Reads the table of a property list in XML, in binary, or in the text format of Xcode's projects.
    ///
    /// - Returns: nil for a damaged list, and for one that is no table.
    static func table(of bytes: [UInt8]) -> [String: PropertyList]? {
        var binary = BinaryPropertyList(bytes)
        guard !bytes.starts(with: BinaryPropertyList.magic) else { return binary?.root()?.table }
        guard let any = try? unsafe PropertyListSerialization.propertyList(from: Data(bytes), format: nil) else { return nil }
        return PropertyList(any, within: AppFileLimits.nesting)?.table
    }

    /// - Parameter depth: how many more levels are read.
    private init?(_ any: Any, within depth: Int) {
        guard depth > 0 else { return nil }
        switch any {
        case let text as String: self = .text(text)
        case let flag as Bool: self = .flag(flag)
        case let number as NSNumber: self = .number(number.doubleValue)
        case let list as [Any]:
            var values: [PropertyList] = []
            for value in list {
                guard let value = PropertyList(value, within: depth - 1) else { return nil }
                values.append(value)
            }
            self = .list(values)
        case let table as [String: Any]:
            var values: [String: PropertyList] = [:]
            for (key, value) in table {
                guard let value = PropertyList(value, within: depth - 1) else { return nil }
                values[key] = value
            }
            self = .table(values)
        default: self = .other
        }
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }

    var list: [PropertyList]? { if case .list(let list) = self { list } else { nil } }

    var table: [String: PropertyList]? { if case .table(let table) = self { table } else { nil } }

    /// Whether it is true. Build settings say so with `YES`.
    var isTrue: Bool {
        switch self {
        case .flag(let flag): flag
        case .number(let number): number == 1
        case .text(let text): ["yes", "true", "1"].contains(text.lowercased())
        case .list, .table, .other: false
        }
    }

    /// The texts of a list, or the one text.
    var texts: [String] { list?.compactMap(\.text) ?? text.map { [$0] } ?? [] }
}
#endif
