#if canImport(LocalAuthentication) && canImport(Security)
public import Foundation
public import ThumbturnCore
public import ThumbturnDevice

extension DevicePlatform {
    /// An iPhone, an iPad, a Mac or a Vision Pro: Face ID, Touch ID or Optic ID and the device passcode, keys of the Secure Enclave,
    /// secrets and vaults of the keychain.
    ///
    ///     let auth = try Authenticator(server: url, platform: .apple())
    ///
    /// Make one value for each place: prompts, and guesses at a PIN, wait for each other through it and its copies. It takes any number of
    /// servers and accounts. On a Mac the app needs a provisioning profile, because the keychain that has Secure Enclave keys wants its
    /// entitlements.
    ///
    /// Nothing here is synchronised, and nothing travels to another device. On iOS the keychain outlives the app; what an earlier
    /// installation left is wiped before the first use. A file says whether the app was installed anew: it lies with the app, so in a place
    /// that several apps share nothing is wiped.
    ///
    /// - Parameters:
    ///   - place: where in the keychain everything lies.
    ///   - pinEntry: the app's own PIN screen; nil for an app without a PIN.
    ///   - installation: a folder that is deleted together with what the place holds, such as the container of an app group for a place in
    ///     an access group. Nil stands for the app's Application Support, or for none in an access group.
    ///   - transport: the network.
    ///   - phases: where the app is; what UIKit and AppKit tell unless the app knows better.
    ///   - language: of the button that leads to another way; the rest of the sheet is the system's.
    ///   - deviceUnlockReuse: a vault also opens for a face or finger that unlocked the device so long ago, up to 300 seconds.
    public static func apple(
        in place: KeychainPlace = KeychainPlace(), pinEntry: (any PINEntry)? = nil, installation: URL? = nil,
        transport: any Transport = URLSessionTransport(), phases: any AppPhases = ScenePhases(),
        language: MessageLanguage = .best(of: Bundle.main.preferredLocalizations), deviceUnlockReuse: Duration = .zero
    ) -> DevicePlatform {
        let system = AppleSystem(), folder = installation ?? InstallMarker.folder(for: place)
        let keychain = Keychain(place, on: system, marker: folder.map { InstallMarker(folder: $0, of: place) })
        let sensor = AppleSensor(system, keychain, language: language, deviceUnlockReuse: deviceUnlockReuse)
        return apple(keychain, sensor: sensor, pinEntry: pinEntry, transport: transport, phases: phases)
    }

    /// The parts that share a keychain.
    static func apple(
        _ keychain: Keychain, sensor: any Sensor, pinEntry: (any PINEntry)?, transport: any Transport, phases: any AppPhases,
        clock: any DeviceClock = SystemClock(), pinRounds: Int = SoftwarePINKey.rounds
    ) -> DevicePlatform {
        DevicePlatform(
            sensor: sensor, keys: EnclaveKeys(keychain: keychain), secrets: KeychainSecrets(keychain: keychain), clock: clock,
            transport: transport,
            pin: pinEntry.map { PINSupport(entry: $0, key: EnclavePINKeys(keychain: keychain, rounds: pinRounds)) },
            vaults: KeychainVault(keychain: keychain), phases: phases)
    }
}
#endif
