#if Server
import ThumbturnCore
public import ThumbturnMessages
import ThumbturnVerifier

/// What a back end may do within its scopes, as the operator registered it. A limit that is nil allows everything.
///
/// Approvals are judged when they are created and again when they are redeemed, in the transaction that does it, so a
/// limit that the operator tightens holds for open approvals too. The introspection of a token of another account says
/// that the token is not active (RFC 7662 section 2.2).
public struct ClientLimits: Codable, Hashable, Sendable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case accounts, transactions, amounts
        case requestsPerMinute = "requests_per_minute"
    }

    /// The ids of the accounts that the back end may ask for approvals, and whose tokens it may introspect.
    public var accounts: Set<String>?
    /// The kinds of transactions for which it may ask.
    public var transactions: Set<ApprovalTransaction.Kind>?
    /// The largest amount of a transaction by currency (ISO 4217), as a decimal text, for example `1000.00`. Another
    /// currency is refused. Transactions without an amount are not judged by it.
    public var amounts: [String: String]?
    /// The most authenticated requests of all kinds in a minute, 1 to 1 000 000; after a pause as many may come at once.
    ///
    /// Each node counts them in its memory and refuses the excess before it does anything else, so a back end meets this
    /// rate first. A request for an approval that it allows is then counted in the store, by rates that hold for every
    /// back end and for all nodes together.
    public var requestsPerMinute: Int?

    /// No limits.
    public init() {}

    /// Whether the limits allow approvals of this transaction for these accounts.
    ///
    /// - Parameter txn: the stored bytes of the transaction, in base64url.
    func allow(_ txn: String, for accounts: [AccountID]) -> Bool {
        guard allow(accounts) else { return false }
        guard transactions != nil || amounts != nil else { return true }
        guard let bytes = Base64URL.decode(txn), let transaction = try? WireJSON.decode(ApprovalTransaction.self, from: bytes)
        else { return false }
        if let transactions, !transactions.contains(transaction.kind) { return false }
        guard let amounts, let (currency, amount) = transaction.money else { return true }
        guard let most = amounts[currency] else { return false }
        return !DecimalText.isGreater(amount, than: most)
    }

    /// Whether the limits allow all of these accounts.
    func allow(_ accounts: [AccountID]) -> Bool {
        guard let allowed = self.accounts else { return true }
        return accounts.allSatisfy { allowed.contains($0.text) }
    }
}

extension ApprovalTransaction {
    /// The currency and the amount, a decimal text; nil for a kind without an amount.
    fileprivate var money: (currency: String, amount: String)? {
        switch content {
        case .payment(let payment): (payment.currency, payment.amount)
        case .mandate(let mandate): (mandate.currency, mandate.amount)
        case .login, .accountAccess: nil
        }
    }
}

/// Compares decimal texts of the form `ShownText.amount`, exactly.
enum DecimalText {
    static func isGreater(_ text: String, than other: String) -> Bool {
        let (one, two) = (parts(of: text), parts(of: other))
        // Without leading zeros the longer whole number is the greater one.
        if one.whole.count != two.whole.count { return one.whole.count > two.whole.count }
        return two.digits.lexicographicallyPrecedes(one.digits)
    }

    /// The digits before the point without leading zeros, and all digits with as many after the point as any amount has.
    private static func parts(of text: String) -> (whole: [UInt8], digits: [UInt8]) {
        let zero = UInt8(ascii: "0")
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let whole = Array(parts[0].drop { $0 == zero })
        var fraction = parts.count > 1 ? Array(parts[1]) : []
        while fraction.count < 4 { fraction.append(zero) }
        return (whole, whole + fraction)
    }
}
#endif
