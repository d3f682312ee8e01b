#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import Security
import ThumbturnCore
import ThumbturnDevice

/// What guards an item of the keychain: the table that an auditor reads first.
struct Guard: Equatable, Sendable {
    var protection: Protection
    var flags: SecAccessControlCreateFlags

    enum Protection: Hashable, Sendable {
        /// Only while the device is unlocked, has a passcode, and on this device alone. Without the passcode the item is destroyed.
        case whenPasscodeSetThisDeviceOnly
        /// After the first unlock since the start, on this device alone.
        case afterFirstUnlockThisDeviceOnly
    }

    /// A key of this kind.
    static func of(_ kind: KeyKind) -> Guard {
        switch kind {
        case .biometric: Guard(protection: .whenPasscodeSetThisDeviceOnly, flags: [.privateKeyUsage, .biometryCurrentSet])
        case .passcode: Guard(protection: .whenPasscodeSetThisDeviceOnly, flags: [.privateKeyUsage, .devicePasscode])
        case .session: Guard(protection: .afterFirstUnlockThisDeviceOnly, flags: .privateKeyUsage)
        case .pin: Guard(protection: .afterFirstUnlockThisDeviceOnly, flags: [.privateKeyUsage, .applicationPassword])
        }
    }

    /// A secret of a vault behind one rung. Never with `privateKeyUsage`: a password behind that could not be decrypted. Throws for a rung
    /// that the access does not have.
    static func of(_ access: VaultAccess, behind kind: KeyKind) throws(Failure) -> Guard {
        guard access.rungs.contains(where: { $0.key == kind }) else { throw Failure(.policyDenies) }
        let flags: SecAccessControlCreateFlags =
            switch kind {
            case .biometric: access == .biometryCurrentSet ? .biometryCurrentSet : .biometryAny
            // No rung of a vault has another kind.
            case .passcode, .session, .pin: .devicePasscode
            }
        return Guard(protection: .whenPasscodeSetThisDeviceOnly, flags: flags)
    }

    /// The system's own value.
    func made() throws(Failure) -> SecAccessControl {
        var error: Unmanaged<CFError>?
        guard let control = unsafe SecAccessControlCreateWithFlags(nil, protection.attribute as CFTypeRef, flags, &error) else {
            let error = unsafe error?.takeRetainedValue() as (any Error)?
            throw AppleStatus(error).failure
        }
        return control
    }
}

extension Guard.Protection {
    var attribute: CFString {
        switch self {
        case .whenPasscodeSetThisDeviceOnly: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
        case .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        }
    }
}
#endif
