/// The condition of one part of the machine, with the next step.
package struct MachineFinding: Hashable, Sendable, Encodable {
    /// How serious the finding is.
    package enum State: String, Sendable, Encodable {
        case good
        /// The part works, with a limitation that the person should know.
        case note
        /// The part does not work.
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
