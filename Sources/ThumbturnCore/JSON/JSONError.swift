/// Why bytes are not the JSON that was expected, and where: the first error that reading met.
package struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where reading stopped.
    package enum Place: Hashable, Sendable {
        /// A line of the text, from 1: the text is not JSON, or not strict JSON.
        case line(Int)
        /// A path of members and elements, for example `actions.pay.thresholds[0]`; empty for the whole value.
        case path(String)
    }

    /// Where reading stopped.
    package let place: Place
    /// The rule that was broken, for example `expected a string, found a number`.
    package let problem: String

    package init(_ place: Place, _ problem: String) {
        self.place = place
        self.problem = problem
    }

    init(line: Int, expected: String, found: String) {
        self.init(.line(line), "expected \(expected), found \(found)")
    }

    /// The error of a value that decodes itself.
    package init(_ error: DecodingError) {
        let (context, problem): (DecodingError.Context, String?) =
            switch error {
            case .keyNotFound(let key, let context): (context, "lacks the member \"\(key.stringValue)\"")
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context): (context, nil)
            @unknown default: (.init(codingPath: [], debugDescription: "cannot be read"), nil)
            }
        let path = context.codingPath.reduce("") { path, key in
            key.intValue.map { "\(path)[\($0)]" } ?? (path.isEmpty ? key.stringValue : "\(path).\(key.stringValue)")
        }
        self.init(.path(path), problem ?? context.debugDescription)
    }

    /// The place and the problem in one line, for example `line 3: expected ":", found "}"`.
    package var description: String {
        switch place {
        case .line(let line): "line \(line): \(problem)"
        case .path(""): problem
        case .path(let path): "\(path): \(problem)"
        }
    }
}
