#if Tools
/// The condition of one part of an app, with the next step. It has the members of a machine's finding, and its line on the
/// screen.
struct AppFinding: Hashable, Sendable, Encodable {
    /// How serious the finding is.
    enum State: String, Sendable, Encodable {
        case good
        /// The app works, with a limitation or a choice that its developer should know.
        case note
        /// Something is missing, or wrong.
        case trouble
    }

    var part: String
    var state: State
    var found: String
    /// The next step; nil where none is needed.
    var remedy: String?

    init(_ part: String, _ state: State, _ found: String, remedy: String? = nil) {
        self.part = part
        self.state = state
        self.found = found
        self.remedy = remedy
    }

    /// The finding for a person at a terminal: a line, and the next step below it.
    var text: String {
        let mark =
            switch state {
            case .good: "ok   "
            case .note: "note "
            case .trouble: "FIX  "
            }
        return "\(mark) \(part): \(found)" + (remedy.map { "\n      → \($0)" } ?? "")
    }
}

extension String {
    /// A value of a file for a sentence: in quotation marks, without characters that move the cursor, and not longer than a
    /// line.
    var quoted: String {
        let longest = 120
        return "“\(count > longest ? prefix(longest).description.printable + "…" : printable)”"
    }
}
#endif
