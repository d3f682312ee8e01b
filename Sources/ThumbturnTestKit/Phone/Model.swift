public import ThumbturnCore

extension SimulatedPhone {
    /// A model of phone: the numbers and behaviours in which it differs from others. A plain value, so that a test may
    /// change one of them:
    ///
    ///     var model = SimulatedPhone.Model.iPhone(.finger)
    ///     model.afterEnrolmentChange = .gone
    ///     let phone = SimulatedPhone(model)
    public struct Model: Hashable, Sendable {
        /// The name, for messages of tests.
        public var name: String
        /// The system whose raw codes the failures carry; nil for none.
        public var system: System?

        // The sensor.
        /// The kind of sensor; nil without one.
        public var sensor: SensorKind?
        /// Whether the sensor may unlock keys (Android's Class 3). A weak one never can.
        public var isStrong = true
        /// Whether the app has to be allowed to use the sensor.
        public var asksPermission = false
        /// Whether the system reports a value that changes with the enrolled set.
        public var tellsMark = false

        // The prompt.
        /// How long after the request a prompt is on the screen.
        public var promptDelay = Duration.zero
        /// Whether the system tells that a prompt is on the screen.
        public var tellsAppearance = false
        /// Unsuccessful tries that are reported as one mismatch.
        public var triesInAPrompt = 1
        /// How long after a mismatch the sensor reads again, in a prompt that stays on the screen; nil where a mismatch ends
        /// the prompt.
        public var readsAgainAfter: Duration?
        /// How long the system shows an unanswered prompt; nil for no limit.
        public var promptTimeout: Duration?
        /// A prompt that follows a match sooner than this is cancelled by the system. No number is documented, so it is
        /// zero here.
        public var coolDown = Duration.zero
        /// Whether the app's own prompt makes the app inactive.
        public var promptMakesInactive = true
        /// What happens to a prompt that is requested while the app is not visible.
        public var promptInBack = PromptInBack.shown
        /// Whether a second prompt replaces the first.
        public var showsOnePrompt = false
        /// Whether a prompt may ask for the device passcode so that it unlocks a key for one use.
        public var passcodeUnlocksKeys = true

        // The lockouts, in unsuccessful tries since the last match or passcode.
        /// The number of tries after which the sensor pauses, each time anew; nil for no pause.
        public var triesToPause: Int?
        /// How long the sensor pauses.
        public var pause = Duration.zero
        /// The number of tries that locks the sensor until the passcode is entered; nil for no lockout.
        public var triesToLockout: Int?
        /// Whether a lockout is reported without a prompt.
        public var tellsLockout = true

        // The passcode.
        /// Whether the system knows a passcode.
        public var hasPasscode = true
        /// The sensor's state while no passcode is set; `ready` where that makes no difference.
        public var withoutPasscode = BiometryState.ready

        // The keys.
        /// The hardware that keeps the keys.
        public var hardware: KeyPlace.Hardware
        /// The hardware that was requested for keys and that this phone lacks; nil where nothing is missing.
        public var missing: KeyPlace.Missing?
        /// Whether the removal of one of several faces or fingers invalidates biometric keys. A new one, and the
        /// removal of all, invalidate them on every model.
        public var removingOneKillsKeys = true
        /// How a key appears after the enrolled set changed.
        public var afterEnrolmentChange = DeadKey.explained
        /// How a key appears after the passcode was removed.
        public var afterPasscodeRemoval = DeadKey.explained
        /// What protects a PIN key against guessing.
        public var pin = PINManner.counted

        // Life.
        /// Whether keys and secrets survive the removal of the app.
        public var survivesReinstall = false
        /// How secrets travel with a backup. Keys never do.
        public var backup = BackupManner.carries
        /// Whether failures of prompts reach the app through the keychain, which leaves three of them.
        public var flattensErrors = false

        /// A system whose raw codes failures carry.
        public enum System: String, Hashable, Sendable { case apple, android }

        /// What happens to a prompt that is requested while the app is not visible.
        public enum PromptInBack: Hashable, Sendable {
            case shown
            /// The system cancels it at once.
            case refused
            /// Nothing is shown, and no answer ever comes.
            case unheard
        }

        /// How an invalidated key appears.
        public enum DeadKey: Hashable, Sendable, CaseIterable {
            /// The key is invalidated, with the reason.
            case explained
            /// The key is invalidated, without the reason.
            case unexplained
            /// The key is missing.
            case gone
        }

        /// What protects a PIN key against guessing.
        public enum PINManner: Hashable, Sendable {
            /// The hardware judges and counts; too many wrong PINs disable the key for good. A TPM does so.
            case counted
            /// The hardware judges with one operation for each guess, and reports no count: a Secure Enclave key with
            /// an application password.
            case judged
            /// The device cannot judge: each PIN gives a key of its own, derived from an HMAC by a key in hardware, and
            /// only the server knows the right one. Android does so.
            case derived
        }

        /// How secrets travel with a backup.
        public enum BackupManner: Hashable, Sendable {
            case carries
            /// As ciphertext under a key that is not in the backup: the secrets are restored and cannot be read.
            case carriesSealed
            case leavesOut
        }
    }

    /// The hardware that keeps a key.
    public struct KeyPlace: Hashable, Sendable {
        /// The hardware itself.
        public var hardware: Hardware
        /// The better hardware that was requested and is missing; nil where nothing is.
        public var missing: Missing?

        /// Kinds of hardware.
        public enum Hardware: Hashable, Sendable { case memory, secureEnclave, strongBox, trustedEnvironment, tpm }

        /// Hardware that was requested and is missing.
        public enum Missing: Hashable, Sendable {
            /// Android's `StrongBoxUnavailableException`: requested again without StrongBox, the key goes to the
            /// trusted environment.
            case strongBox
        }
    }
}

// MARK: - The table

extension SimulatedPhone.Model {
    /// A phone of no particular maker: a face, one try for each prompt, a lockout after five unsuccessful tries, every
    /// reason reported, no raw codes, hardware that counts PINs. For tests in which the model does not matter.
    public static let plain: Self = {
        var model = Self(name: "plain", hardware: .memory)
        model.sensor = .face
        model.asksPermission = true
        model.tellsMark = true
        model.triesToLockout = 5
        model.survivesReinstall = true
        return model
    }()

    /// An iPhone or iPad (face, finger) or a Vision Pro (iris).
    public static func iPhone(_ sensor: SensorKind = .face) -> Self {
        var model = Self(name: "iPhone with \(sensor.rawValue)", hardware: .secureEnclave)
        model.system = .apple
        model.sensor = sensor
        model.asksPermission = true
        model.tellsMark = true
        // Three tries of a finger end one evaluation; after two of a face the sheet offers another way (an iris is
        // undocumented).
        model.triesInAPrompt = sensor == .finger ? 3 : 2
        model.promptInBack = .refused
        model.showsOnePrompt = true
        model.triesToLockout = 5
        model.withoutPasscode = .passcodeNotSet
        model.afterEnrolmentChange = .unexplained
        model.afterPasscodeRemoval = .gone
        model.pin = .judged
        // The keychain survives the app and may be in backups. The adapter deletes the items of an earlier
        // installation, and excludes all items from backups.
        model.backup = .leavesOut
        return model
    }

    /// An Android phone with a Class 3 sensor, and StrongBox.
    ///
    /// - Parameters:
    ///   - sensor: the kind of sensor.
    ///   - api: the API level, 28 or more. Before 30 no prompt takes the passcode for one use of a key.
    public static func android(_ sensor: SensorKind = .finger, api: Int = 35) -> Self {
        var model = Self(name: "Android \(api) with \(sensor.rawValue)", hardware: .strongBox)
        model.system = .android
        model.sensor = sensor
        model.readsAgainAfter = .milliseconds(50)
        model.promptTimeout = .seconds(30)
        model.promptMakesInactive = false
        model.promptInBack = .unheard
        model.showsOnePrompt = true
        model.passcodeUnlocksKeys = api >= 30
        model.triesToPause = 5
        model.pause = .seconds(30)
        model.triesToLockout = 20
        model.tellsLockout = false
        model.withoutPasscode = .notEnrolled
        model.removingOneKillsKeys = false
        model.afterEnrolmentChange = .unexplained
        model.afterPasscodeRemoval = .unexplained
        model.pin = .derived
        model.backup = .carriesSealed
        return model
    }

    /// An Android phone whose only sensor is of Class 2: it unlocks the screen, and never a key.
    public static func weakAndroid(_ sensor: SensorKind = .face) -> Self {
        var model = android(sensor)
        model.name = "Android with a weak \(sensor.rawValue)"
        model.isStrong = false
        return model
    }

    /// An Android phone without StrongBox: keys go to the trusted environment, and `keyPlace(of:)` names what is
    /// missing.
    public static func androidWithoutStrongBox(_ sensor: SensorKind = .finger) -> Self {
        var model = android(sensor)
        model.name = "Android without StrongBox"
        model.hardware = .trustedEnvironment
        model.missing = .strongBox
        return model
    }

    /// A Linux machine with a fingerprint reader and a TPM. Its system has no passcode that a key could ask for.
    public static let linux: Self = {
        var model = Self(name: "Linux", hardware: .tpm)
        model.sensor = .finger
        model.promptMakesInactive = false
        model.hasPasscode = false
        model.afterEnrolmentChange = .unexplained
        model.survivesReinstall = true
        return model
    }()

    /// One of each, for tests that hold on every model.
    public static let catalogue: [Self] = [
        plain, iPhone(.face), iPhone(.finger), iPhone(.iris), android(), android(api: 29), android(api: 28), weakAndroid(),
        androidWithoutStrongBox(), linux,
    ]

    private init(name: String, hardware: SimulatedPhone.KeyPlace.Hardware) {
        self.name = name
        self.hardware = hardware
    }

    /// Whether one prompt of an Android of this API level may offer these ways, by the rules of androidx.biometric
    /// (`PromptInfo.Builder.build` and `authenticate`): a combination that it does not allow throws.
    ///
    /// - Parameters:
    ///   - biometry: the weakest class that is accepted; nil for none.
    ///   - credential: whether the device credential is accepted.
    ///   - key: whether a success is to unlock a key.
    ///   - api: the API level.
    public static func androidTakes(biometry: AndroidClass?, credential: Bool, forKey key: Bool, api: Int) -> Bool {
        if key, biometry == .weak || (credential && api < 30) { return false }
        switch (biometry, credential) {
        case (nil, false), (.strong, false), (.weak, _): return true
        case (nil, true): return api >= 30
        case (.strong, true): return api < 28 || api >= 30
        }
    }

    /// The classes of sensors that an Android prompt can name.
    public enum AndroidClass: Hashable, Sendable { case strong, weak }
}
