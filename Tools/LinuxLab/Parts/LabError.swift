/// An error of the lab. Its description states the cause and the next step.
public struct LabError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of error. More kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code in a few words.
        public let description: String

        /// The requested parts need root.
        public static let notRoot = Code(description: "not root")
        /// A program is not installed.
        public static let missingProgram = Code(description: "missing program")
        /// The folder cannot be used.
        public static let folder = Code(description: "folder")
        /// A part ended or stayed silent while it was starting.
        public static let didNotStart = Code(description: "did not start")
        /// The virtual reader did not take a press.
        public static let reader = Code(description: "reader")
        /// A command-line tool failed or did not end in time.
        public static let tool = Code(description: "tool")
        /// Another process answers in place of a real part.
        public static let wrongPeer = Code(description: "wrong peer")
        /// An awaited signal did not come in time.
        public static let silence = Code(description: "silence")
    }

    /// The kind of error.
    public let code: Code
    /// The cause and the next step.
    public let description: String

    init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
