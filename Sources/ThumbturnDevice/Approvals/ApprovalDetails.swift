public import ThumbturnCore

/// The contents of an approval as they have to be shown: every line, in its order, letter by letter.
public struct ApprovalDetails: Hashable, Sendable, CustomStringConvertible {
    /// One line of the sheet.
    public struct Line: Hashable, Sendable {
        /// The label, for example "Amount".
        public let label: String
        /// The value, for example "€1,250.00".
        public let value: String

        /// Makes a line.
        public init(label: String, value: String) {
            self.label = label
            self.value = value
        }
    }

    /// The title, for example "Payment".
    public let title: String
    /// The contents, line by line.
    public let lines: [Line]
    /// A warning to show beside the lines; nil for most.
    public let caution: PersonMessage?

    /// Makes the contents; nil where they could not be shown as they are: no title or no line, an empty text, or
    /// control and format characters, which reverse or hide the text beside them.
    public init?(title: String, lines: [Line], caution: PersonMessage? = nil) {
        let texts = [title] + lines.flatMap { [$0.label, $0.value] }
        guard !lines.isEmpty, texts.allSatisfy({ ShownText.isShownAsItIs($0) }) else { return nil }
        self.title = title
        self.lines = lines
        self.caution = caution
    }

    /// The title and the labels, without the values, which may name people.
    public var description: String { "\(title): \(lines.map(\.label).joined(separator: ", "))" }
}
