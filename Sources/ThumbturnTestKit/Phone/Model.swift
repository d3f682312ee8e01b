public import ThumbturnCore

extension SimulatedPhone {
    /// A kind of phone: the numbers and manners in which it differs from others. A plain value, so that a test may change one of them:
    ///
    ///     var model = SimulatedPhone.Model.iPhone(.finger)
    ///     model.afterEnrolmentChange = .gone
    ///     let phone = SimulatedPhone(model)
    public struct Model: Hashable, Sendable {
        /// For messages of tests.
        public var name: String
        /// Whose raw codes the failures carry; nil for none.
        public var system: System?

        // The sensor.
        /// What the sensor looks at; nil where there is none.
        public var sensor: SensorKind?
        /// Whether the sensor may unlock keys (Android's Class 3). A weak one never can.
        public var isStrong = true
        /// Whether the app has to be allowed to use the sensor.
        public var asksPermission = false
        /// Whether the system tells a value that changes with the enrolled set.
        public var tellsMark = false

        // The prompt.
        /// So many tries in vain end one prompt, and are reported as one mismatch.
        public var triesInAPrompt = 1
        /// When the system itself takes an unanswered prompt away; nil for never.
        public var promptTimeout: Duration?
        /// A prompt that follows a match sooner than this is cancelled by the system. Nobody documents a number, so it is zero here.
        public var coolDown = Duration.zero
        /// Whether the app's own prompt makes the app inactive.
        public var promptMakesInactive = true
        /// What becomes of a prompt that is asked for while the app is not seen.
        public var promptInBack = PromptInBack.shown
        /// Whether a second prompt takes the place of the first.
        public var showsOnePrompt = false
        /// Whether a prompt may ask for the device passcode so that it unlocks a key for one use.
        public var passcodeUnlocksKeys = true

        // The lockouts, in tries in vain since the last match or passcode.
        /// Each time so many are full, the sensor pauses; nil for never.
        public var triesToPause: Int?
        /// How long it pauses then.
        public var pause = Duration.zero
        /// So many lock the sensor until the passcode is entered; nil for never.
        public var triesToLockout: Int?
        /// Whether a lockout can be told without a prompt.
        public var tellsLockout = true

        // The passcode.
        /// Whether there is such a thing.
        public var hasPasscode = true
        /// What the sensor says while no passcode is set; `ready` where that makes no difference.
        public var withoutPasscode = BiometryState.ready

        // The keys.
        /// Where keys live.
        public var hardware: KeyPlace.Hardware
        /// Where a key goes that asked for hardware which the device does not have; nil where nothing is missing.
        public var missing: KeyPlace.Missing?
        /// Whether a biometric key dies as soon as one of several faces or fingers is removed. A new one, and the removal of all, kill
        /// it everywhere.
        public var removingOneKillsKeys = true
        /// What is seen of a key after the enrolled set changed.
        public var afterEnrolmentChange = DeadKey.explained
        /// What is seen of a key after the passcode was removed.
        public var afterPasscodeRemoval = DeadKey.explained
        /// How a PIN key comes by its strength.
        public var pin = PINManner.counted

        // Life.
        /// Whether keys and secrets outlive the app.
        public var survivesReinstall = false
        /// How secrets travel with a backup. Keys never do.
        public var backup = BackupManner.carries
        /// Whether failures of prompts reach the app through the keychain, which leaves three of them.
        public var flattensErrors = false

        /// Whose raw codes failures carry.
        public enum System: String, Hashable, Sendable { case apple, android }

        /// What becomes of a prompt that is asked for while the app is not seen.
        public enum PromptInBack: Hashable, Sendable {
            case shown
            /// The system cancels it at once.
            case refused
            /// Nothing happens, and no answer ever comes.
            case unheard
        }

        /// What is seen of a key that died.
        public enum DeadKey: Hashable, Sendable, CaseIterable {
            /// It is invalidated, and the reason can be told.
            case explained
            /// It is invalidated.
            case unexplained
            /// It is as if it had never been.
            case gone
        }

        /// How a PIN key comes by its strength.
        public enum PINManner: Hashable, Sendable {
            /// The hardware judges and counts; too many wrong PINs shut the key for good. A TPM does so.
            case counted
            /// The hardware judges, one operation a guess, and counts nothing that could be seen: a Secure Enclave key with an
            /// application password.
            case judged
            /// Nobody on the device judges: each PIN gives a key of its own, derived from an HMAC by a key in hardware, and only the
            /// server knows which is the right one. Android does so.
            case derived
        }

        /// How secrets travel with a backup.
        public enum BackupManner: Hashable, Sendable {
            case carries
            /// As ciphertext under a key that stays behind: they arrive and cannot be read.
            case carriesSealed
            case leavesOut
        }
    }

    /// Where a key lives.
    public struct KeyPlace: Hashable, Sendable {
        /// What keeps it.
        public var hardware: Hardware
        /// Why it is not in better hardware; nil where nothing was missing.
        public var missing: Missing?

        /// What keeps keys.
        public enum Hardware: Hashable, Sendable { case memory, secureEnclave, strongBox, trustedEnvironment, tpm }

        /// What was asked for and is not there.
        public enum Missing: Hashable, Sendable {
            /// Android's `StrongBoxUnavailableException`: asked again without StrongBox, the key goes to the trusted environment.
            case strongBox
        }
    }
}

// MARK: - The table

extension SimulatedPhone.Model {
    /// No device of any maker: a face, one try a prompt, five tries in vain, every reason told, no raw codes, a hardware that counts
    /// PINs. For stories in which the model does not matter.
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
        // Three tries of a finger end one evaluation; after two of a face the sheet offers another way (for an iris nobody says).
        model.triesInAPrompt = sensor == .finger ? 3 : 2
        model.promptInBack = .refused
        model.showsOnePrompt = true
        model.triesToLockout = 5
        model.withoutPasscode = .passcodeNotSet
        model.afterEnrolmentChange = .unexplained
        model.afterPasscodeRemoval = .gone
        model.pin = .judged
        // The keychain outlives the app, and could travel. The adapter wipes what an earlier installation left, and lets nothing travel.
        model.backup = .leavesOut
        return model
    }

    /// An Android phone with a Class 3 sensor, and StrongBox.
    ///
    /// - Parameters:
    ///   - sensor: what it looks at.
    ///   - api: the API level, 28 or more. Before 30 no prompt takes the passcode for one use of a key.
    public static func android(_ sensor: SensorKind = .finger, api: Int = 35) -> Self {
        var model = Self(name: "Android \(api) with \(sensor.rawValue)", hardware: .strongBox)
        model.system = .android
        model.sensor = sensor
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

    /// An Android phone without StrongBox: keys go to the trusted environment, and `keyPlace(of:)` says why.
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
    ///   - biometry: the weakest class that is taken; nil for none.
    ///   - credential: whether the device credential is taken.
    ///   - key: whether the success is to unlock a key.
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
