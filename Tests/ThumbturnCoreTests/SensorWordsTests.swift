import Testing
import ThumbturnCore

/// Texts that name the sensor, in every language.
@Suite struct SensorWordsTests {
    static let keys = MessageKey.allCases.filter(\.namesSensor)

    @Test(arguments: MessageLanguage.allCases, SensorName.allCases)
    func aNamedTextIsAsGoodAsTheNeutralOne(_ language: MessageLanguage, _ sensor: SensorName) {
        for key in Self.keys {
            let (neutral, text) = (PersonMessage(key), PersonMessage(key).naming(sensor).text(in: language))
            #expect(text != neutral.text(in: language), "\(key)")
            #expect(text.count <= key.longest, "\(key), \(text.count): \(text)")
            #expect(!key.isButton || text.last?.isPunctuation == false, "\(text)")
            #expect(BannedWords.found(in: text, language).isEmpty, "\(text)")
            #expect(text.first?.isLowercase == false, "a text begins with a capital letter: \(text)")
            #expect(!text.contains("  ") && !text.contains(" ."), "\(text)")
            // A name of Latin letters in a text from right to left would move what stands beside it.
            #expect(!language.isRightToLeft || !text.contains { $0.isASCII && $0.isLetter }, "\(text)")
            #expect(neutral.naming(nil) == neutral)
        }
    }

    @Test func onlyATextAboutTheSensorNamesIt() {
        for key in MessageKey.allCases where key.placeholder == nil && !key.namesSensor {
            #expect(PersonMessage(key).naming(.faceID) == PersonMessage(key), "\(key)")
        }
        #expect(PersonMessage.wait(.seconds(30)).naming(.faceID) == .wait(.seconds(30)))
    }

    typealias Row = (language: MessageLanguage, sensor: SensorName?, button: String, hint: String, missing: String)

    static let rows: [Row] = [
        (
            .english, nil, "Use face or finger", "Having trouble? Use your face or finger instead.",
            "You can set up your face or finger in Settings."
        ),
        (
            .english, .faceID, "Use Face ID", "Having trouble? Use Face ID instead.", "You can set up Face ID in Settings."
        ),
        (
            .english, .fingerprint, "Use fingerprint", "Having trouble? Use your fingerprint instead.",
            "You can set up your fingerprint in Settings."
        ),
        (
            .german, .touchID, "Touch ID verwenden", "Klappt es nicht? Mit Touch ID geht es auch.",
            "In den Einstellungen können Sie Touch ID einrichten."
        ),
        (
            .german, .fingerprint, "Fingerabdruck verwenden", "Klappt es nicht? Mit Ihrem Fingerabdruck geht es auch.",
            "In den Einstellungen können Sie Ihren Fingerabdruck einrichten."
        ),
        (
            .french, .opticID, "Utiliser Optic ID", "Un souci\u{A0}? Utilisez plutôt Optic ID.",
            "Vous pouvez configurer Optic ID dans les réglages."
        ),
        (
            .french, .fingerprint, "Utiliser l’empreinte", "Un souci\u{A0}? Utilisez plutôt votre empreinte.",
            "Vous pouvez configurer votre empreinte dans les réglages."
        ),
        (
            .spanish, .faceID, "Usar Face ID", "¿Necesita ayuda? Use Face ID.", "Puede configurar Face ID en los ajustes."
        ),
        (
            .spanish, .fingerprint, "Usar huella", "¿Necesita ayuda? Use su huella.", "Puede configurar su huella en los ajustes."
        ),
        (
            .arabic, .faceID, "استخدام بصمة الوجه", "هل من صعوبة؟ يمكن استخدام بصمة الوجه.",
            "يمكن إعداد بصمة الوجه في الإعدادات."
        ),
    ]

    @Test(arguments: rows) func theSensorIsCalledByItsName(_ row: Row) {
        func text(_ message: PersonMessage) -> String { message.naming(row.sensor).text(in: row.language) }
        #expect(text(Rung.biometric.button) == row.button)
        #expect(text(Rung.biometric.hint) == row.hint)
        #expect(text(Failure(.biometryNotEnrolled).message) == row.missing)
    }

    @Test func aSentenceThatBeginsWithThePersonsSensorBeginsLarge() {
        let offer = BiometricOffer.text
        #expect(offer.naming(.faceID).text(in: .french).hasPrefix("Face ID au lieu de la saisie."))
        #expect(offer.naming(.fingerprint).text(in: .french).hasPrefix("Votre empreinte au lieu de la saisie."))
        #expect(offer.naming(.face).text(in: .spanish).hasPrefix("Su rostro en lugar de escribir."))
        #expect(offer.naming(.fingerprint).text(in: .german).hasPrefix("Fingerabdruck statt Tippen."))
    }

    @Test func aNameBelongsToAPartOfTheBody() {
        #expect(SensorName.allCases.map(\.kind) == [.face, .finger, .iris, .face, .finger, .iris])
        #expect(SensorKind.allCases.map { SensorName($0) } == [.face, .fingerprint, .iris])
    }

    @Test func readinessPrintsTheSensorsName() {
        let readiness = Readiness(sensor: .touchID, biometry: .ready, keys: [:], ladder: [])
        #expect("\(readiness)" == "next: full sign-in; sensor: touchID ready; keys: none")
    }
}
