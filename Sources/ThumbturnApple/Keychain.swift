#if canImport(LocalAuthentication) && canImport(Security)
import ThumbturnCore
import ThumbturnDevice

/// The calls of the keychain and of keys that ask nobody, one at a time and where they may block.
actor Keychain {
    let place: KeychainPlace
    private let executor: any SerialExecutor

    init(_ place: KeychainPlace, on system: AppleSystem) {
        self.place = place
        executor = system.executor
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
}
#endif
