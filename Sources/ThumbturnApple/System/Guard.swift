#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import Security
import ThumbturnCore
import ThumbturnDevice

/// The access control of a keychain item. An auditor reads this table first.
struct Guard: Equatable, Sendable {
    var protection: Protection
    var flags: SecAccessControlCreateFlags

    enum Protection: Hashable, Sendable {
        /// Usable only while the device is unlocked and has a passcode, and only on this device. Removing the passcode
        /// destroys the item.
        case whenPasscodeSetThisDeviceOnly
        /// Usable after the first unlock since the device started, and only on this device.
        case afterFirstUnlockThisDeviceOnly
    }

    /// The access control of a key of this kind.
    static func of(_ kind: KeyKind) -> Guard {
        switch kind {
        case .biometric: Guard(protection: .whenPasscodeSetThisDeviceOnly, flags: [.privateKeyUsage, .biometryCurrentSet])
        case .passcode: Guard(protection: .whenPasscodeSetThisDeviceOnly, flags: [.privateKeyUsage, .devicePasscode])
        case .session: Guard(protection: .afterFirstUnlockThisDeviceOnly, flags: .privateKeyUsage)
        case .pin: Guard(protection: .afterFirstUnlockThisDeviceOnly, flags: [.privateKeyUsage, .applicationPassword])
        }
    }

    /// The access control of a vault's secret behind one rung. It never has `privateKeyUsage`: a password with that
    /// flag could not be decrypted. Throws for a rung that the access does not have.
    static func of(_ access: VaultAccess, behind kind: KeyKind) throws(Failure) -> Guard {
        guard access.rungs.contains(where: { $0.key == kind }) else { throw Failure(.policyDenies) }
        let flags: SecAccessControlCreateFlags =
            switch kind {
            case .biometric: access == .biometryCurrentSet ? .biometryCurrentSet : .biometryAny
            // The other kinds are not rungs of a vault.
            case .passcode, .session, .pin: .devicePasscode
            }
        return Guard(protection: .whenPasscodeSetThisDeviceOnly, flags: flags)
    }

    /// Makes the system's access control object.
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
