import Foundation
import ThumbturnCore

/// An error of an Apple system: a domain and a code in it. Neither has a meaning without the other: -4 is "cancelled by
/// the system" in one domain and "cancelled by the person" in another.
struct AppleStatus: Hashable, Sendable {
    var domain: String
    var code: Int
    /// The code of the Secure Enclave behind it, where the system tells one.
    var hardware: Int?

    init(domain: String, code: Int, hardware: Int? = nil) {
        self.domain = domain
        self.code = code
        self.hardware = hardware
    }

    /// The status that a failure has kept.
    init(_ status: Failure.PlatformStatus) {
        self.init(domain: status.domain, code: status.code, hardware: status.hardware)
    }

    /// The status of an error. A missing error counts as an unknown fault of the system.
    init(_ error: (any Error)?) {
        let error = error.map { $0 as NSError }
        self.init(domain: error?.domain ?? "none", code: error?.code ?? 0, hardware: error.flatMap(Self.hardware))
    }

    /// `AKSError` of an error, or of the error beneath it. The number is the bits of an `IOReturn`; it is kept with the sign
    /// that the system's logs show.
    private static func hardware(of error: NSError) -> Int? {
        let beneath = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError }
        let code = (error.userInfo["AKSError"] ?? beneath?.userInfo["AKSError"]) as? Int
        return code.map { Int(Int32(truncatingIfNeeded: $0)) }
    }

    /// The domain and the code alone, by which a status is looked up.
    var pair: AppleStatus { AppleStatus(domain: domain, code: code) }

    /// The status of a keychain call.
    init(_ status: Int32) { self.init(domain: NSOSStatusErrorDomain, code: Int(status)) }

    /// The meaning of the status, with the next step. Two statuses need more context: -6 of LocalAuthentication may be
    /// a denied permission, which ``Preflight`` detects; for a refused key or secret see ``failure(of:biometry:)``.
    var failure: Failure {
        let (code, recovery) = Self.table[domain]?[code] ?? (.platform, .report)
        return Failure(code, recovery: recovery, status: status)
    }

    /// The raw status, which every failure keeps.
    var status: Failure.PlatformStatus { .init(domain: domain, code: code, hardware: hardware) }
}

// MARK: - The table

extension AppleStatus {
    static let localAuthentication = "com.apple.LocalAuthentication"
    static let cryptoTokenKit = "CryptoTokenKit"

    private typealias Meanings = [Int: (Failure.Code, Recovery)]

    /// The meanings by domain. A status that is not listed is a fault to report to the developers. The codes are raw
    /// numbers, because some of the names exist only on macOS.
    private static let table: [String: Meanings] = [
        localAuthentication: authentication, NSOSStatusErrorDomain: keychain, cryptoTokenKit: token,
    ]

    /// `LAError`.
    private static let authentication: Meanings = [
        -1: (.notMatched, .retry),  // authenticationFailed
        -2: (.cancelledByUser, .retry),
        // userFallback: the person pressed the fallback button, which our sheets hide.
        -3: (.cancelledByUser, .fallBack(.devicePasscode)),
        -4: (.cancelledBySystem, .retry),
        -5: (.passcodeNotSet, .setPasscode),
        -6: (.biometryUnavailable, .fallBack(.devicePasscode)),  // biometryNotAvailable
        -7: (.biometryNotEnrolled, .openSettings),
        -8: (.lockedOut, .fallBack(.devicePasscode)),  // biometryLockout
        -9: (.cancelledByApp, .retry),
        -10: (.cancelledByApp, .retry),  // invalidContext: it was invalidated before the prompt
        // companionNotAvailable. A watch or another device nearby is neither a face nor a finger, and no key here asks
        // for one. The policies that accept one are not used, so the code is listed only in case a system returns it.
        -11: (.biometryUnavailable, .fallBack(.devicePasscode)),
        -12: (.biometryUnavailable, .openSettings),  // biometryNotPaired, macOS
        -13: (.biometryUnavailable, .fallBack(.devicePasscode)),  // biometryDisconnected, macOS
        -14: (.platform, .report),  // invalidDimensions, macOS
        // notInteractive: a prompt was requested while the app was not in front.
        -1004: (.cancelledBySystem, .retry),
        // The access control does not allow the operation, as a signature without `privateKeyUsage`. Not in Apple's headers.
        -1009: (.keyInvalidated, .reEnrol),
    ]

    /// `OSStatus`, as far as the keychain returns it to apps.
    private static let keychain: Meanings = [
        -34: (.platform, .retry),  // errSecDiskFull
        -36: (.platform, .retry),  // errSecIO
        -50: (.platform, .report),  // errSecParam
        -108: (.platform, .retry),  // errSecAllocate
        -128: (.cancelledByUser, .retry),
        // errSecNotAvailable: the key of the protection class is missing, or no person is logged in. It means a missing
        // passcode only for items of a class that needs one: ``failureOfMaking(needsPasscode:)``.
        -25291: (.platform, .retry),
        // errSecAuthFailed: every failure of a prompt except a cancel. The status by itself says no more.
        -25293: (.platform, .retry),
        -25299: (.platform, .retry),  // errSecDuplicateItem: another writer was faster
        -25300: (.notEnrolled, .reEnrol),  // errSecItemNotFound
        // errSecInteractionNotAllowed, errSecInteractionRequired, errSecInDarkWake: the device is locked, or not in
        // use.
        -25308: (.notYetReadable, .retry),
        -25315: (.notYetReadable, .retry),
        -25320: (.notYetReadable, .retry),
        -26275: (.keyInvalidated, .reEnrol),  // errSecDecode: the stored item is damaged
        -34018: (.platform, .report),  // errSecMissingEntitlement
    ]

    /// `TKError`, which signing with a Secure Enclave key returns.
    private static let token: Meanings = [
        -1: (.platform, .report),  // notImplemented
        -2: (.platform, .retry),  // communicationError
        -3: (.keyInvalidated, .reEnrol),  // corruptedData
        -4: (.cancelledByUser, .retry),
        -5: (.platform, .retry),  // authenticationFailed: the equivalent of errSecAuthFailed
        -6: (.notEnrolled, .reEnrol),  // objectNotFound
        -7: (.notEnrolled, .reEnrol),  // tokenNotFound
        -8: (.platform, .report),  // badParameter
        -9: (.platform, .retry),  // authenticationNeeded
    ]
}

// MARK: - Refused while making an item

extension AppleStatus {
    /// The failure when an item or a key could not be made. "Not available" means that the key of the protection class
    /// is missing. If the class needs a passcode, it is the passcode that is missing. In no other case is the person
    /// asked to set one.
    ///
    /// - Parameter needsPasscode: whether the item was to be protected with "when a passcode is set".
    func failureOfMaking(needsPasscode: Bool) -> Failure {
        guard needsPasscode, self == AppleStatus(-25291) else { return failure }
        return Failure(.passcodeNotSet, status: status)
    }
}

// MARK: - Refused after a match

extension AppleStatus {
    /// "Authentication failed" and "not found", as the keychain and CryptoTokenKit report them, and "corrupted data",
    /// which CryptoTokenKit reports for whatever the Secure Enclave refuses.
    private static let refusals: Set<AppleStatus> = [
        AppleStatus(-25293), AppleStatus(-25300), AppleStatus(domain: cryptoTokenKit, code: -3),
        AppleStatus(domain: cryptoTokenKit, code: -5), AppleStatus(domain: cryptoTokenKit, code: -6),
        AppleStatus(domain: localAuthentication, code: -1009),
    ]

    /// Whether it refuses a key or a secret without saying why.
    var isRefusal: Bool { Self.refusals.contains(pair) }

    /// Whether the Secure Enclave says that the access control of a key can never be met again (`kAKSReturnPolicyInvalid`,
    /// 0xe007c009), as after a change of the enrolled faces and fingers.
    var isOfADeadKey: Bool { domain == Self.cryptoTokenKit && code == -3 && hardware == -536_362_999 }

    /// The failure when a stored key or secret is refused although the person has just matched. The status is the same
    /// for a lockout, for a sensor without an enrolment and for a key that a change of the enrolment has invalidated.
    /// The state of the sensor, read afterwards, tells them apart: if the sensor is ready, the key is invalidated. It is
    /// not asked where the Secure Enclave says that the key is dead.
    ///
    /// - Parameters:
    ///   - kind: the kind of key: `biometric` or `passcode`.
    ///   - biometry: the state of the sensor after the refusal.
    func failure(of kind: KeyKind, biometry: BiometryState) -> Failure {
        guard Self.refusals.contains(pair) else { return failure }
        let gone = Failure(.keyInvalidated)
        // The sensor says nothing about a key behind the passcode, except that there is no passcode.
        let mayBeTheSensor = !isOfADeadKey && (kind == .biometric || biometry == .passcodeNotSet)
        let obstacle = mayBeTheSensor ? biometry.obstacle : nil
        var failure = obstacle ?? gone
        failure.status = status
        return failure
    }
}
