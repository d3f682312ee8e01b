extension Failure {
    /// The text for the person: calm, without blame, and with the next step where there is one. A code without a text
    /// of its own has the text of its next step.
    public var message: PersonMessage {
        switch (code, recovery) {
        case (.cancelledByUser, _), (.cancelledBySystem, _), (.cancelledByApp, _), (.superseded, _):
            PersonMessage(.readyWhenYouAre)
        case (.lockedOut, .wait(let time)): .sensorRests(for: time)
        // The library's own lockout ends with whichever of the ladder's rungs succeeds; a system's only with the passcode.
        case (.lockedOut, .fallBack(.appPIN)) where lockout == .untilStrongerRung: PersonMessage(.sensorRestsUntilPIN)
        case (.lockedOut, .fallBack(.fullCredentials)) where lockout == .untilStrongerRung,
            (.lockedOut, .signInAgain) where lockout == .untilStrongerRung:
            PersonMessage(.sensorRestsUntilSignIn)
        case (.lockedOut, .fallBack(.appPIN)): PersonMessage(.sensorRestsUsePIN)
        case (.lockedOut, .fallBack(.fullCredentials)), (.lockedOut, .signInAgain): PersonMessage(.sensorRestsSignIn)
        case (.lockedOut, _): PersonMessage(.sensorRestsUsePasscode)
        case (.pinEasilyGuessed, _): PersonMessage(.pinEasilyGuessed)
        case (.passcodeNotSet, _): PersonMessage(.passcodeNotSet)
        case (.biometryUnavailable, .openSettings): PersonMessage(.sensorSwitchedOff)
        case (.biometryUnavailable, .retry): PersonMessage(.sensorLater)
        case (.biometryUnavailable, _): PersonMessage(.sensorUnavailable)
        case (.biometryAbsent, _): PersonMessage(.noSensor)
        case (.biometryForbidden, _): PersonMessage(.sensorForbidden)
        case (.biometryTooWeak, .fallBack), (.biometryTooWeak, .signInAgain): PersonMessage(.sensorTooWeak)
        case (.biometryUnconfirmed, _): PersonMessage(.confirmAfterUpdate)
        case (.biometryNotEnrolled, _): PersonMessage(.biometricsNotSetUp)
        case (.permissionDenied, _): PersonMessage(.permissionNeeded)
        case (.notMatched, .retry), (.timedOut, .retry): PersonMessage(.onceMore)
        case (.keyInvalidated, _): PersonMessage(.setUpAgain)
        case (.notEnrolled, .signInAgain): PersonMessage(.setUpThisDevice)
        case (.notYetReadable, _): PersonMessage(.unlockDeviceFirst)
        case (.alreadyEnrolled, _): PersonMessage(.alreadySetUp)
        case (.coolingOff, .wait(let time)): .coolingOff(for: time)
        case (.sessionOver, _): PersonMessage(.signedOut)
        case (.vaultClosed, _): PersonMessage(.vaultClosed)
        case (.notAuthentic, _): PersonMessage(.cannotBeOpenedHere)
        case (.tooLarge, _): PersonMessage(.tooLarge)
        case (.approvalOver, _): PersonMessage(.approvalOver)
        case (.unreachable, _): PersonMessage(.noConnection)
        case (.refused, .signInAgain), (.refused, .retry), (.foreignAnswer, _): PersonMessage(.notAccepted)
        default: recovery.message
        }
    }
}
