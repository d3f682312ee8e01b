import ThumbturnCore

/// What Android tells of the phone and of the app, without a prompt.
struct AndroidFacts: Hashable, Sendable {
    var level: Int
    var manufacturer: String
    var model: String
    var release: String
    var securityPatch: String
    /// The results of `BiometricManager.canAuthenticate`; nil where the API level has no such call.
    var strong: Int?
    var weak: Int?
    var credential: Int?
    var fingers: AuthenticatorStates.Fingers
    /// Whether the phone has a PIN, a pattern or a password.
    var hasLockScreen: Bool
    var isLocked: Bool
    /// Whether the person has unlocked the phone since it started. Before that no file and no key of the app can be read.
    var isUserUnlocked: Bool
    /// The kinds of sensors that the phone has.
    var sensors: [SensorKind]
    var package: String
    /// The path of the folder that no backup contains.
    var folder: String
    /// The person's language, as an IETF tag.
    var language: String
    /// Whether TalkBack or another service explores the screen by touch.
    var exploresByTouch: Bool
    /// Milliseconds since the phone started.
    var elapsed: Int64

    init(reading reader: inout BridgeReader) throws(BridgeReader.Malformed) {
        level = Int(try reader.number())
        manufacturer = try reader.text()
        model = try reader.text()
        release = try reader.text()
        securityPatch = try reader.text()
        strong = try reader.optionalNumber().map(Int.init)
        weak = try reader.optionalNumber().map(Int.init)
        credential = try reader.optionalNumber().map(Int.init)
        fingers = AuthenticatorStates.Fingers(isDetected: try reader.optionalFlag(), hasEnrolled: try reader.optionalFlag())
        hasLockScreen = try reader.flag()
        isLocked = try reader.flag()
        isUserUnlocked = try reader.flag()
        sensors = []
        for kind in [SensorKind.finger, .face, .iris] where try reader.flag() { sensors.append(kind) }
        package = try reader.text()
        folder = try reader.text()
        language = try reader.text()
        exploresByTouch = try reader.flag()
        elapsed = try reader.number()
    }

    var biometry: BiometryState { AuthenticatorStates.state(strong: strong, weak: weak, fingers: fingers) }

    /// The state of the sensor as far as it answers for itself: one that cannot tell is none that is ready.
    var answeredBiometry: BiometryState { strong == AuthenticatorStates.cannotTell ? .unavailable : biometry }

    /// The kind of sensor; nil where the phone has several, because the person chooses among them.
    var sensor: SensorKind? { sensors.count == 1 ? sensors.first : nil }

    /// Whether a prompt can ask for the device credential so that it unlocks a key for one use.
    var credentialUnlocksKeys: Bool { Self.credentialUnlocksKeys(on: level) }

    /// It does from API 30 on: before, a key for one use takes a biometric only.
    static func credentialUnlocksKeys(on level: Int) -> Bool { level >= 30 }

    /// The failure of a prompt or a key for the device credential where there is none for keys.
    static let noCredentialForKeys = Failure(
        .platform, recovery: .fallBack(.appPIN),
        // BIOMETRIC_ERROR_UNSUPPORTED
        status: .init(domain: "android.hardware.biometrics.BiometricManager", code: -2))

    /// The name of the phone for a list of devices: the model, after its maker where it does not begin with that.
    var name: String {
        model.lowercased().hasPrefix(manufacturer.lowercased()) ? model : "\(manufacturer.capitalizedFirst) \(model)"
    }
}

extension String {
    fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

extension AndroidSystem {
    func facts() async throws(AndroidThrown) -> AndroidFacts {
        try await call(.facts) { (reader) throws(BridgeReader.Malformed) in try AndroidFacts(reading: &reader) }
    }
}
