/// The plural categories of Unicode (UTS #35 part 3, section 5): a language chooses the form of a noun by the category
/// of its number.
enum PluralCategory: CaseIterable {
    case zero, one, two, few, many, other
}

extension MessageLanguage {
    /// The category of a whole number, by the rules of Unicode CLDR 46. French and Spanish have a further category from
    /// a million on, which no text here reaches.
    func pluralCategory(of number: Int64) -> PluralCategory {
        switch self {
        case .english, .german, .spanish: number == 1 ? .one : .other
        case .french: (0...1).contains(number) ? .one : .other
        case .arabic:
            switch (number, number % 100) {
            case (0, _): .zero
            case (1, _): .one
            case (2, _): .two
            case (_, 3...10): .few
            case (_, 11...99): .many
            default: .other
            }
        }
    }
}
