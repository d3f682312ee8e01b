import ThumbturnCore

/// A value of a scenario file and where it stands, so that a mistake is named with its place.
///
/// It points into the tree of the whole text and copies nothing; its path is spelled only for a mistake. So reading takes
/// time in proportion to the file.
struct Place {
    private let tree: JSONTree
    private let index: Int

    private init(_ tree: JSONTree, _ index: Int) {
        self.tree = tree
        self.index = index
    }

    /// Reads a text as strictly as a message is read. It may have strings, whole numbers, arrays and objects.
    init(_ bytes: [UInt8]) throws(JSONError) {
        let tree = try JSONTree(bytes)
        for (index, node) in tree.nodes.enumerated() {
            switch node.kind {
            case .string, .array, .object: continue
            case .number:
                guard tree.whole(node) == nil else { continue }
                throw tree.error(at: index, "expected a whole number, found \(tree.number(node))")
            case .true, .false, .null:
                throw tree.error(at: index, "expected a string, a whole number, an array or an object, found \(node.kind.name)")
            }
        }
        self.init(tree, 0)
    }

    private var node: JSONTree.Node { tree.nodes[index] }

    var isText: Bool { node.kind == .string }

    func problem(_ says: String) -> ScenarioProblem {
        ScenarioProblem(index == 0 ? "the file: \(says)" : tree.error(at: index, says).description)
    }

    /// The problem of a name that is none of those that may stand here. The value of the name is not printed: it may be as
    /// long as the file.
    var unknown: ScenarioProblem {
        switch node.kind {
        case .string: problem("\(tree.string(node)) has no meaning here")
        case .object where node.count == 1: problem("\(tree.name(tree.nodes[index + 1])) with a value has no meaning here")
        case .object, .array, .number, .true, .false, .null: problem("\(node.kind.name) has no meaning here")
        }
    }

    /// The members of an object; all the required ones, and none that has no name here.
    func members(_ required: [String], optional: [String] = []) throws -> [String: Place] {
        guard node.kind == .object else { throw problem("is no object") }
        let known = required + optional
        var members: [String: Place] = [:]
        for name in known { members[name] = tree.member(name, of: index).map { Place(tree, $0) } }
        guard members.count == Int(node.count) else {
            let names = tree.children(of: index).map { tree.name(tree.nodes[$0]) }
            let unknown = names.filter { members[$0] == nil }.min() ?? ""
            throw problem("has no member \"\(unknown)\", but \(known.joined(separator: ", "))")
        }
        for name in required where members[name] == nil { throw problem("lacks the member \"\(name)\"") }
        return members
    }

    /// A case by its name: a text where it carries nothing, an object of one member where it carries something.
    func choice() throws -> (name: String, carries: Place?) {
        switch node.kind {
        case .string: return (tree.string(node), nil)
        case .object:
            guard node.count == 1 else { throw problem("has one member, its name") }
            // The first member follows its object.
            return (tree.name(tree.nodes[index + 1]), Place(tree, index + 1))
        case .array, .number, .true, .false, .null: throw problem("is no name and no object")
        }
    }

    func list() throws -> [Place] {
        guard node.kind == .array else { throw problem("is no list") }
        return tree.children(of: index).map { Place(tree, $0) }
    }

    func text() throws -> String {
        guard node.kind == .string, case let text = tree.string(node), !text.isEmpty else { throw problem("is no text") }
        return text
    }

    func number(_ range: ClosedRange<Int64> = 0...86_400_000) throws -> Int64 {
        guard node.kind == .number, let number = tree.whole(node), range.contains(number) else {
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
    func decoded<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        do throws(JSONError) {
            return try StrictJSON.decodeIgnoringUnknown(type, from: tree, at: index)
        } catch {
            throw ScenarioProblem(error.description)
        }
    }
}
