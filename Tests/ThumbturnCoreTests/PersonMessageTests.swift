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

    static let codes: [Failure.Code] = [
        .cancelledByUser, .cancelledBySystem, .cancelledByApp, .superseded, .notMatched, .timedOut, .lockedOut, .paused,
        .pinEasilyGuessed, .biometryNotEnrolled, .biometryUnavailable, .permissionDenied, .keyInvalidated, .notEnrolled,
        .notYetReadable, .alreadyEnrolled, .refused, .sessionOver, .unreachable, .unexpectedAnswer, .policyDenies,
        .reasonMissing, .insecureServer, .platform, .noVault, .vaultClosed, .notAuthentic, .tooLarge,
    ]
    static let recoveries: [Recovery] =
        [.retry, .wait(.seconds(30)), .reEnrol, .openSettings, .setPasscode, .signInAgain, .report]
        + Rung.allCases.map(Recovery.fallBack)

    /// Stems of words that blame, or say that something is broken.
    static func banned(in language: MessageLanguage) -> [String] {
        switch language {
        case .english:
            [
                "fail", "error", "wrong", "invalid", "incorrect", "mistake", "denied", "reject", "illegal", "fault", "forbidden",
                "unauthori",
            ]
        case .german:
            [
                "fehl", "falsch", "ungültig", "gescheitert", "misslung", "missglück", "schuld", "verboten", "abgelehnt",
                "verweigert", "inkorrekt", "unzulässig",
            ]
        case .french:
            [
                "échec", "échou", "erreur", "erron", "invalide", "incorrect", "mauvais", "faux", "fausse", "faute", "refus",
                "interdit",
            ]
        case .spanish:
            ["fall", "error", "erróne", "incorrect", "equivoc", "inválid", "no válid", "culpa", "rechaz", "deneg", "prohib"]
        case .arabic: ["فشل", "خطأ", "خاطئ", "أخطا", "غير صالح", "غير صحيح", "مرفوض", "رفض", "ممنوع", "ذنب", "أخفق", "إخفاق"]
        }
    }

    /// The banned stems in a text. Arabic vowel marks do not hide a word.
    static func findings(_ text: String, _ language: MessageLanguage) -> [String] {
        let bare = String(
            String.UnicodeScalarView(text.lowercased().unicodeScalars.filter { !(0x064B...0x0652).contains($0.value) }))
        return banned(in: language).filter { stem in
            bare.indices.contains { bare[$0...].hasPrefix(stem) }
        }
    }

    static func isArabic(_ scalar: Unicode.Scalar) -> Bool { (0x0600...0x06FF).contains(scalar.value) }

    @Test(arguments: MessageLanguage.allCases) func noTextBlamesAnybody(_ language: MessageLanguage) {
        for key in MessageKey.allCases {
            let text = Self.message(key).text(in: language)
            #expect(Self.findings(text, language).isEmpty, "\(key): \(text)")
        }
    }

    @Test(arguments: [
        (MessageLanguage.english, "Authentication Failed."), (.german, "Ein Fehler."), (.french, "Échec."),
        (.spanish, "Ha fallado."),
        (.arabic, "فَشِل"),
    ]) func theLintFindsWhatItBans(_ language: MessageLanguage, _ text: String) {
        #expect(!Self.findings(text, language).isEmpty)
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

    @Test func everyFailureHasWordsAndEveryStepAButton() {
        for code in Self.codes {
            for recovery in Self.recoveries {
                let message = Failure(code, recovery: recovery).message
                #expect(!message.key.isButton, "\(code.name), \(recovery)")
            }
        }
        for recovery in Self.recoveries {
            #expect(recovery.button?.key.isButton ?? [.report, .wait(.seconds(30))].contains(recovery), "\(recovery)")
        }
    }

    @Test(arguments: [
        (Failure(.cancelledByUser, recovery: .retry), MessageKey.readyWhenYouAre),
        (Failure(.cancelledBySystem, recovery: .retry), .readyWhenYouAre),
        (Failure(.cancelledByApp, recovery: .retry), .readyWhenYouAre),
        (Failure(.superseded, recovery: .retry), .readyWhenYouAre),
        (Failure(.notMatched, recovery: .retry), .onceMore),
        (Failure(.notMatched, recovery: .fallBack(.appPIN)), .nowPIN),
        (Failure(.notMatched, recovery: .signInAgain), .signInToGoOn),
        (Failure(.timedOut, recovery: .fallBack(.devicePasscode)), .nowPasscode),
        (Failure(.timedOut, recovery: .fallBack(.fullCredentials)), .nowSignIn),
        (Failure(.timedOut, recovery: .fallBack(.biometric)), .nowBiometrics),
        (Failure(.timedOut, recovery: .retry), .onceMore),
        (Failure(.lockedOut, recovery: .fallBack(.devicePasscode)), .sensorRestsUsePasscode),
        (Failure(.lockedOut, recovery: .fallBack(.appPIN)), .sensorRestsUsePIN),
        (Failure(.lockedOut, recovery: .fallBack(.fullCredentials)), .sensorRestsSignIn),
        (Failure(.lockedOut, recovery: .signInAgain), .sensorRestsSignIn),
        (Failure(.lockedOut, recovery: .wait(.seconds(30))), .sensorRestsFor),
        (Failure(.paused, recovery: .wait(.seconds(30))), .pinPausedFor),
        (Failure(.pinEasilyGuessed, recovery: .retry), .pinEasilyGuessed),
        (Failure(.passcodeNotSet, recovery: .setPasscode), .passcodeNotSet),
        (Failure(.biometryUnavailable, recovery: .fallBack(.devicePasscode)), .sensorUnavailable),
        (Failure(.biometryNotEnrolled, recovery: .openSettings), .biometricsNotSetUp),
        (Failure(.permissionDenied, recovery: .openSettings), .permissionNeeded),
        (Failure(.keyInvalidated, recovery: .reEnrol), .setUpAgain),
        (Failure(.notEnrolled, recovery: .signInAgain), .setUpThisDevice),
        (Failure(.notYetReadable, recovery: .retry), .unlockDeviceFirst),
        (Failure(.alreadyEnrolled, recovery: .retry), .alreadySetUp),
        (Failure(.sessionOver, recovery: .fallBack(.biometric)), .signedOut),
        (Failure(.unreachable, recovery: .retry), .noConnection),
        (Failure(.refused, recovery: .signInAgain), .notAccepted),
        (Failure(.refused, recovery: .retry), .notAccepted),
        (Failure(.unexpectedAnswer, recovery: .report), .contactSupport),
        (Failure(.vaultClosed, recovery: .retry), .vaultClosed),
        (Failure(.notAuthentic, recovery: .report), .cannotBeOpenedHere),
        (Failure(.tooLarge, recovery: .report), .tooLarge),
        (Failure(.noVault, recovery: .report), .contactSupport),
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
