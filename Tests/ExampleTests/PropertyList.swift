/// A value of the old property lists in which Xcode writes its projects: texts, lists and dictionaries.
enum PropertyList: Equatable {
    case text(String)
    case list([PropertyList])
    case dictionary([String: PropertyList])

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var list: [PropertyList] { if case .list(let list) = self { list } else { [] } }
    subscript(key: String) -> PropertyList? { if case .dictionary(let members) = self { members[key] } else { nil } }

    struct Problem: Error {
        /// How many characters come after the place.
        var left: Int
    }

    /// Reads a whole file. A key that stands twice is a problem.
    init(parsing text: String) throws(Problem) {
        var rest = Substring(text)
        self = try Self.value(&rest)
        Self.skipSpace(&rest)
        guard rest.isEmpty else { throw Problem(left: rest.count) }
    }

    private static func value(_ rest: inout Substring) throws(Problem) -> PropertyList {
        if take("{", &rest) {
            var members: [String: PropertyList] = [:]
            while !take("}", &rest) {
                let key = try word(&rest)
                guard take("=", &rest), members[key] == nil else { throw Problem(left: rest.count) }
                members[key] = try value(&rest)
                guard take(";", &rest) else { throw Problem(left: rest.count) }
            }
            return .dictionary(members)
        }
        guard take("(", &rest) else { return .text(try word(&rest)) }
        var list: [PropertyList] = []
        while !take(")", &rest) {
            list.append(try value(&rest))
            // The last comma may be left out.
            guard take(",", &rest) || rest.first == ")" else { throw Problem(left: rest.count) }
        }
        return .list(list)
    }

    private static func word(_ rest: inout Substring) throws(Problem) -> String {
        if take("\"", &rest) {
            guard let end = rest.firstIndex(of: "\""), !rest[..<end].contains("\\") else { throw Problem(left: rest.count) }
            defer { rest = rest[rest.index(after: end)...] }
            return String(rest[..<end])
        }
        skipSpace(&rest)
        // Any other character has to be in quotes.
        let word = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "_$/:.".contains($0)) }
        guard !word.isEmpty else { throw Problem(left: rest.count) }
        rest = rest.dropFirst(word.count)
        return String(word)
    }

    private static func take(_ character: Character, _ rest: inout Substring) -> Bool {
        skipSpace(&rest)
        guard rest.first == character else { return false }
        rest.removeFirst()
        return true
    }

    /// Comments count as space.
    private static func skipSpace(_ rest: inout Substring) {
        while true {
            rest = rest.drop(while: \.isWhitespace)
            if rest.hasPrefix("//") {
                rest = rest.drop { !$0.isNewline }
            } else if rest.hasPrefix("/*"), let end = rest.firstRange(of: "*/") {
                rest = rest[end.upperBound...]
            } else {
                return
            }
        }
    }
}
