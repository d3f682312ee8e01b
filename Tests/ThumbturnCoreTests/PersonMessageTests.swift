import Testing
import ThumbturnCore

/// The texts for the person, in every language.
@Suite struct PersonMessageTests {
    /// A key's text, with a number where it has a place for one.
    static func message(_ key: MessageKey) -> PersonMessage {
        switch key.placeholder {
        case nil: return PersonMessage(key)
        case .count: return key == .digitsEntered ? .digitsEntered(47) : .pinTriesLeft(47)
        case .time:
            let all: [PersonMessage] = [
                .wait(.seconds(47)), .sensorRests(for: .seconds(47)), .pinPaused(for: .seconds(47)),
                .coolingOff(for: .seconds(47)),
            ]
            guard let message = all.first(where: { $0.key == key }) else { preconditionFailure("no message for \(key)") }
            return message
        }
    }

    static func isArabic(_ scalar: Unicode.Scalar) -> Bool { (0x0600...0x06FF).contains(scalar.value) }

    @Test(arguments: MessageLanguage.allCases) func noTextBlamesThePerson(_ language: MessageLanguage) {
        for key in MessageKey.allCases {
            let text = Self.message(key).text(in: language)
            #expect(BannedWords.found(in: text, language).isEmpty, "\(key): \(text)")
        }
    }

    @Test(arguments: [
        (MessageLanguage.english, "Authentication Failed."), (.german, "Ein Fehler."), (.french, "Échec."),
        (.spanish, "Ha fallado."),
        (.arabic, "فَشِل"),
    ]) func theLintFindsWhatItBans(_ language: MessageLanguage, _ text: String) {
        #expect(!BannedWords.found(in: text, language).isEmpty)
    }

    @Test(arguments: MessageLanguage.allCases) func everyTextIsThereAndFits(_ language: MessageLanguage) {
        for key in MessageKey.allCases {
            let text = Self.message(key).text(in: language)
            #expect(text.contains { !$0.isWhitespace }, "\(key)")
            #expect(text.first?.isWhitespace == false && text.last?.isWhitespace == false, "\(key)")
            #expect(text.count <= key.longest, "\(key), \(text.count): \(text)")
            #expect(!key.isButton || text.last?.isPunctuation == false, "a button is no sentence: \(text)")
        }
    }

    @Test(arguments: MessageLanguage.allCases) func aNumberStandsWhereTheTextHasAPlaceForIt(_ language: MessageLanguage) {
        for key in MessageKey.allCases {
            let text = Self.message(key).text(in: language)
            #expect(text.contains("47") == (key.placeholder != nil), "\(key): \(text)")
            #expect(!text.contains("%") && !text.contains("{"), "\(key): \(text)")
        }
    }

    @Test(arguments: MessageLanguage.allCases.filter { $0 != .english }) func noTextWasLeftInEnglish(_ language: MessageLanguage)
    {
        for key in MessageKey.allCases where key != .pinName {
            #expect(Self.message(key).text(in: language) != Self.message(key).text(in: .english), "\(key)")
        }
    }

    @Test(arguments: MessageLanguage.allCases) func eachLanguageIsWrittenInItsScript(_ language: MessageLanguage) {
        #expect(language.isRightToLeft == (language == .arabic))
        for key in MessageKey.allCases {
            let text = Self.message(key).text(in: language)
            #expect(text.unicodeScalars.contains(where: Self.isArabic) == language.isRightToLeft, "\(key): \(text)")
        }
    }

    @Test(arguments: MessageLanguage.allCases) func buttonsAndTextsOfOneScreenDiffer(_ language: MessageLanguage) {
        // Three buttons of the offer, the ways of the ladder, an approval, a removal, the PIN's screen.
        for group: [MessageKey] in [
            [.setUp, .notNow, .never],
            [.cancel, .useBiometrics, .usePasscode, .usePIN, .signIn],
            [.approve, .decline, .done], [.remove, .cancel], [.confirm, .deleteDigit, .cancel],
        ] {
            #expect(Set(group.map { PersonMessage($0).text(in: language) }).count == group.count)
        }
    }

    @Test func aTextIsKnownByItsName() {
        #expect(PersonMessage(.usePIN).id == "usePIN" && PersonMessage.wait(.seconds(3)).id == "waitFor")
        #expect(Set(MessageKey.allCases.map { Self.message($0).id }).count == MessageKey.allCases.count)
        #expect(PersonMessage.digitsEntered(-1) == .digitsEntered(0))
        #expect(PersonMessage.digitsEntered(1).text(in: .english) == "1\u{A0}digit entered")
        #expect(PersonMessage.digitsEntered(2).text(in: .arabic).contains("أُدخل رقمان"))
    }

    @Test func timesAreRoundedUp() {
        func text(_ time: Duration) -> String { PersonMessage.wait(time).text(in: .english) }
        #expect(text(.seconds(1)) == "Please wait 1\u{A0}second, then try again.")
        #expect(text(.milliseconds(29_001)) == "Please wait 30\u{A0}seconds, then try again.")
        #expect(text(.seconds(90)).contains("90\u{A0}seconds"))
        #expect(text(.seconds(91)).contains("2\u{A0}minutes"))
        #expect(text(.seconds(120)).contains("2\u{A0}minutes"))
        #expect(text(.seconds(121)).contains("3\u{A0}minutes"))
        #expect(text(.seconds(300)).contains("5\u{A0}minutes"))
        #expect(text(.seconds(7200)).contains("120\u{A0}minutes"))
        #expect(text(.seconds(7201)).contains("3\u{A0}hours"))
        #expect(text(.seconds(86_400)).contains("24\u{A0}hours"))
        #expect(text(.seconds(86_401)).contains("25\u{A0}hours"))
        #expect(text(.seconds(-3)).contains("0\u{A0}seconds"))
        #expect(PersonMessage.pinTriesLeft(-1).text(in: .english).contains("0\u{A0}tries"))
    }

    /// A number, and the phrase that a text must contain for it.
    typealias Agreement = (number: Int, phrase: String)

    /// Each category that Unicode CLDR has for a language.
    static let seconds: [(MessageLanguage, [Agreement])] = [
        (.english, [(0, "0\u{A0}seconds"), (1, "1\u{A0}second"), (2, "2\u{A0}seconds")]),
        (.german, [(0, "0\u{A0}Sekunden"), (1, "1\u{A0}Sekunde"), (2, "2\u{A0}Sekunden")]),
        (.french, [(0, "0\u{A0}seconde"), (1, "1\u{A0}seconde"), (2, "2\u{A0}secondes")]),
        (.spanish, [(0, "0\u{A0}segundos"), (1, "1\u{A0}segundo"), (2, "2\u{A0}segundos")]),
        (
            .arabic,
            [
                (0, "0\u{A0}ثانية"), (1, "ثانية واحدة"), (2, "ثانيتين"), (3, "3\u{A0}ثوانٍ"), (10, "10\u{A0}ثوانٍ"),
                (11, "11\u{A0}ثانية"), (90, "90\u{A0}ثانية"),
            ]
        ),
    ]

    static let minutes: [(MessageLanguage, [Agreement])] = [
        (.english, [(2, "2\u{A0}minutes")]), (.german, [(2, "2\u{A0}Minuten")]), (.french, [(2, "2\u{A0}minutes")]),
        (.spanish, [(2, "2\u{A0}minutos")]),
        (
            .arabic,
            [
                (2, "دقيقتين"), (3, "3\u{A0}دقائق"), (11, "11\u{A0}دقيقة"), (100, "100\u{A0}دقيقة"), (102, "102\u{A0}دقيقة"),
                (103, "103\u{A0}دقائق"), (111, "111\u{A0}دقيقة"),
            ]
        ),
    ]

    static let hours: [(MessageLanguage, [Agreement])] = [
        (.english, [(3, "3\u{A0}hours")]), (.german, [(3, "3\u{A0}Stunden")]), (.french, [(3, "3\u{A0}heures")]),
        (.spanish, [(3, "3\u{A0}horas")]),
        (.arabic, [(3, "3\u{A0}ساعات"), (11, "11\u{A0}ساعة"), (103, "103\u{A0}ساعات")]),
    ]

    static let tries: [(MessageLanguage, [Agreement])] = [
        (.english, [(0, "0\u{A0}tries left."), (1, "1\u{A0}try left."), (2, "2\u{A0}tries left.")]),
        (.german, [(0, "Noch 0\u{A0}Versuche."), (1, "Noch 1\u{A0}Versuch."), (9, "Noch 9\u{A0}Versuche.")]),
        (.french, [(0, "Il reste 0\u{A0}essai."), (1, "Il reste 1\u{A0}essai."), (2, "Il reste 2\u{A0}essais.")]),
        (.spanish, [(0, "Quedan 0\u{A0}intentos."), (1, "Queda 1\u{A0}intento."), (2, "Quedan 2\u{A0}intentos.")]),
        (
            .arabic,
            [
                (0, "لم تبقَ أي محاولة"), (1, "بقيت محاولة واحدة"), (2, "بقيت محاولتان"), (3, "بقيت 3\u{A0}محاولات"),
                (10, "بقيت 10\u{A0}محاولات"), (11, "بقيت 11\u{A0}محاولة"), (100, "بقيت 100\u{A0}محاولة"),
            ]
        ),
    ]

    /// Whether a text contains a phrase that no ending makes longer.
    static func contains(_ text: String, _ phrase: String) -> Bool {
        text.contains(phrase) && !["s", "n"].contains { text.contains(phrase + $0) }
    }

    @Test(arguments: seconds) func secondsAgreeWithTheirNumber(_ language: MessageLanguage, _ expected: [Agreement]) {
        for (number, phrase) in expected {
            let text = PersonMessage.sensorRests(for: .seconds(number)).text(in: language)
            #expect(Self.contains(text, phrase), "\(text)")
        }
    }

    @Test(arguments: hours) func hoursAgreeWithTheirNumber(_ language: MessageLanguage, _ expected: [Agreement]) {
        for (number, phrase) in expected {
            let text = PersonMessage.coolingOff(for: .seconds(number * 3600)).text(in: language)
            #expect(Self.contains(text, phrase), "\(text)")
        }
    }

    @Test(arguments: minutes) func minutesAgreeWithTheirNumber(_ language: MessageLanguage, _ expected: [Agreement]) {
        for (number, phrase) in expected {
            let text = PersonMessage.pinPaused(for: .seconds(number * 60)).text(in: language)
            #expect(Self.contains(text, phrase), "\(text)")
        }
    }

    @Test(arguments: tries) func triesAgreeWithTheirNumber(_ language: MessageLanguage, _ expected: [Agreement]) {
        for (number, phrase) in expected {
            let text = PersonMessage.pinTriesLeft(number).text(in: language)
            #expect(Self.contains(text, phrase), "\(text)")
        }
    }

    @Test func everyStepHasAButton() {
        for recovery in WordsLintTests.recoveries {
            #expect(recovery.button?.key.isButton ?? [.report, .wait(.seconds(30))].contains(recovery), "\(recovery)")
        }
    }

    /// A text from right to left begins with an Arabic letter, whatever the screen around it does, and its parts keep their
    /// places.
    @Test func arabicKeepsItsDirection() {
        for key in MessageKey.allCases {
            let text = Self.message(key).text(in: .arabic)
            let first = text.unicodeScalars.first { $0.properties.isAlphabetic }
            #expect(first.map(Self.isArabic) == true, "begins with an Arabic letter, so a screen takes its direction: \(text)")
            if let placeholder = key.placeholder {
                let count = key == .digitsEntered ? "أُدخل 47\u{A0}رقمًا" : "بقيت 47\u{A0}محاولة"
                let phrase = placeholder == .count ? count : "47\u{A0}ثانية"
                #expect(text.contains("\u{2068}\(phrase)\u{2069}"), "a number stands in an isolate: \(text)")
            }
            let letters = Array(text)
            for (letter, next) in zip(letters, letters.dropFirst()) where letter.isASCII && letter.isLetter {
                #expect(!next.isPunctuation, "a mark keeps what follows Latin letters in its place: \(text)")
            }
        }
        for language in MessageLanguage.allCases where !language.isRightToLeft {
            for key in MessageKey.allCases {
                let marks = Self.message(key).text(in: language).unicodeScalars.filter { $0.properties.isBidiControl }
                #expect(marks.isEmpty, "\(language), \(key)")
            }
        }
    }

    @Test func frenchKeepsItsPunctuationOnTheLine() {
        for key in MessageKey.allCases {
            let text = Self.message(key).text(in: .french)
            #expect(!text.contains(/[^\u{A0}][?;:!]/), "\(key): \(text)")
        }
    }

    @Test(arguments: [
        (BiometryState.notEnrolled, MessageKey.biometricsNotSetUp), (.lockedOut(.untilPasscode), .sensorRestsUsePasscode),
        (.lockedOut(.untilStrongerRung), .sensorRestsUntilSignIn), (.paused(for: .seconds(10)), .sensorRestsFor),
        (.permissionDenied, .permissionNeeded), (.weak, .sensorTooWeak), (.unconfirmed, .confirmAfterUpdate),
        (.passcodeNotSet, .passcodeNotSet),
        (.lidClosed, .lidClosed), (.switchedOff, .sensorSwitchedOff), (.forbidden, .sensorForbidden), (.absent, .noSensor),
        (.unavailable, .sensorUnavailable),
    ]) func aSensorThatIsNotReadySaysWhy(_ state: BiometryState, _ key: MessageKey) {
        #expect(state.message?.key == key)
        #expect(BiometryState.ready.message == nil)
    }

    @Test(arguments: [
        (KeyState.missing, MessageKey.setUpThisDevice), (.invalidated(.wrongPINs), .pinUsedUp),
        (.invalidated(.enrolmentChanged), .setUpAgain), (.invalidated(.restored), .setUpAgain),
        (.paused(for: .seconds(30)), .pinPausedFor), (.notYetReadable, .unlockDeviceFirst),
    ]) func aKeyThatCannotBeUsedSaysWhy(_ state: KeyState, _ key: MessageKey) {
        #expect(state.message?.key == key)
        #expect(KeyState.usable.message == nil)
    }

    @Test(arguments: [
        (Failure(.cancelledByUser), MessageKey.readyWhenYouAre),
        (Failure(.cancelledBySystem), .readyWhenYouAre),
        (Failure(.cancelledByApp), .readyWhenYouAre),
        (Failure(.superseded), .readyWhenYouAre),
        (Failure(.notMatched), .onceMore),
        (Failure(.notMatched, recovery: .fallBack(.appPIN)), .nowPIN),
        (Failure(.notMatched, recovery: .signInAgain), .signInToGoOn),
        (Failure(.timedOut, recovery: .fallBack(.devicePasscode)), .nowPasscode),
        (Failure(.timedOut, recovery: .fallBack(.fullCredentials)), .nowSignIn),
        (Failure(.timedOut, recovery: .fallBack(.biometric)), .nowBiometrics),
        (Failure(.timedOut), .onceMore),
        (Failure(.lockedOut), .sensorRestsUsePasscode),
        (Failure(.lockedOut, recovery: .fallBack(.appPIN)), .sensorRestsUsePIN),
        (Failure(.lockedOut, recovery: .fallBack(.fullCredentials)), .sensorRestsSignIn),
        (Failure(.lockedOut, recovery: .signInAgain), .sensorRestsSignIn),
        (Failure(.lockedOut, recovery: .wait(.seconds(30))), .sensorRestsFor),
        (Failure(.paused, recovery: .wait(.seconds(30))), .waitFor),
        (Failure(.paused), .onceMore),
        (Failure(.pinEasilyGuessed), .pinEasilyGuessed),
        (Failure(.passcodeNotSet), .passcodeNotSet),
        (Failure(.biometryUnavailable), .sensorUnavailable),
        (Failure(.biometryUnavailable, recovery: .signInAgain), .sensorUnavailable),
        (Failure(.biometryUnavailable, recovery: .openSettings), .sensorSwitchedOff),
        (Failure(.biometryUnavailable, recovery: .retry), .sensorLater),
        (Failure(.biometryTooWeak), .sensorTooWeak),
        (Failure(.biometryTooWeak, recovery: .signInAgain), .sensorTooWeak),
        (Failure(.biometryTooWeak, recovery: .report), .contactSupport),
        (Failure(.biometryUnconfirmed), .confirmAfterUpdate),
        (Failure(.biometryUnconfirmed, recovery: .signInAgain), .confirmAfterUpdate),
        (Failure(.biometryNotEnrolled), .biometricsNotSetUp),
        (Failure(.permissionDenied), .permissionNeeded),
        (Failure(.keyInvalidated), .setUpAgain),
        (Failure(.notEnrolled), .setUpThisDevice),
        (Failure(.notYetReadable), .unlockDeviceFirst),
        (Failure(.alreadyEnrolled, recovery: .retry), .alreadySetUp),
        (Failure(.sessionOver), .signedOut),
        (Failure(.unreachable), .noConnection),
        (Failure(.refused, recovery: .signInAgain), .notAccepted),
        (Failure(.refused, recovery: .retry), .notAccepted),
        (Failure(.unexpectedAnswer), .contactSupport),
        (Failure(.vaultClosed), .vaultClosed),
        (Failure(.notAuthentic), .cannotBeOpenedHere),
        (Failure(.tooLarge), .tooLarge),
        (Failure(.noVault), .contactSupport),
        (Failure(.platform, recovery: .wait(.seconds(30))), .waitFor),
        (Failure(.platform, recovery: .openSettings), .checkSettings),
        (Failure(.platform, recovery: .setPasscode), .passcodeNotSet),
        (Failure(.platform, recovery: .reEnrol), .setUpAgain),
    ]) func aFailureSaysWhatComesNext(_ failure: Failure, _ key: MessageKey) {
        #expect(failure.message.key == key)
    }

    @Test(arguments: [
        (
            Rung.biometric, MessageKey.biometricsName, MessageKey.useBiometrics, MessageKey.hintBiometrics,
            MessageKey.nowBiometrics
        ),
        (.devicePasscode, .passcodeName, .usePasscode, .hintPasscode, .nowPasscode),
        (.appPIN, .pinName, .usePIN, .hintPIN, .nowPIN),
        (.fullCredentials, .fullCredentialsName, .signIn, .hintSignIn, .nowSignIn),
    ]) func aRungHasItsOwnWords(_ rung: Rung, _ name: MessageKey, _ button: MessageKey, _ hint: MessageKey, _ now: MessageKey) {
        #expect(rung.name.key == name)
        #expect(rung.button.key == button)
        #expect(UnlockFlow.CancelButton.use(rung).message.key == button)
        #expect(rung.hint.key == hint)
        #expect(rung.announcement.key == now)
    }

    @Test func theWordsOfTheDesign() {
        func english(_ message: PersonMessage) -> String { message.text(in: .english) }
        #expect(english(UnlockFlow.CancelButton.cancel.message) == "Cancel")
        #expect(english(UnlockFlow.CancelButton.use(.appPIN).message) == "Use PIN")
        #expect(english(Rung.appPIN.hint) == "Having trouble? Use your PIN instead.")
        #expect(english(Rung.appPIN.announcement) == "Let’s try your PIN.")
        #expect(PoorReading.allCases.map(\.message.key) == [.holdLonger, .moveToCentre, .liftAndTouchAgain, .readAgain])
        #expect(PersonMessage.pinScreen(afterWrong: 0).key == .enterPIN)
        #expect(english(.pinScreen(afterWrong: 7)).contains("3\u{A0}tries left."))
    }

    @Test func aPersonsFirstLanguageWithTextsIsTaken() {
        #expect(MessageLanguage(tag: "de-AT") == .german)
        #expect(MessageLanguage(tag: "AR_eg") == .arabic)
        #expect(MessageLanguage(tag: "den") == nil)
        #expect(MessageLanguage(tag: "") == nil)
        #expect(MessageLanguage.best(of: ["pt-BR", "fr-CA", "en"]) == .french)
        #expect(MessageLanguage.best(of: ["ja"]) == .english)
    }
}
