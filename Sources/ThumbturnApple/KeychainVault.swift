#if canImport(LocalAuthentication) && canImport(Security)
import ThumbturnCore
import ThumbturnDevice

extension Keychain {
    /// What the secret of this name was protected with: for the sensor, which asks for exactly that. Where there is no such secret, what a
    /// vault has by default.
    func access(of name: KeyName) -> VaultAccess { .biometryCurrentSet }
}
#endif
