/// A noun with its number, in the form that the number demands.
enum CountedNoun {
    case seconds(Int64)
    case minutes(Int64)
    case hours(Int64)
    /// Tries at the PIN that are left, as a phrase that begins a sentence.
    case tries(Int64)
    /// Digits of a PIN that were typed, as a phrase.
    case digits(Int64)

    private var number: Int64 {
        switch self {
        case .seconds(let number), .minutes(let number), .hours(let number), .tries(let number), .digits(let number): number
        }
    }

    func text(in language: MessageLanguage) -> String {
        let category = language.pluralCategory(of: number)
        return switch language {
        case .english: english(isOne: category == .one)
        case .german: german(isOne: category == .one)
        case .french: french(isOne: category == .one)
        case .spanish: spanish(isOne: category == .one)
        case .arabic: arabic(category)
        }
    }

    private func english(isOne: Bool) -> String {
        switch self {
        case .seconds(let n): isOne ? "\(n)\u{A0}second" : "\(n)\u{A0}seconds"
        case .minutes(let n): isOne ? "\(n)\u{A0}minute" : "\(n)\u{A0}minutes"
        case .hours(let n): isOne ? "\(n)\u{A0}hour" : "\(n)\u{A0}hours"
        case .tries(let n): isOne ? "\(n)\u{A0}try left" : "\(n)\u{A0}tries left"
        case .digits(let n): isOne ? "\(n)\u{A0}digit entered" : "\(n)\u{A0}digits entered"
        }
    }

    private func german(isOne: Bool) -> String {
        switch self {
        case .seconds(let n): isOne ? "\(n)\u{A0}Sekunde" : "\(n)\u{A0}Sekunden"
        case .minutes(let n): isOne ? "\(n)\u{A0}Minute" : "\(n)\u{A0}Minuten"
        case .hours(let n): isOne ? "\(n)\u{A0}Stunde" : "\(n)\u{A0}Stunden"
        case .tries(let n): isOne ? "Noch \(n)\u{A0}Versuch" : "Noch \(n)\u{A0}Versuche"
        case .digits(let n): isOne ? "\(n)\u{A0}Ziffer eingegeben" : "\(n)\u{A0}Ziffern eingegeben"
        }
    }

    private func french(isOne: Bool) -> String {
        switch self {
        case .seconds(let n): isOne ? "\(n)\u{A0}seconde" : "\(n)\u{A0}secondes"
        case .minutes(let n): isOne ? "\(n)\u{A0}minute" : "\(n)\u{A0}minutes"
        case .hours(let n): isOne ? "\(n)\u{A0}heure" : "\(n)\u{A0}heures"
        case .tries(let n): isOne ? "Il reste \(n)\u{A0}essai" : "Il reste \(n)\u{A0}essais"
        case .digits(let n): isOne ? "\(n)\u{A0}chiffre saisi" : "\(n)\u{A0}chiffres saisis"
        }
    }

    private func spanish(isOne: Bool) -> String {
        switch self {
        case .seconds(let n): isOne ? "\(n)\u{A0}segundo" : "\(n)\u{A0}segundos"
        case .minutes(let n): isOne ? "\(n)\u{A0}minuto" : "\(n)\u{A0}minutos"
        case .hours(let n): isOne ? "\(n)\u{A0}hora" : "\(n)\u{A0}horas"
        case .tries(let n): isOne ? "Queda \(n)\u{A0}intento" : "Quedan \(n)\u{A0}intentos"
        case .digits(let n): isOne ? "\(n)\u{A0}dígito introducido" : "\(n)\u{A0}dígitos introducidos"
        }
    }

    /// Seconds, minutes and hours stand behind "after", which demands the genitive.
    private func arabic(_ category: PluralCategory) -> String {
        switch (self, category) {
        case (.seconds, .one): "ثانية واحدة"
        case (.seconds, .two): "ثانيتين"
        case (.seconds(let n), .few): "\(n)\u{A0}ثوانٍ"
        case (.seconds(let n), _): "\(n)\u{A0}ثانية"
        case (.minutes, .one): "دقيقة واحدة"
        case (.minutes, .two): "دقيقتين"
        case (.minutes(let n), .few): "\(n)\u{A0}دقائق"
        case (.minutes(let n), _): "\(n)\u{A0}دقيقة"
        case (.hours, .one): "ساعة واحدة"
        case (.hours, .two): "ساعتين"
        case (.hours(let n), .few): "\(n)\u{A0}ساعات"
        case (.hours(let n), _): "\(n)\u{A0}ساعة"
        case (.tries, .zero): "لم تبقَ أي محاولة"
        case (.tries, .one): "بقيت محاولة واحدة"
        case (.tries, .two): "بقيت محاولتان"
        case (.tries(let n), .few): "بقيت \(n)\u{A0}محاولات"
        case (.tries(let n), _): "بقيت \(n)\u{A0}محاولة"
        case (.digits, .zero): "لم يُدخل أي رقم"
        case (.digits, .one): "أُدخل رقم واحد"
        case (.digits, .two): "أُدخل رقمان"
        case (.digits(let n), .few): "أُدخلت \(n)\u{A0}أرقام"
        case (.digits(let n), _): "أُدخل \(n)\u{A0}رقمًا"
        }
    }
}
