/// What was found about one part of the machine, with what to do about it.
package struct Finding: Hashable, Sendable, Encodable {
    /// How it is.
    package enum State: String, Sendable, Encodable {
        case good
        /// Works, and somebody should know.
        case note
        /// Does not work.
        case trouble
    }

    package var part: String
    package var state: State
    package var found: String
    /// The next step; nil where none is needed.
    package var remedy: String?

    package init(_ part: String, _ state: State, _ found: String, remedy: String? = nil) {
        self.part = part
        self.state = state
        self.found = found
        self.remedy = remedy
    }
}
