public import ThumbturnCore
package import ThumbturnMessages

/// A transaction that a back end asks this account to approve, as the server sent it. What `details` shows is what a
/// key signs, byte for byte.
public struct Approval: Hashable, Sendable, Identifiable, CustomStringConvertible {
    /// The approval's id at the server.
    public let id: String
    /// The approval's state when it was fetched.
    public let state: ApprovalState
    /// Whether this account has signed all that is demanded of it.
    public let isSigned: Bool
    /// The server's name for the back end that asks.
    public let from: String
    /// The kind of transaction.
    public var title: TransactionLabel { transaction.title }
    /// Everything that is signed, letter by letter, the most important line first; see `details(in:)` for texts in a
    /// language.
    public var lines: [TransactionLine] { transaction.lines }
    /// Whether a name mixes alphabets, so that the person has to read it letter by letter.
    public var hasUnusualName: Bool { transaction.hasUnusualName }
    /// The keys and the evidence that the approval needs.
    public let demand: ApprovalDemand
    /// When the approval expires, by the server's clock.
    public let expiresAt: UnixTime
    package let transaction: ApprovalTransaction
    /// The bytes that are signed, in base64url.
    package let txn: String

    /// Nil for a transaction that this version cannot show whole, letter by letter, and for a back end without a name
    /// that can be shown: a person signs only what they can read, for whom they can read.
    package init?(_ record: ApprovalRecord) {
        guard let bytes = Base64URL.decode(record.txn), bytes.count <= ApprovalTransaction.largest,
            let transaction = try? StrictJSON.decode(ApprovalTransaction.self, from: bytes),
            // The bytes hold nothing that would not be shown.
            StrictJSON.encode(transaction) == bytes,
            ShownText.name.holds(record.from),
            // The id becomes part of a path.
            Base64URL.decode(record.id)?.count == 16
        else { return nil }
        id = record.id
        state = record.state
        isSigned = record.signed ?? false
        from = record.from
        self.transaction = transaction
        demand = record.demand
        expiresAt = record.expiresAt
        txn = record.txn
    }

    /// The transaction's lines, with labels in a language.
    public func details(in language: MessageLanguage) -> ApprovalDetails {
        let details = ApprovalDetails(
            title: transaction.title.text(in: language),
            lines: transaction.lines.map { .init(label: $0.label.text(in: language), value: $0.value) },
            caution: transaction.hasUnusualName ? PersonMessage(.readLetterByLetter) : nil
        )
        guard let details else { preconditionFailure("a transaction has lines, and all of its texts can be shown") }
        return details
    }

    /// The reason for the system's prompt: the two lines that matter most.
    public func reason(in language: MessageLanguage) -> String {
        "\(transaction.title.text(in: language)): \(transaction.lines.prefix(2).map(\.value).joined(separator: ", "))"
    }

    /// The id and the state, without the transaction, which may name people.
    public var description: String { "approval \(id), \(state)" }

    /// The policy of the prompt: a tap comes first.
    var policy: UnlockPolicy {
        guard let keys = demand.keys else { return .transaction }
        var policy = UnlockPolicy.transaction
        policy.ladder = [.biometric, .fullCredentials]
        if keys.contains(.pin) { policy.additionalRungs = [.appPIN] }
        return policy
    }
}
