extension Failure {
    /// What a person hears of it: calm, without blame, and with the next step where there is one. Codes that have no words of their
    /// own are spoken of by their next step.
    public var message: PersonMessage {
        switch (code, recovery) {
        case (.cancelledByUser, _), (.cancelledBySystem, _), (.cancelledByApp, _), (.superseded, _):
            PersonMessage(.readyWhenYouAre)
        case (.lockedOut, .wait(let time)): .sensorRests(for: time)
        case (.lockedOut, .fallBack(.appPIN)): PersonMessage(.sensorRestsUsePIN)
        case (.lockedOut, .fallBack(.fullCredentials)), (.lockedOut, .signInAgain): PersonMessage(.sensorRestsSignIn)
        case (.lockedOut, _): PersonMessage(.sensorRestsUsePasscode)
        case (.pinEasilyGuessed, _): PersonMessage(.pinEasilyGuessed)
        case (.passcodeNotSet, _): PersonMessage(.passcodeNotSet)
        case (.biometryUnavailable, .openSettings): PersonMessage(.sensorSwitchedOff)
        case (.biometryUnavailable, .retry): PersonMessage(.sensorLater)
        case (.biometryUnavailable, _): PersonMessage(.sensorUnavailable)
        case (.biometryTooWeak, .fallBack), (.biometryTooWeak, .signInAgain): PersonMessage(.sensorTooWeak)
        case (.biometryUnconfirmed, _): PersonMessage(.confirmAfterUpdate)
        case (.biometryNotEnrolled, _): PersonMessage(.biometricsNotSetUp)
        case (.permissionDenied, _): PersonMessage(.permissionNeeded)
        case (.notMatched, .retry), (.timedOut, .retry): PersonMessage(.onceMore)
        case (.keyInvalidated, _): PersonMessage(.setUpAgain)
        case (.notEnrolled, .signInAgain): PersonMessage(.setUpThisDevice)
        case (.notYetReadable, _): PersonMessage(.unlockDeviceFirst)
        case (.alreadyEnrolled, _): PersonMessage(.alreadySetUp)
        case (.sessionOver, _): PersonMessage(.signedOut)
        case (.vaultClosed, _): PersonMessage(.vaultClosed)
        case (.notAuthentic, _): PersonMessage(.cannotBeOpenedHere)
        case (.tooLarge, _): PersonMessage(.tooLarge)
        case (.approvalOver, _): PersonMessage(.approvalOver)
        case (.unreachable, _): PersonMessage(.noConnection)
        case (.refused, .signInAgain), (.refused, .retry): PersonMessage(.notAccepted)
        default: recovery.message
        }
    }
}

extension BiometryState {
    /// What a screen says beside the sensor; nil where it is ready.
    public var message: PersonMessage? {
        switch self {
        case .ready: nil
        case .paused(let time): .sensorRests(for: time)
        case .lidClosed: PersonMessage(.lidClosed)
        // A state says what a prompt that meets it would say.
        default: obstacle?.message
        }
    }
}

extension KeyState {
    /// What a screen says beside a key that cannot be used now; nil for one that can.
    public var message: PersonMessage? {
        switch self {
        case .usable: nil
        case .missing: PersonMessage(.setUpThisDevice)
        case .invalidated(.wrongPINs): PersonMessage(.pinUsedUp)
        case .invalidated: PersonMessage(.setUpAgain)
        case .paused(let time): .pinPaused(for: time)
        case .notYetReadable: PersonMessage(.unlockDeviceFirst)
        }
    }
}

extension Recovery {
    /// The next step in words.
    public var message: PersonMessage {
        switch self {
        case .retry: PersonMessage(.onceMore)
        case .wait(let time): .wait(time)
        case .fallBack(let rung): rung.announcement
        case .reEnrol: PersonMessage(.setUpAgain)
        case .openSettings: PersonMessage(.checkSettings)
        case .setPasscode: PersonMessage(.passcodeNotSet)
        case .signInAgain: PersonMessage(.signInToGoOn)
        case .report: PersonMessage(.contactSupport)
        }
    }

    /// The button that takes the next step; nil where there is nothing to press.
    public var button: PersonMessage? {
        switch self {
        case .retry: PersonMessage(.tryAgain)
        case .fallBack(let rung): rung.button
        case .reEnrol, .signInAgain: PersonMessage(.signIn)
        case .openSettings, .setPasscode: PersonMessage(.openSettings)
        case .wait, .report: nil
        }
    }
}

extension Rung {
    /// What the rung is called.
    public var name: PersonMessage {
        switch self {
        case .biometric: PersonMessage(.biometricsName)
        case .devicePasscode: PersonMessage(.passcodeName)
        case .appPIN: PersonMessage(.pinName)
        case .fullCredentials: PersonMessage(.fullCredentialsName)
        }
    }

    /// The button that leads to the rung.
    public var button: PersonMessage {
        switch self {
        case .biometric: PersonMessage(.useBiometrics)
        case .devicePasscode: PersonMessage(.usePasscode)
        case .appPIN: PersonMessage(.usePIN)
        case .fullCredentials: PersonMessage(.signIn)
        }
    }

    /// The hint beside an unanswered prompt that this rung would do as well.
    public var hint: PersonMessage {
        switch self {
        case .biometric: PersonMessage(.hintBiometrics)
        case .devicePasscode: PersonMessage(.hintPasscode)
        case .appPIN: PersonMessage(.hintPIN)
        case .fullCredentials: PersonMessage(.hintSignIn)
        }
    }

    /// What is said when the ladder moves to this rung.
    public var announcement: PersonMessage {
        switch self {
        case .biometric: PersonMessage(.nowBiometrics)
        case .devicePasscode: PersonMessage(.nowPasscode)
        case .appPIN: PersonMessage(.nowPIN)
        case .fullCredentials: PersonMessage(.nowSignIn)
        }
    }
}

extension UnlockFlow.CancelButton {
    /// What the button says.
    public var message: PersonMessage {
        switch self {
        case .cancel: PersonMessage(.cancel)
        case .use(let rung): rung.button
        }
    }
}

extension PoorReading {
    /// What helps the sensor to see more.
    public var message: PersonMessage {
        switch self {
        case .tooShort: PersonMessage(.holdLonger)
        case .notCentered: PersonMessage(.moveToCentre)
        case .removeAndRetry: PersonMessage(.liftAndTouchAgain)
        case .tooPoor: PersonMessage(.readAgain)
        }
    }
}
