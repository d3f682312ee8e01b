public import Foundation

// Names and raw values of LocalAuthentication on iOS 18, from Apple's documentation and headers.

public enum LAPolicy: Int, Sendable {
    case deviceOwnerAuthenticationWithBiometrics = 1
    case deviceOwnerAuthentication = 2
    case deviceOwnerAuthenticationWithCompanion = 3
    case deviceOwnerAuthenticationWithBiometricsOrCompanion = 4
}

public enum LABiometryType: Int, Sendable {
    case none = 0
    case touchID = 1
    case faceID = 2
    case opticID = 4
}

public enum LAAccessControlOperation: Int, Sendable {
    case createItem, useItem, createKey, useKeySign, useKeyDecrypt, useKeyKeyExchange
}

public enum LACredentialType: Int, Sendable {
    case applicationPassword = 0
    case smartCardPIN = -3
}

public let LAErrorDomain: String = "com.apple.LocalAuthentication"
public let LATouchIDAuthenticationMaximumAllowableReuseDuration: TimeInterval = 300

public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// The codes of LocalAuthentication's errors. The names with "biometry" are not cases, and the codes that only macOS
/// has are missing, so that shared source cannot use either.
public struct LAError {
    public enum Code: Int, Sendable {
        case authenticationFailed = -1
        case userCancel = -2
        case userFallback = -3
        case systemCancel = -4
        case passcodeNotSet = -5
        @available(*, deprecated) case touchIDNotAvailable = -6
        @available(*, deprecated) case touchIDNotEnrolled = -7
        @available(*, deprecated) case touchIDLockout = -8
        case appCancel = -9
        case invalidContext = -10
        case notInteractive = -1004

        public static var biometryNotAvailable: Code { Code(rawValue: -6)! }
        public static var biometryNotEnrolled: Code { Code(rawValue: -7)! }
        public static var biometryLockout: Code { Code(rawValue: -8)! }
        public static var companionNotAvailable: Int { -11 }
    }

    public static let errorDomain = LAErrorDomain
}

func laError(_ code: Int) -> NSError { NSError(domain: LAErrorDomain, code: code) }
