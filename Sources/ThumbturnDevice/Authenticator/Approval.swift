import Foundation
public import ThumbturnCore
package import ThumbturnMessages

/// What a back end asks this account to approve, as the server sent it. What `details` shows is what a key signs, byte for byte.
public struct Approval: Hashable, Sendable {
    /// The approval's id at the server.
    public let id: String
    /// Its state when it was fetched.
    public let state: ApprovalState
    /// Whether this account has signed all that is demanded of it.
    public let isSigned: Bool
    /// Who asks: the server's name for the back end.
    public let from: String
    /// The kind of transaction.
    public var title: TransactionLabel { transaction.title }
    /// Everything that is signed, letter by letter, the most important line first; see `details(in:)` for texts in a language.
    public var lines: [Line] { transaction.lines.map { Line(label: $0.label, value: $0.value) } }
    /// Whether a name mixes alphabets, so that the person has to read it letter by letter.
    public var hasUnusualName: Bool { transaction.hasUnusualName }
    /// What has to answer.
    public let demand: ApprovalDemand
    /// Until when, by the server's clock.
    public let expiresAt: UnixTime
    package let transaction: ApprovalTransaction
    /// Exactly the bytes that are signed, in base64url.
    package let txn: String

    /// One line of the transaction.
    public struct Line: Hashable, Sendable {
        /// What the line tells. The raw value is stable, so that an app can have texts of its own.
        public let label: TransactionLabel
        /// Letter by letter as it is signed.
        public let value: String
    }

    /// Nil for a transaction that this version cannot show whole, letter by letter: nobody signs what they cannot read.
    init?(_ record: ApprovalRecord) {
        guard let bytes = Base64URL.decode(record.txn), bytes.count <= ApprovalTransaction.largest, JSONScan.isUnambiguous(bytes),
            let transaction = try? JSONDecoder().decode(Strict<ApprovalTransaction>.self, from: Data(bytes)).content,
            // Nothing is in the bytes that would not be shown.
            Signing.encode(transaction) == bytes
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

    /// Every line of it, with labels in a language.
    public func details(in language: MessageLanguage) -> ApprovalDetails {
        let details = ApprovalDetails(
            title: transaction.title.text(in: language),
            lines: transaction.lines.map { .init(label: $0.label.text(in: language), value: $0.value) },
            caution: transaction.hasUnusualName ? PersonMessage(.readLetterByLetter) : nil
        )
        guard let details else { preconditionFailure("a transaction has lines, and all of its texts can be shown") }
        return details
    }

    /// What a system's prompt says: the two lines that matter most.
    public func reason(in language: MessageLanguage) -> String {
        "\(transaction.title.text(in: language)): \(transaction.lines.prefix(2).map(\.value).joined(separator: ", "))"
    }

    /// A tap first, and always a prompt of its own.
    var policy: UnlockPolicy {
        guard let keys = demand.keys else { return .transaction }
        var policy = UnlockPolicy.transaction
        policy.ladder = [.biometric, .fullCredentials]
        if keys.contains(.pin) { policy.also = [.appPIN] }
        return policy
    }
}
