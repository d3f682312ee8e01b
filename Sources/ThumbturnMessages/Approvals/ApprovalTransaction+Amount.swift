package import ThumbturnCore

extension ApprovalTransaction {
    /// The amount of a payment, or the largest amount of one debit of a mandate; nil for other kinds, and for an amount that
    /// `Money` cannot hold.
    package var amount: Money? {
        switch content {
        case .payment(let payment): Self.money(payment.amount, payment.currency)
        case .mandate(let mandate): Self.money(mandate.amount, mandate.currency)
        case .login, .accountAccess: nil
        }
    }

    /// The action of the policy that an approval of this kind stands for where its creator names none: the stricter one of
    /// the two for payments.
    package var defaultAction: String? {
        switch kind {
        case .payment, .mandate: StepUpAction.newRecipient.name
        case .login, .accountAccess: nil
        }
    }

    /// Whole minor units. What is less than one is rounded up, so that it is above every threshold that it exceeds.
    private static func money(_ amount: String, _ currency: String) -> Money? {
        let parts = amount.split(separator: ".", maxSplits: 1)
        let (places, fraction) = (minorPlaces[currency] ?? 2, parts.count > 1 ? parts[1] : "")
        let digits = fraction.prefix(places)
        guard let minor = Int64(parts[0] + digits + String(repeating: "0", count: places - digits.count)) else { return nil }
        let isRounded = fraction.dropFirst(places).contains { $0 != "0" }
        return Money(minor: minor + (isRounded ? 1 : 0), currency: currency)
    }

    /// The decimal places of the currencies of ISO 4217 that do not have two.
    private static let minorPlaces: [String: Int] = {
        let none = "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split(separator: " ")
        let three = "BHD IQD JOD KWD LYD OMR TND".split(separator: " ")
        let four = "CLF UYW".split(separator: " ")
        return Dictionary(
            uniqueKeysWithValues: none.map { (String($0), 0) } + three.map { (String($0), 3) } + four.map { (String($0), 4) })
    }()
}
