import Testing
import ThumbturnCore

/// What people read, in every language.
@Suite struct PersonMessageTests {
    /// Every text, with a number where it has a place for one.
    static func message(_ key: MessageKey) -> PersonMessage {
        switch key.placeholder {
        case nil: return PersonMessage(key)
        case .count: return .pinTriesLeft(47)
        case .time:
            let all: [PersonMessage] = [.wait(.seconds(47)), .sensorRests(for: .seconds(47)), .pinPaused(for: .seconds(47))]
            guard let message = all.first(where: { $0.key == key }) else { preconditionFailure("no message for \(key)") }
            return message
        }
    }

    static func isArabic(_ scalar: Unicode.Scalar) -> Bool { (0x0600...0x06FF).contains(scalar.value) }

    @Test(arguments: MessageLanguage.allCases) func noTextBlamesAnybody(_ language: MessageLanguage) {
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
        // Three buttons of the offer, and the four ways of the ladder.
        for group: [MessageKey] in [[.setUp, .notNow, .never], [.cancel, .useBiometrics, .usePasscode, .usePIN, .signIn]] {
            #expect(Set(group.map { PersonMessage($0).text(in: language) }).count == group.count)
        }
    }

    @Test func timesAreRoundedUpAndNeedNoPlural() {
        func said(_ time: Duration, _ language: MessageLanguage = .english) -> String {
            PersonMessage.wait(time).text(in: language)
        }
        #expect(said(.seconds(1)) == "Please wait 1\u{A0}s, then try again.")
        #expect(said(.milliseconds(29_001)) == "Please wait 30\u{A0}s, then try again.")
        #expect(said(.seconds(90)).contains("90\u{A0}s"))
        #expect(said(.seconds(91)).contains("2\u{A0}min"))
        #expect(said(.seconds(120)).contains("2\u{A0}min"))
        #expect(said(.seconds(300)).contains("5\u{A0}min"))
        #expect(said(.seconds(-3)).contains("0\u{A0}s"))
        #expect(said(.seconds(30), .arabic).contains("30\u{A0}ث"))
        #expect(said(.seconds(300), .arabic).contains("5\u{A0}د"))
        #expect(PersonMessage.pinTriesLeft(-1).text(in: .english).contains(": 0."))
    }

    @Test func everyStepHasAButton() {
        for recovery in WordsLintTests.recoveries {
            #expect(recovery.button?.key.isButton ?? [.report, .wait(.seconds(30))].contains(recovery), "\(recovery)")
        }
    }

    /// What is written from right to left begins so, whatever the screen around it does, and nothing in it loses its place.
    @Test func arabicKeepsItsDirection() {
        for key in MessageKey.allCases {
            let text = Self.message(key).text(in: .arabic)
            let first = text.unicodeScalars.first { $0.properties.isAlphabetic }
            #expect(first.map(Self.isArabic) == true, "begins with an Arabic letter, so a screen takes its direction: \(text)")
            if let placeholder = key.placeholder {
                let number = placeholder == .count ? "47" : "47\u{A0}ث"
                #expect(text.contains("\u{2068}\(number)\u{2069}"), "a number stands in an isolate: \(text)")
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
        (.lockedOut(.untilStrongerRung), .sensorRestsUsePasscode), (.paused(for: .seconds(10)), .sensorRestsFor),
        (.permissionDenied, .permissionNeeded), (.weak, .sensorTooWeak), (.unconfirmed, .confirmAfterUpdate),
        (.passcodeNotSet, .passcodeNotSet),
        (.lidClosed, .lidClosed), (.switchedOff, .sensorSwitchedOff), (.unavailable, .sensorUnavailable),
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
        (Failure(.paused), .signInToGoOn),
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
        #expect(english(.pinScreen(afterWrong: 7)).contains("left: 3."))
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
