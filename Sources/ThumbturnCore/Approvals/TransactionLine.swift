/// One line of a transaction that a person approves.
public struct TransactionLine: Hashable, Sendable, CustomStringConvertible {
    /// What the line tells. The raw value is stable, so that an app can have texts of its own.
    public let label: TransactionLabel
    /// Letter by letter as it is signed.
    public let value: String

    package init(label: TransactionLabel, value: String) {
        self.label = label
        self.value = value
    }

    /// The label, without the value, which may name people.
    public var description: String { label.description }
}
