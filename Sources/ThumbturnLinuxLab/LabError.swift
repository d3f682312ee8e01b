/// Something in the lab did not work: the description says what, and what to do next.
public struct LabError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of trouble. More kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        public let description: String

        /// The parts asked for need root.
        public static let notRoot = Code(description: "not root")
        /// A program is not installed.
        public static let missingProgram = Code(description: "missing program")
        /// The folder cannot be used.
        public static let folder = Code(description: "folder")
        /// A part ended, or said nothing, while it was starting.
        public static let didNotStart = Code(description: "did not start")
        /// The virtual reader did not take what it was given.
        public static let reader = Code(description: "reader")
        /// A command-line tool failed, or did not end in time.
        public static let tool = Code(description: "tool")
        /// Somebody else answers where a real part should.
        public static let wrongPeer = Code(description: "wrong peer")
        /// An awaited signal did not come in time.
        public static let silence = Code(description: "silence")
    }

    public let code: Code
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
