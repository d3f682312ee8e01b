/// The words for a sensor, or for any where the sensor is not known, in the forms that the texts of a language need.
///
/// "Face ID", "Touch ID" and "Optic ID" stand as they are in the languages of Latin letters. In Arabic Apple's systems
/// translate them.
struct SensorWords {
    /// On a button: "Use Face ID".
    let button: String
    /// In a list of settings: "Face ID", "Fingerprint".
    let name: String
    /// In a sentence, as its object: "your fingerprint".
    let object: String
    /// In a sentence, after "with": in German it has another form.
    let with: String
    /// What helps the sensor to see more.
    let advice: String

    private init(_ button: String, _ name: String, _ object: String, with: String? = nil, _ advice: String) {
        (self.button, self.name, self.object, self.with, self.advice) = (button, name, object, with ?? object, advice)
    }

    /// The object at the beginning of a sentence.
    var first: String { object.prefix(1).uppercased() + object.dropFirst() }

    static func english(_ sensor: SensorName?) -> SensorWords {
        let (finger, light) = ("A clean, dry finger helps.", "More light helps.")
        return switch sensor {
        case nil:
            Self("Use face or finger", "Face or fingerprint", "your face or finger", "A clean, dry finger or more light helps.")
        case .faceID?: Self("Use Face ID", "Face ID", "Face ID", light)
        case .touchID?: Self("Use Touch ID", "Touch ID", "Touch ID", finger)
        case .opticID?: Self("Use Optic ID", "Optic ID", "Optic ID", light)
        case .face?: Self("Use face", "Face", "your face", light)
        case .fingerprint?: Self("Use fingerprint", "Fingerprint", "your fingerprint", finger)
        case .iris?: Self("Use iris", "Iris", "your iris", light)
        }
    }

    static func german(_ sensor: SensorName?) -> SensorWords {
        let (finger, light) = ("Ein sauberer, trockener Finger hilft.", "Mehr Licht hilft.")
        return switch sensor {
        case nil:
            Self(
                "Gesicht oder Finger", "Gesicht oder Fingerabdruck", "Gesicht oder Finger",
                "Ein sauberer, trockener Finger oder mehr Licht hilft.")
        case .faceID?: Self("Face ID verwenden", "Face ID", "Face ID", light)
        case .touchID?: Self("Touch ID verwenden", "Touch ID", "Touch ID", finger)
        case .opticID?: Self("Optic ID verwenden", "Optic ID", "Optic ID", light)
        case .face?: Self("Gesicht verwenden", "Gesicht", "Ihr Gesicht", with: "Ihrem Gesicht", light)
        case .fingerprint?:
            Self("Fingerabdruck verwenden", "Fingerabdruck", "Ihren Fingerabdruck", with: "Ihrem Fingerabdruck", finger)
        case .iris?: Self("Iris verwenden", "Iris", "Ihre Iris", with: "Ihrer Iris", light)
        }
    }

    static func french(_ sensor: SensorName?) -> SensorWords {
        let (finger, light) = ("Un doigt propre et sec aide.", "Plus de lumière aide.")
        return switch sensor {
        case nil:
            Self(
                "Visage ou doigt", "Visage ou empreinte", "votre visage ou votre doigt",
                "Un doigt propre et sec ou plus de lumière aide.")
        case .faceID?: Self("Utiliser Face ID", "Face ID", "Face ID", light)
        case .touchID?: Self("Utiliser Touch ID", "Touch ID", "Touch ID", finger)
        case .opticID?: Self("Utiliser Optic ID", "Optic ID", "Optic ID", light)
        case .face?: Self("Utiliser le visage", "Visage", "votre visage", light)
        case .fingerprint?: Self("Utiliser l’empreinte", "Empreinte digitale", "votre empreinte", finger)
        case .iris?: Self("Utiliser l’iris", "Iris", "votre iris", light)
        }
    }

    static func spanish(_ sensor: SensorName?) -> SensorWords {
        let (finger, light) = ("Ayuda tener el dedo limpio y seco.", "Ayuda tener más luz.")
        return switch sensor {
        case nil:
            Self("Usar rostro o dedo", "Rostro o huella", "su rostro o su dedo", "Ayuda tener el dedo limpio y seco, o más luz.")
        case .faceID?: Self("Usar Face ID", "Face ID", "Face ID", light)
        case .touchID?: Self("Usar Touch ID", "Touch ID", "Touch ID", finger)
        case .opticID?: Self("Usar Optic ID", "Optic ID", "Optic ID", light)
        case .face?: Self("Usar rostro", "Rostro", "su rostro", light)
        case .fingerprint?: Self("Usar huella", "Huella digital", "su huella", finger)
        case .iris?: Self("Usar iris", "Iris", "su iris", light)
        }
    }

    static func arabic(_ sensor: SensorName?) -> SensorWords {
        let (finger, light) = ("يفيد أن يكون الإصبع نظيفًا وجافًا.", "يفيد مزيد من الضوء.")
        return switch sensor {
        case nil:
            Self(
                "استخدام الوجه أو الإصبع", "الوجه أو البصمة", "الوجه أو الإصبع",
                "يفيد أن يكون الإصبع نظيفًا وجافًا، أو مزيد من الضوء.")
        case .faceID?: Self("استخدام بصمة الوجه", "بصمة الوجه", "بصمة الوجه", light)
        case .touchID?, .fingerprint?: Self("استخدام بصمة الإصبع", "بصمة الإصبع", "بصمة الإصبع", finger)
        case .opticID?: Self("استخدام بصمة العين", "بصمة العين", "بصمة العين", light)
        case .face?: Self("استخدام الوجه", "الوجه", "الوجه", light)
        case .iris?: Self("استخدام قزحية العين", "قزحية العين", "قزحية العين", light)
        }
    }
}
