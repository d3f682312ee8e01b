extension MessageKey {
    /// Neutral English.
    func english(_ number: String, _ sensor: SensorWords) -> String {
        switch self {
        case .cancel: "Cancel"
        case .useBiometrics: sensor.button
        case .usePasscode: "Use passcode"
        case .usePIN: "Use PIN"
        case .signIn: "Sign in"
        case .tryAgain: "Try again"
        case .openSettings: "Open Settings"
        case .setUp: "Set up"
        case .notNow: "Not now"
        case .never: "Don’t ask again"
        case .approve: "Approve"
        case .decline: "Decline"
        case .remove: "Remove"
        case .deleteDigit: "Delete digit"
        case .confirm: "Continue"
        case .done: "Done"

        case .biometricsName: sensor.name
        case .passcodeName: "Device passcode"
        case .pinName: "PIN"
        case .fullCredentialsName: "Your account"

        case .hintBiometrics: "Having trouble? Use \(sensor.object) instead."
        case .hintPasscode: "Having trouble? Use your device passcode instead."
        case .hintPIN: "Having trouble? Use your PIN instead."
        case .hintSignIn: "Having trouble? Sign in with your account instead."

        case .nowBiometrics: "Let’s try \(sensor.object)."
        case .nowPasscode: "Let’s try your device passcode."
        case .nowPIN: "Let’s try your PIN."
        case .nowSignIn: "Let’s sign in with your account."

        case .onceMore: "Let’s try that once more."
        case .holdLonger: "A little longer, please."
        case .moveToCentre: "A little more to the middle, please."
        case .liftAndTouchAgain: "Please lift your finger and touch again."
        case .readAgain: "Please try again. \(sensor.advice)"
        case .sensorUnavailable: "The sensor can’t be used right now. There is another way."
        case .noSensor: "This device has no sensor for a face or finger. There is another way."
        case .sensorForbidden: "The management of this device does not allow the sensor. There is another way."
        case .sensorTooWeak: "This device’s sensor can’t be used here. There is another way."
        case .confirmAfterUpdate: "The system was updated. Please confirm once in another way."
        case .lidClosed: "Open the lid to use the sensor."
        case .sensorSwitchedOff: "The sensor is switched off. You can turn it on in Settings."
        case .sensorLater: "The sensor can’t be used right now. Please try again later."
        case .permissionNeeded: "To use \(sensor.object) here, allow it in Settings."
        case .biometricsNotSetUp: "You can set up \(sensor.object) in Settings."
        case .passcodeNotSet: "Please set a device passcode in Settings first."
        case .sensorRestsUsePasscode: "The sensor is paused. Your device passcode turns it on again."
        case .sensorRestsUsePIN: "The sensor is paused. Your PIN works now; the device passcode turns the sensor on again."
        case .sensorRestsSignIn:
            "The sensor is paused. Sign in with your account; the device passcode turns the sensor on again."
        case .sensorRestsUntilPIN: "The sensor is paused. Your PIN turns it on again."
        case .sensorRestsUntilSignIn: "The sensor is paused. Signing in with your account turns it on again."
        case .sensorRestsFor: "The sensor is paused. It is back in \(number)."

        case .enterPIN: "Enter your PIN."
        case .choosePIN: "Choose a PIN of 6 digits or more."
        case .pinTriesLeft: "This PIN doesn’t match. \(number)."
        case .pinPausedFor: "The PIN is paused. You can go on in \(number)."
        case .pinEasilyGuessed: "This PIN is easy to guess. Please choose another one."
        case .pinUsedUp: "The PIN is off for your protection. Sign in once to choose a new one."
        case .digitsEntered: number

        case .setUpAgain: "Something changed on this device. Please set it up once more."
        case .setUpThisDevice: "Sign in once to set up this device."
        case .alreadySetUp: "This device is already set up."
        case .unlockDeviceFirst: "Unlock your device once, then come back."
        case .coolingOffFor: "You can do this here in \(number). A device that you set up earlier can do it now."
        case .signedOut: "You are signed out. Please sign in again."
        case .signInToGoOn: "Sign in with your account to go on."

        case .vaultClosed: "The vault is closed. Open it again to go on."
        case .cannotBeOpenedHere: "This can’t be opened here. It may have been changed, or belong to another place."
        case .tooLarge: "This is more than fits in here."

        case .approvalOver: "This request is no longer open."
        case .readLetterByLetter: "A name here is written in an unusual way. Please read it letter by letter."
        case .approved: "Approved."
        case .declined: "Declined."

        case .devices: "Your devices"
        case .thisDevice: "This device"
        case .onlySignsIn: "Only signs in"
        case .removeDevice: "Remove this device?"
        case .removeDeviceText: "It is signed out at once and can’t sign in any more."

        case .readyWhenYouAre: "Ready when you are."
        case .waitFor: "Please wait \(number), then try again."
        case .noConnection: "There is no connection right now. Please try again later."
        case .notAccepted: "That didn’t go through. Please sign in again."
        case .checkSettings: "Please check the settings of this device."
        case .contactSupport: "This isn’t possible right now. Our support can help."

        case .offerTitle: "Unlock faster?"
        case .offerText: "Use \(sensor.object) instead of typing. What the sensor sees stays on this device."
        case .offerLater: "You can turn it on later in the settings."
        }
    }
}
