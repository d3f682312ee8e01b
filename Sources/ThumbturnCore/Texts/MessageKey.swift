/// Identifies a text for the person. The raw value is stable, so an app may replace a text under it.
///
/// Texts about the ladder exist once for each rung, because in most languages the sentence changes with the rung's
/// name.
package enum MessageKey: String, Hashable, Sendable, Codable, CaseIterable {
    // Buttons.
    case cancel
    case useBiometrics
    case usePasscode
    case usePIN
    case signIn
    case tryAgain
    case openSettings
    case setUp
    case notNow
    case never
    case approve
    case decline
    case remove
    case deleteDigit
    case confirm
    case done

    // Names of the rungs, as in a list of settings.
    case biometricsName
    case passcodeName
    case pinName
    case fullCredentialsName

    // The hint beside an unanswered prompt: another way, without hurry.
    case hintBiometrics
    case hintPasscode
    case hintPIN
    case hintSignIn

    // The ladder moved on.
    case nowBiometrics
    case nowPasscode
    case nowPIN
    case nowSignIn

    // At the sensor.
    case onceMore
    case holdLonger
    case moveToCentre
    case liftAndTouchAgain
    case readAgain
    case sensorUnavailable
    case noSensor
    case sensorForbidden
    case sensorTooWeak
    case confirmAfterUpdate
    case lidClosed
    case sensorSwitchedOff
    case sensorLater
    case permissionNeeded
    case biometricsNotSetUp
    case passcodeNotSet

    // The sensor's lockout, with the rung that helps or the time that it lasts.
    case sensorRestsUsePasscode
    case sensorRestsUsePIN
    case sensorRestsSignIn
    case sensorRestsUntilPIN
    case sensorRestsUntilSignIn
    case sensorRestsFor

    // The app's PIN.
    case enterPIN
    case choosePIN
    case pinTriesLeft
    case pinPausedFor
    case pinEasilyGuessed
    case pinUsedUp
    case digitsEntered

    // The keys and the session.
    case setUpAgain
    case setUpThisDevice
    case alreadySetUp
    case unlockDeviceFirst
    case coolingOffFor
    case signedOut
    case signInToGoOn

    // The vault.
    case vaultClosed
    case cannotBeOpenedHere
    case tooLarge

    // Approvals.
    case approvalOver
    case readLetterByLetter

    case approved
    case declined

    // The account's devices.
    case devices
    case thisDevice
    case onlySignsIn
    case removeDevice
    case removeDeviceText

    // Everything else.
    case readyWhenYouAre
    case waitFor
    case noConnection
    case notAccepted
    case checkSettings
    case contactSupport

    // The offer of biometrics.
    case offerTitle
    case offerText
    case offerLater
}

extension MessageKey {
    /// The kind of number that a text has a place for.
    package enum Placeholder: Hashable, Sendable {
        /// A waiting time.
        case time
        /// A count.
        case count
    }

    /// The kind of number that the text has a place for; nil for most.
    package var placeholder: Placeholder? {
        switch self {
        case .sensorRestsFor, .pinPausedFor, .coolingOffFor, .waitFor: .time
        case .pinTriesLeft, .digitsEntered: .count
        default: nil
        }
    }

    /// Whether the text names the sensor.
    package var namesSensor: Bool {
        switch self {
        case .useBiometrics, .biometricsName, .hintBiometrics, .nowBiometrics, .readAgain, .permissionNeeded,
            .biometricsNotSetUp, .offerText:
            true
        default: false
        }
    }

    /// Whether the text stands on a button.
    package var isButton: Bool {
        switch self {
        case .cancel, .useBiometrics, .usePasscode, .usePIN, .signIn, .tryAgain, .openSettings, .setUp, .notNow, .never, .approve,
            .decline, .remove, .deleteDigit, .confirm, .done:
            true
        default: false
        }
    }

    /// The most characters that the text may have, in every language: on a button as many as a system's sheet shows
    /// without cutting, elsewhere three lines of a small phone.
    package var longest: Int { isButton ? 24 : 120 }
}
