public import ThumbturnCore

/// A transaction to approve: one of four kinds, after EUDI TS12 (version 1.0, section 4.3), in JSON
/// `{"type":…,"payload":{…}}`.
///
/// It differs from TS12 in two points: an amount is a decimal text, because decoders differ in how they read JSON
/// numbers, and members that are not listed are refused. A value of this type can be shown as it is: text that hides or
/// turns its surroundings was refused.
public struct ApprovalTransaction: Message, Hashable {
    package enum CodingKeys: String, CodingKey, CaseIterable { case type, payload }

    /// The kinds of transactions with their contents.
    public enum Content: Hashable, Sendable {
        case payment(Payment)
        case login(Login)
        case accountAccess(AccountAccess)
        case mandate(Mandate)
    }

    /// The kinds by their names in TS12.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        case payment = "urn:eudi:sca:payment:1"
        case login = "urn:eudi:sca:login_risk_transaction:1"
        case accountAccess = "urn:eudi:sca:account_access:1"
        case mandate = "urn:eudi:sca:emandate:1"
    }

    /// The kind with its content.
    public let content: Content

    /// The most bytes of its JSON: 3 KiB, so that the claim `txn` has at most 4 KiB.
    package static let largest = 3 * 1024

    /// The creator's id of the transaction, unique for that creator.
    public var id: String {
        switch content {
        case .payment(let payment): payment.transactionID
        case .login(let login): login.transactionID
        case .accountAccess(let access): access.transactionID
        case .mandate(let mandate): mandate.transactionID
        }
    }

    /// Its kind.
    public var kind: Kind {
        switch content {
        case .payment: .payment
        case .login: .login
        case .accountAccess: .accountAccess
        case .mandate: .mandate
        }
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        content =
            switch try container.decode(Kind.self, forKey: .type) {
            case .payment: .payment(try container.decode(Payment.self, forKey: .payload))
            case .login: .login(try container.decode(Login.self, forKey: .payload))
            case .accountAccess: .accountAccess(try container.decode(AccountAccess.self, forKey: .payload))
            case .mandate: .mandate(try container.decode(Mandate.self, forKey: .payload))
            }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(kind, forKey: .type)
        switch content {
        case .payment(let payment): try container.encode(payment, forKey: .payload)
        case .login(let login): try container.encode(login, forKey: .payload)
        case .accountAccess(let access): try container.encode(access, forKey: .payload)
        case .mandate(let mandate): try container.encode(mandate, forKey: .payload)
        }
    }
}

extension ApprovalTransaction {
    /// The recipient of a payment.
    public struct Payee: Message, Hashable {
        package enum CodingKeys: String, CodingKey, CaseIterable { case name, id }

        /// The name that the person knows.
        public let name: String
        /// The account number, for example an IBAN.
        public let id: String

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            name = try container.decode(.name, forKey: .name)
            id = try container.decode(.identifier, forKey: .id)
        }
    }

    /// A company between the person and the bank: TS12's `pisp` and `aisp`.
    public struct Provider: Message, Hashable {
        package enum CodingKeys: String, CodingKey, CaseIterable {
            case legalName = "legal_name"
            case brandName = "brand_name"
            case domainName = "domain_name"
        }

        /// The registered name.
        public let legalName: String
        /// The name of the brand.
        public let brandName: String?
        /// The host name.
        public let domainName: String?

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            legalName = try container.decode(.name, forKey: .legalName)
            brandName = try container.decodeIfPresent(.name, forKey: .brandName)
            domainName = try container.decodeIfPresent(.domain, forKey: .domainName)
        }
    }

    /// `urn:eudi:sca:payment:1`.
    public struct Payment: Message, Hashable {
        package enum CodingKeys: String, CodingKey, CaseIterable {
            case transactionID = "transaction_id"
            case dateTime = "date_time"
            case payee, pisp
            case executionDate = "execution_date"
            case currency, amount
        }

        /// The creator's id of the transaction.
        public let transactionID: String
        /// When it was ordered (RFC 3339).
        public let dateTime: String?
        /// The recipient.
        public let payee: Payee
        /// The payment initiation service, where there is one.
        public let pisp: Provider?
        /// The day of execution (RFC 3339); nil for immediate execution.
        public let executionDate: String?
        /// ISO 4217.
        public let currency: String
        /// A decimal text, for example `12.50`.
        public let amount: String

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            transactionID = try container.decode(.identifier, forKey: .transactionID)
            dateTime = try container.decodeIfPresent(.dateTime, forKey: .dateTime)
            payee = try container.decode(Payee.self, forKey: .payee)
            pisp = try container.decodeIfPresent(Provider.self, forKey: .pisp)
            executionDate = try container.decodeIfPresent(.date, forKey: .executionDate)
            currency = try container.decode(.currency, forKey: .currency)
            amount = try container.decode(.amount, forKey: .amount)
        }
    }

    /// `urn:eudi:sca:login_risk_transaction:1`: a sign-in at a service, or an action there that needs a signature.
    public struct Login: Message, Hashable {
        package enum CodingKeys: String, CodingKey, CaseIterable {
            case transactionID = "transaction_id"
            case dateTime = "date_time"
            case service, action
        }

        /// The creator's id of the transaction.
        public let transactionID: String
        /// When it was asked for (RFC 3339).
        public let dateTime: String?
        /// The service to sign in to.
        public let service: String
        /// The action at the service.
        public let action: String

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            transactionID = try container.decode(.identifier, forKey: .transactionID)
            dateTime = try container.decodeIfPresent(.dateTime, forKey: .dateTime)
            service = try container.decode(.name, forKey: .service)
            action = try container.decode(.line, forKey: .action)
        }
    }

    /// `urn:eudi:sca:account_access:1`: a provider's access to the person's accounts.
    public struct AccountAccess: Message, Hashable {
        package enum CodingKeys: String, CodingKey, CaseIterable {
            case transactionID = "transaction_id"
            case dateTime = "date_time"
            case aisp, description
        }

        /// The creator's id of the transaction.
        public let transactionID: String
        /// When it was asked for (RFC 3339).
        public let dateTime: String?
        /// The provider that may read.
        public let aisp: Provider
        /// The data and the time of access.
        public let description: String

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            transactionID = try container.decode(.identifier, forKey: .transactionID)
            dateTime = try container.decodeIfPresent(.dateTime, forKey: .dateTime)
            aisp = try container.decode(Provider.self, forKey: .aisp)
            description = try container.decode(.line, forKey: .description)
        }
    }

    /// `urn:eudi:sca:emandate:1`: a direct debit mandate.
    public struct Mandate: Message, Hashable {
        package enum CodingKeys: String, CodingKey, CaseIterable {
            case transactionID = "transaction_id"
            case dateTime = "date_time"
            case payee
            case creditorID = "creditor_id"
            case referenceNumber = "reference_number"
            case purpose
            case startDate = "start_date"
            case endDate = "end_date"
            case currency
            case amount
        }

        /// The creator's id of the transaction.
        public let transactionID: String
        /// When it was asked for (RFC 3339).
        public let dateTime: String?
        /// The creditor.
        public let payee: Payee
        /// The creditor's identifier.
        public let creditorID: String?
        /// The mandate's reference number.
        public let referenceNumber: String
        /// The purpose.
        public let purpose: String
        /// The first day (RFC 3339).
        public let startDate: String
        /// The last day (RFC 3339); nil for a mandate without an end.
        public let endDate: String?
        /// ISO 4217.
        public let currency: String
        /// The largest amount of one debit: a decimal text.
        public let amount: String

        public init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            transactionID = try container.decode(.identifier, forKey: .transactionID)
            dateTime = try container.decodeIfPresent(.dateTime, forKey: .dateTime)
            payee = try container.decode(Payee.self, forKey: .payee)
            creditorID = try container.decodeIfPresent(.identifier, forKey: .creditorID)
            referenceNumber = try container.decode(.identifier, forKey: .referenceNumber)
            purpose = try container.decode(.line, forKey: .purpose)
            startDate = try container.decode(.date, forKey: .startDate)
            endDate = try container.decodeIfPresent(.date, forKey: .endDate)
            currency = try container.decode(.currency, forKey: .currency)
            amount = try container.decode(.amount, forKey: .amount)
        }
    }
}
