public import ThumbturnCore

extension ApprovalTransaction {
    /// The title of the sheet.
    public var title: TransactionLabel {
        switch content {
        case .payment: .payment
        case .login: .login
        case .accountAccess: .accountAccess
        case .mandate: .mandate
        }
    }

    /// Everything that is signed, in the order in which it matters (TS12's levels of display): the payee and the amount
    /// come first.
    public var lines: [TransactionLine] {
        switch content {
        case .payment(let payment):
            Self.lines(
                [
                    (.amount, "\(payment.amount) \(payment.currency)"), (.payee, payment.payee.name),
                    (.payeeAccount, payment.payee.id), (.executionDate, payment.executionDate),
                ] + Self.provider(payment.pisp, .through) + [(.reference, payment.transactionID), (.ordered, payment.dateTime)])
        case .login(let login):
            Self.lines([
                (.action, login.action), (.service, login.service), (.reference, login.transactionID), (.ordered, login.dateTime),
            ])
        case .accountAccess(let access):
            Self.lines(
                [(.access, access.description)] + Self.provider(access.aisp, .reader)
                    + [(.reference, access.transactionID), (.ordered, access.dateTime)])
        case .mandate(let mandate):
            Self.lines([
                (.atMost, "\(mandate.amount) \(mandate.currency)"), (.payee, mandate.payee.name),
                (.payeeAccount, mandate.payee.id), (.purpose, mandate.purpose), (.starts, mandate.startDate),
                (.ends, mandate.endDate), (.creditor, mandate.creditorID), (.mandateNumber, mandate.referenceNumber),
                (.reference, mandate.transactionID), (.ordered, mandate.dateTime),
            ])
        }
    }

    /// Whether a name mixes alphabets, so that it has to be read letter by letter; see `Alphabet`.
    public var hasUnusualName: Bool { names.contains { Alphabet.look(of: $0) == .flagged } }

    private var names: [String] {
        switch content {
        case .payment(let payment): [payment.payee.name] + Self.names(payment.pisp)
        case .login(let login): [login.service]
        case .accountAccess(let access): Self.names(access.aisp)
        case .mandate(let mandate): [mandate.payee.name]
        }
    }

    private static func names(_ provider: Provider?) -> [String] {
        [provider?.legalName, provider?.brandName].compactMap { $0 }
    }

    private static func provider(_ provider: Provider?, _ label: TransactionLabel) -> [(TransactionLabel, String?)] {
        [(label, provider?.legalName), (.brand, provider?.brandName), (.website, provider?.domainName)]
    }

    private static func lines(_ all: [(TransactionLabel, String?)]) -> [TransactionLine] {
        all.compactMap { label, value in value.map { TransactionLine(label: label, value: $0) } }
    }
}
