import Foundation
import ThumbturnCore

/// What a system of Apple's said: a domain and a number within it. One without the other means nothing: -4 is "cancelled by the system"
/// in one domain and "cancelled by the person" in another.
struct AppleStatus: Hashable, Sendable {
    var domain: String
    var code: Int

    init(domain: String, code: Int) {
        self.domain = domain
        self.code = code
    }

    /// What a failure has kept.
    init(_ status: Failure.PlatformStatus) { self.init(domain: status.domain, code: status.code) }

    /// An error without more is as good as a fault of the system that has no name.
    init(_ error: (any Error)?) {
        let error = error.map { $0 as NSError }
        self.init(domain: error?.domain ?? "none", code: error?.code ?? 0)
    }

    /// A status of the keychain.
    init(_ status: Int32) { self.init(domain: NSOSStatusErrorDomain, code: Int(status)) }

    /// What it means, with the next step. Two pairs mean more beside what the sensor says: -6 of LocalAuthentication may be a permission
    /// that was denied, which ``Preflight`` tells; for a refused key or secret see ``failure(of:biometry:)``.
    var failure: Failure {
        let (code, recovery) = Self.table[domain]?[code] ?? (.platform, .report)
        return Failure(code, recovery: recovery, status: status)
    }

    /// The raw pair, which every failure keeps.
    var status: Failure.PlatformStatus { .init(domain: domain, code: code) }
}

// MARK: - The table

extension AppleStatus {
    static let localAuthentication = "com.apple.LocalAuthentication"
    static let cryptoTokenKit = "CryptoTokenKit"

    private typealias Meanings = [Int: (Failure.Code, Recovery)]

    /// What is not listed is a fault that nobody but the developers can do something about. Raw numbers, because some of the names exist
    /// on macOS alone.
    private static let table: [String: Meanings] = [
        localAuthentication: authentication, NSOSStatusErrorDomain: keychain, cryptoTokenKit: token,
    ]

    /// `LAError`.
    private static let authentication: Meanings = [
        -1: (.notMatched, .retry),  // authenticationFailed
        -2: (.cancelledByUser, .retry),
        // userFallback: the person pressed for another way, in a sheet whose button for it we hide.
        -3: (.cancelledByUser, .fallBack(.devicePasscode)),
        -4: (.cancelledBySystem, .retry),
        -5: (.passcodeNotSet, .setPasscode),
        -6: (.biometryUnavailable, .fallBack(.devicePasscode)),  // biometryNotAvailable
        -7: (.biometryNotEnrolled, .openSettings),
        -8: (.lockedOut, .fallBack(.devicePasscode)),  // biometryLockout
        -9: (.cancelledByApp, .retry),
        -10: (.cancelledByApp, .retry),  // invalidContext: it was taken back before it was asked
        // companionNotAvailable. A watch or another device nearby is neither a face nor a finger, and no key here asks for one; so the
        // policies that take one are not used, and this number is only known.
        -11: (.biometryUnavailable, .fallBack(.devicePasscode)),
        -12: (.biometryUnavailable, .openSettings),  // biometryNotPaired, macOS
        -13: (.biometryUnavailable, .fallBack(.devicePasscode)),  // biometryDisconnected, macOS
        -14: (.platform, .report),  // invalidDimensions, macOS
        // notInteractive. A prompt hears it when the app is not in front.
        -1004: (.cancelledBySystem, .retry),
    ]

    /// `OSStatus`, as far as the keychain gives it to apps.
    private static let keychain: Meanings = [
        -34: (.platform, .retry),  // errSecDiskFull
        -36: (.platform, .retry),  // errSecIO
        -50: (.platform, .report),  // errSecParam
        -108: (.platform, .retry),  // errSecAllocate
        -128: (.cancelledByUser, .retry),
        // errSecNotAvailable: no key of the class, or nobody logged in. It is the passcode that is missing only for what is made with a
        // class that wants one: ``failureOfMaking(needsPasscode:)``.
        -25291: (.platform, .retry),
        // errSecAuthFailed: everything that went wrong with a prompt except cancelling it. It is no cancelling, and nobody who sees it
        // alone can know more.
        -25293: (.platform, .retry),
        -25299: (.platform, .retry),  // errSecDuplicateItem: somebody else was faster
        -25300: (.notEnrolled, .reEnrol),  // errSecItemNotFound
        // errSecInteractionNotAllowed, errSecInteractionRequired, errSecInDarkWake: locked, or nobody there.
        -25308: (.notYetReadable, .retry),
        -25315: (.notYetReadable, .retry),
        -25320: (.notYetReadable, .retry),
        -26275: (.keyInvalidated, .reEnrol),  // errSecDecode: what is kept is damaged
        -34018: (.platform, .report),  // errSecMissingEntitlement
    ]

    /// `TKError`, which signing with a key of the Secure Enclave gives.
    private static let token: Meanings = [
        -1: (.platform, .report),  // notImplemented
        -2: (.platform, .retry),  // communicationError
        -3: (.keyInvalidated, .reEnrol),  // corruptedData
        -4: (.cancelledByUser, .retry),
        -5: (.platform, .retry),  // authenticationFailed: what errSecAuthFailed is
        -6: (.notEnrolled, .reEnrol),  // objectNotFound
        -7: (.notEnrolled, .reEnrol),  // tokenNotFound
        -8: (.platform, .report),  // badParameter
        -9: (.platform, .retry),  // authenticationNeeded
    ]
}

// MARK: - Refused when something is made

extension AppleStatus {
    /// What it means when an item or a key could not be made. "Not available" says that there is no key of the class: where the class
    /// wants a passcode, it is the passcode that is missing. Nobody else is told to set one.
    ///
    /// - Parameter needsPasscode: whether it was to be protected with "when a passcode is set".
    func failureOfMaking(needsPasscode: Bool) -> Failure {
        guard needsPasscode, self == AppleStatus(-25291) else { return failure }
        return Failure(.passcodeNotSet, status: status)
    }
}

// MARK: - Refused after a match

extension AppleStatus {
    /// "Authentication failed" and "not found", in the words of the keychain and of CryptoTokenKit.
    private static let refusals: Set<AppleStatus> = [
        AppleStatus(-25293), AppleStatus(-25300), AppleStatus(domain: cryptoTokenKit, code: -5),
        AppleStatus(domain: cryptoTokenKit, code: -6),
    ]

    /// What it means when a key or secret that was kept says this although the person had just matched. The number is the same for a
    /// lockout, for a sensor that nobody has set up and for a key that died with a changed enrolment; the sensor, looked at afterwards,
    /// tells them apart. Where nothing stands in its way, the key is gone for good.
    ///
    /// - Parameters:
    ///   - kind: what opens it: `biometric` or `passcode`.
    ///   - biometry: the state of the sensor after the refusal.
    func failure(of kind: KeyKind, biometry: BiometryState) -> Failure {
        guard Self.refusals.contains(self) else { return failure }
        let gone = Failure(.keyInvalidated)
        // A sensor says nothing about what the passcode opens, except that there is no passcode.
        let obstacle = kind == .biometric || biometry == .passcodeNotSet ? biometry.obstacle : nil
        var failure = obstacle ?? gone
        failure.status = status
        return failure
    }
}
