/// What stands before a line of a transaction, and over it. The raw value is stable, so an app may keep its own texts
/// under it.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum TransactionLabel: String, Hashable, Sendable, Codable, CaseIterable {
    // Titles.
    /// The title of a payment.
    case payment
    /// The title of a confirmation.
    case login
    /// The title of an access to accounts.
    case accountAccess
    /// The title of a direct debit mandate.
    case mandate

    // Lines.
    /// The amount, with its currency.
    case amount
    /// The most that each debit of a mandate may take.
    case atMost
    /// The name of the payee.
    case payee
    /// The account of the payee.
    case payeeAccount
    /// The day on which a payment is made.
    case executionDate
    /// The provider that a payment or an access goes through.
    case through
    /// The name under which a provider is known.
    case brand
    /// The website of a provider.
    case website
    /// The service that asks for a confirmation.
    case service
    /// The action that is confirmed.
    case action
    /// The data that may be read.
    case access
    /// The company that may read it.
    case reader
    /// The purpose of an access.
    case purpose
    /// The first day of a mandate or an access.
    case starts
    /// The last day of a mandate or an access.
    case ends
    /// The name of a mandate's creditor.
    case creditor
    /// The reference number of a mandate.
    case mandateNumber
    /// The payer's own reference.
    case reference
    /// The day on which a transaction was ordered.
    case ordered

    /// The text in a language.
    public func text(in language: MessageLanguage) -> String {
        let (english, german, french, spanish, arabic) = texts
        return switch language {
        case .english: english
        case .german: german
        case .french: french
        case .spanish: spanish
        case .arabic: arabic
        }
    }

    private var texts: (String, String, String, String, String) {
        switch self {
        case .payment: ("Payment", "Zahlung", "Paiement", "Pago", "دفعة")
        case .login: ("Confirmation", "Bestätigung", "Confirmation", "Confirmación", "تأكيد")
        case .accountAccess:
            (
                "Access to your accounts", "Zugriff auf Ihre Konten", "Accès à vos comptes", "Acceso a sus cuentas",
                "الوصول إلى الحسابات"
            )
        case .mandate:
            ("Direct debit mandate", "Lastschriftmandat", "Mandat de prélèvement", "Mandato de domiciliación", "تفويض خصم مباشر")
        case .amount: ("Amount", "Betrag", "Montant", "Importe", "المبلغ")
        case .atMost:
            ("At most, each time", "Höchstens, je Mal", "Au plus, chaque fois", "Como máximo, cada vez", "الحد الأقصى كل مرة")
        case .payee: ("Payee", "Empfänger", "Bénéficiaire", "Beneficiario", "المستفيد")
        case .payeeAccount: ("Account", "Konto", "Compte", "Cuenta", "الحساب")
        case .executionDate: ("On", "Am", "Le", "El día", "في يوم")
        case .through: ("Through", "Über", "Par", "A través de", "عن طريق")
        case .brand: ("Known as", "Bekannt als", "Connu sous le nom de", "Conocido como", "معروف باسم")
        case .website: ("Website", "Website", "Site web", "Sitio web", "موقع الويب")
        case .service: ("Where", "Wo", "Où", "Dónde", "أين")
        case .action: ("What", "Was", "Quoi", "Qué", "ماذا")
        case .access: ("What", "Was", "Quoi", "Qué", "ماذا")
        case .reader: ("For", "Für", "Pour", "Para", "لصالح")
        case .purpose: ("What for", "Wofür", "Motif", "Concepto", "الغرض")
        case .starts: ("From", "Ab", "À partir du", "Desde", "من")
        case .ends: ("Until", "Bis", "Jusqu’au", "Hasta", "حتى")
        case .creditor: ("Creditor number", "Gläubigernummer", "Numéro du créancier", "Número de acreedor", "رقم الدائن")
        case .mandateNumber: ("Mandate number", "Mandatsnummer", "Numéro du mandat", "Número de mandato", "رقم التفويض")
        case .reference: ("Reference", "Referenz", "Référence", "Referencia", "المرجع")
        case .ordered: ("Ordered", "Beauftragt", "Demandé le", "Ordenado", "وقت الطلب")
        }
    }
}

extension TransactionLabel: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}
