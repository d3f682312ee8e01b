import ThumbturnCore

/// JSON as scenario files use it: texts, whole numbers, lists and objects.
package enum JSON: Hashable, Sendable {
    case text(String)
    case number(Int64)
    case list([JSON])
    case object([String: JSON])
}

extension JSON {
    /// Reads a text as strictly as a message is read.
    init(_ bytes: [UInt8]) throws(JSONError) {
        try self.init(JSONTree(bytes), at: 0)
    }

    private init(_ tree: JSONTree, at index: Int) throws(JSONError) {
        let node = tree.nodes[index]
        switch node.kind {
        case .string: self = .text(tree.string(node))
        case .number:
            guard let number = Int64(tree.number(node)) else {
                throw tree.error(at: index, "expected a whole number, found \(tree.number(node))")
            }
            self = .number(number)
        case .array:
            var list: [JSON] = []
            for child in tree.children(of: index) { list.append(try JSON(tree, at: child)) }
            self = .list(list)
        case .object:
            var object: [String: JSON] = [:]
            for child in tree.children(of: index) { object[tree.name(tree.nodes[child])] = try JSON(tree, at: child) }
            self = .object(object)
        case .true, .false, .null:
            throw tree.error(at: index, "expected a string, a whole number, an array or an object, found \(node.kind.name)")
        }
    }
}

extension JSON: Encodable {
    package func encode(to encoder: any Encoder) throws {
        var value = encoder.singleValueContainer()
        switch self {
        case .text(let text): try value.encode(text)
        case .number(let number): try value.encode(number)
        case .list(let list): try value.encode(list)
        case .object(let object): try value.encode(object)
        }
    }
}

/// As people read it: `show (button: cancel, prompt: 1, rung: biometric)`.
extension JSON: CustomStringConvertible {
    package var description: String {
        switch self {
        case .text(let text): return text
        case .number(let number): return "\(number)"
        case .list(let list): return "[" + list.map(\.description).joined(separator: ", ") + "]"
        case .object(let object):
            if object.count == 1, let (name, value) = object.first { return "\(name) \(value)" }
            return "(" + object.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ") + ")"
        }
    }
}

/// Why a text is no scenario, with the place: the path of a member, or the line where the text is no JSON.
public struct ScenarioProblem: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// A value and where it stands, so that a mistake is named with its place.
struct Place {
    let path: String
    let value: JSON

    func problem(_ says: String) -> ScenarioProblem { ScenarioProblem("\(path.isEmpty ? "the file" : path): \(says)") }

    /// The members of an object; all the required ones, and none that has no name here.
    func members(_ required: [String], optional: [String] = []) throws -> [String: Place] {
        guard case .object(let object) = value else { throw problem("is no object") }
        for name in object.keys.sorted() where !(required + optional).contains(name) {
            throw problem("has no member \"\(name)\", but \((required + optional).joined(separator: ", "))")
        }
        for name in required where object[name] == nil { throw problem("lacks the member \"\(name)\"") }
        return Dictionary(uniqueKeysWithValues: object.map { ($0, Place(path: path.isEmpty ? $0 : "\(path).\($0)", value: $1)) })
    }

    /// A case by its name: a text where it carries nothing, an object of one member where it carries something.
    func choice() throws -> (name: String, carries: Place?) {
        switch value {
        case .text(let name): return (name, nil)
        case .object(let object):
            guard object.count == 1, let (name, value) = object.first else { throw problem("has one member, its name") }
            return (name, Place(path: "\(path).\(name)", value: value))
        case .number, .list: throw problem("is no name and no object")
        }
    }

    func list() throws -> [Place] {
        guard case .list(let list) = value else { throw problem("is no list") }
        return list.enumerated().map { Place(path: "\(path)[\($0)]", value: $1) }
    }

    func text() throws -> String {
        guard case .text(let text) = value, !text.isEmpty else { throw problem("is no text") }
        return text
    }

    func number(_ range: ClosedRange<Int64> = 0...86_400_000) throws -> Int64 {
        guard case .number(let number) = value, range.contains(number) else {
            throw problem("is no whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// Whole milliseconds, up to a day.
    func duration() throws -> Duration { .milliseconds(try number()) }

    /// One of a closed set of names.
    func named<Value: RawRepresentable<String>>(_: Value.Type = Value.self) throws -> Value {
        let text = try text()
        guard let value = Value(rawValue: text) else { throw problem("\"\(text)\" has no meaning here") }
        return value
    }

    /// What decodes itself, and says itself what is wrong with it.
    func decoded<Value: Decodable>(_: Value.Type = Value.self) throws -> Value {
        do throws(JSONError) {
            return try StrictJSON.decodeIgnoringUnknown(Value.self, from: StrictJSON.encode(value))
        } catch {
            throw problem(error.description)
        }
    }
}
