// The codes of failures, each with its usual next step.

extension Failure.Code {
    // MARK: - The prompt went away

    /// The person pressed the prompt's cancel button.
    public static let cancelledByUser = Self("cancelledByUser", recovery: .retry)
    /// The system took the prompt away: a call, another app in front.
    public static let cancelledBySystem = Self("cancelledBySystem", recovery: .retry)
    /// The app cancelled the task, or dismissed the prompt.
    public static let cancelledByApp = Self("cancelledByApp", recovery: .retry)
    /// Another prompt took this one's place.
    public static let superseded = Self("superseded", recovery: .retry)

    // MARK: - The sensor, the passcode and the PIN

    /// The sensor saw another person, or could not recognise this one.
    public static let notMatched = Self("notMatched", recovery: .retry)
    /// The prompt was not answered in time.
    public static let timedOut = Self("timedOut", recovery: .retry)
    /// Too many mismatches: the sensor is refused until another factor has succeeded.
    public static let lockedOut = Self("lockedOut", recovery: .fallBack(.devicePasscode))
    /// Too many mismatches or wrong PINs: this rung pauses, and ends its pause by itself. The recovery is `wait`, with
    /// the time that is left.
    public static let paused = Self("paused", recovery: .retry)
    /// The new PIN is easy to guess, so the person has to choose another one.
    public static let pinEasilyGuessed = Self("pinEasilyGuessed", recovery: .retry)
    /// There is a sensor, but no face or finger is enrolled.
    public static let biometryNotEnrolled = Self("biometryNotEnrolled", recovery: .openSettings)
    /// The device has no sensor.
    public static let biometryAbsent = Self("biometryAbsent", recovery: .fallBack(.devicePasscode))
    /// The management of the device does not allow the sensor.
    public static let biometryForbidden = Self("biometryForbidden", recovery: .fallBack(.devicePasscode))
    /// The sensor cannot be used now.
    public static let biometryUnavailable = Self("biometryUnavailable", recovery: .fallBack(.devicePasscode))
    /// The device's sensor is too weak to unlock a key.
    public static let biometryTooWeak = Self("biometryTooWeak", recovery: .fallBack(.devicePasscode))
    /// The system was upgraded: a stronger rung has to confirm once that the enrolled faces and fingers are still this
    /// person's.
    public static let biometryUnconfirmed = Self("biometryUnconfirmed", recovery: .fallBack(.devicePasscode))
    /// The device has no passcode.
    public static let passcodeNotSet = Self("passcodeNotSet", recovery: .setPasscode)
    /// The person has not allowed this app to use the sensor.
    public static let permissionDenied = Self("permissionDenied", recovery: .openSettings)

    // MARK: - The keys

    /// The key is gone for good: a new face or finger was enrolled, the passcode was removed, or the PIN was wrong too
    /// often.
    public static let keyInvalidated = Self("keyInvalidated", recovery: .reEnrol)
    /// This device has no key for any rung of the policy.
    public static let notEnrolled = Self("notEnrolled", recovery: .signInAgain)
    /// The device has not been unlocked since it started. This is never a reason to sign the person out.
    public static let notYetReadable = Self("notYetReadable", recovery: .retry)
    /// `enrol` was told to fail on an enrolled device, and this one is enrolled.
    public static let alreadyEnrolled = Self("alreadyEnrolled", recovery: .report)

    /// The credentials are right, and this device is set up for another account.
    public static let anotherAccount = Self("anotherAccount", recovery: .reEnrol)

    // MARK: - The server

    /// The server does not accept the request. It does not tell which part.
    public static let refused = Self("refused", recovery: .report)
    /// The person came to this device with their credentials a short time ago, and other devices of the account are there
    /// longer: until `until` the server lets this one sign in and nothing else that matters. The recovery is `wait`;
    /// another sign-in makes it no shorter. A device that was enrolled earlier can do it now.
    public static let coolingOff = Self("coolingOff", recovery: .report)
    /// There is no live session: the person has not signed in, the session ended, or the device was revoked.
    public static let sessionOver = Self("sessionOver", recovery: .fallBack(.biometric))
    /// The server does not answer, or cannot now.
    public static let unreachable = Self("unreachable", recovery: .retry)
    /// The server's answer is malformed or not for this request: a defect, or an attacker on the network.
    public static let unexpectedAnswer = Self("unexpectedAnswer", recovery: .report)
    /// The approval is no longer open (approved, declined, withdrawn or expired), or it belongs to another account.
    public static let approvalOver = Self("approvalOver", recovery: .report)

    // MARK: - The app's own OpenID provider

    /// The answer of the provider is for another sign-in or from another provider: an old page, or an attacker. It was
    /// not used. `status` names the parameter.
    public static let foreignAnswer = Self("foreignAnswer", recovery: .signInAgain)
    /// The provider and the app's registration there do not fit the app. `status` names the parameter or the provider's
    /// error.
    public static let providerMismatch = Self("providerMismatch", recovery: .report)

    // MARK: - The app

    /// The policy's ladder is empty, or the policy contradicts itself.
    public static let policyDenies = Self("policyDenies", recovery: .report)
    /// The app gave no reason to show in the prompt.
    public static let reasonMissing = Self("reasonMissing", recovery: .report)
    /// The server's address is neither https nor this machine itself.
    public static let insecureServer = Self("insecureServer", recovery: .report)
    /// The platform failed in a way that has no code here; see `status`.
    public static let platform = Self("platform", recovery: .report)

    // MARK: - Vaults

    /// This platform has no vaults.
    public static let noVault = Self("noVault", recovery: .report)
    /// The unlock is over, and its secrets can no longer be used: open the vault again.
    public static let vaultClosed = Self("vaultClosed", recovery: .retry)
    /// The bytes are not what this vault sealed under that name: damaged, cut, exchanged, an older revision, or from
    /// another vault.
    public static let notAuthentic = Self("notAuthentic", recovery: .report)
    /// More bytes than a vault takes.
    public static let tooLarge = Self("tooLarge", recovery: .report)
}

extension Failure.Code {
    /// Every code of this version.
    package static let all: [Self] = [
        cancelledByUser, cancelledBySystem, cancelledByApp, superseded, notMatched, timedOut, lockedOut, paused,
        pinEasilyGuessed, biometryNotEnrolled, biometryAbsent, biometryForbidden, biometryUnavailable, biometryTooWeak,
        biometryUnconfirmed, passcodeNotSet, permissionDenied, keyInvalidated, notEnrolled, notYetReadable, alreadyEnrolled,
        anotherAccount, refused, coolingOff, sessionOver, unreachable, unexpectedAnswer, approvalOver, foreignAnswer,
        providerMismatch, policyDenies, reasonMissing, insecureServer, platform, noVault, vaultClosed, notAuthentic, tooLarge,
    ]
}
