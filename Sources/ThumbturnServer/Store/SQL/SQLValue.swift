#if Server
import Foundation
import ThumbturnVerifier

/// A value of a column, or of an argument of a statement.
enum SQLValue: Hashable, Sendable {
    case null
    case integer(Int64)
    case text(String)
    case blob(Data)
}

/// A type of Swift that columns and arguments have.
protocol SQLConvertible: Sendable {
    var sqlValue: SQLValue { get }
    /// Nil if the value is of another type.
    init?(_ value: SQLValue)
}

extension Int64: SQLConvertible {
    var sqlValue: SQLValue { .integer(self) }

    init?(_ value: SQLValue) {
        guard case .integer(let number) = value else { return nil }
        self = number
    }
}

extension Int: SQLConvertible {
    var sqlValue: SQLValue { .integer(Int64(self)) }

    init?(_ value: SQLValue) {
        guard let number = Int64(value) else { return nil }
        self.init(exactly: number)
    }
}

extension UInt32: SQLConvertible {
    var sqlValue: SQLValue { .integer(Int64(self)) }

    init?(_ value: SQLValue) {
        guard let number = Int64(value) else { return nil }
        self.init(exactly: number)
    }
}

extension Bool: SQLConvertible {
    var sqlValue: SQLValue { .integer(self ? 1 : 0) }

    init?(_ value: SQLValue) {
        guard let number = Int64(value) else { return nil }
        self = number != 0
    }
}

extension String: SQLConvertible {
    var sqlValue: SQLValue { .text(self) }

    init?(_ value: SQLValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }
}

extension Data: SQLConvertible {
    var sqlValue: SQLValue { .blob(self) }

    init?(_ value: SQLValue) {
        guard case .blob(let bytes) = value else { return nil }
        self = bytes
    }
}

/// The arguments of a statement, in the order of its `?`, or by the numbers of `?1`, `?2` and so on.
struct StatementArguments: ExpressibleByArrayLiteral, Sendable {
    let values: [SQLValue]

    init(arrayLiteral elements: (any SQLConvertible)?...) {
        values = elements.map { $0?.sqlValue ?? .null }
    }

    init(_ values: [SQLValue]) { self.values = values }
}

func blob(_ bytes: [UInt8]) -> Data { Data(bytes) }

/// A message as text for a column.
func json(_ message: some Encodable) -> String { String(decoding: WireJSON.encode(message), as: UTF8.self) }

func identifier<Kind>(_ data: Data) -> Identifier<Kind> { Identifier(unchecked: Array(data)) }
#endif
