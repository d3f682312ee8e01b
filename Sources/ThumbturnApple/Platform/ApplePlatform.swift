#if canImport(LocalAuthentication) && canImport(Security)
public import Foundation
public import ThumbturnCore
public import ThumbturnDevice
public import ThumbturnURLSession

extension DevicePlatform {
    /// The platform of an iPhone, an iPad, a Mac or a Vision Pro: Face ID, Touch ID or Optic ID, the device passcode,
    /// keys in the Secure Enclave, and secrets and vaults in the keychain.
    ///
    ///     let auth = try Authenticator(server: url, platform: .apple())
    ///
    /// Make one value for each place: prompts and PIN attempts wait for each other within one value and its copies. One
    /// value serves any number of servers and accounts. Where VoiceOver or Switch Control runs no prompt is taken away, and
    /// hints and retries have ten times as long. On a Mac the app needs a provisioning profile, because the
    /// keychain that holds Secure Enclave keys requires its entitlements.
    ///
    /// Keys and secrets are not synchronised and do not move to another device. On iOS the keychain outlives the app,
    /// so items of an earlier installation are deleted before the first use. A file among the app's own files shows
    /// whether the app was reinstalled. An access group that several apps share has no such file by default, so nothing
    /// in it is deleted.
    ///
    /// - Parameters:
    ///   - place: the place in the keychain of all keys and items.
    ///   - pinEntry: the app's own PIN screen; nil for an app without a PIN.
    ///   - installation: a folder that is deleted together with the items of the place, such as the container of an app
    ///     group for a place in an access group. With nil it is the app's Application Support folder, and a place in an
    ///     access group has none.
    ///   - transport: the network transport.
    ///   - phases: the source of the app's phases; by default the notifications of UIKit and AppKit.
    ///   - language: the language of the button that leads to another rung; the system writes the rest of the sheet.
    ///   - deviceUnlockReuse: how long after a face or finger has unlocked the device a vault opens without another
    ///     prompt, up to 300 seconds. An unlock from before an `AppLockModel` locked, or the person was dismissed, does not
    ///     count; see `AppleSensor`.
    public static func apple(
        in place: KeychainPlace = KeychainPlace(), pinEntry: (any PINEntry)? = nil, installation: URL? = nil,
        transport: any Transport = URLSessionTransport(), phases: any AppPhases = ScenePhases(),
        language: MessageLanguage = .best(of: Bundle.main.preferredLocalizations), deviceUnlockReuse: Duration = .zero
    ) -> DevicePlatform {
        let system = AppleSystem(), folder = installation ?? InstallMarker.folder(for: place)
        let keychain = Keychain(place, on: system, marker: folder.map { InstallMarker(folder: $0, of: place) })
        let sensor = AppleSensor(system, keychain, language: language, deviceUnlockReuse: deviceUnlockReuse)
        return apple(
            keychain, sensor: sensor, pinEntry: pinEntry, transport: transport, phases: phases, assistive: system.assistive)
    }

    /// The platform of a simulator: the sensor of `apple`, with keys, secrets and vaults in files.
    ///
    /// **Its keys are in software**: a process that can read the files can sign, with or without the person, and no change of
    /// the enrolled faces invalidates them. A server that demands evidence refuses them, because there is none. It is for
    /// development, where a simulator refuses the keys of `apple` or opens them without a prompt.
    ///
    /// - Parameters:
    ///   - folder: the folder of the files; with nil, one in the app's Application Support folder.
    ///   - pinEntry: the app's own PIN screen; nil for an app without a PIN.
    ///   - transport: the network transport.
    ///   - phases: the source of the app's phases; by default the notifications of UIKit and AppKit.
    ///   - language: the language of the button that leads to another rung; the system writes the rest of the sheet.
    public static func appleWithSoftwareKeys(
        in folder: URL? = nil, pinEntry: (any PINEntry)? = nil, transport: any Transport = URLSessionTransport(),
        phases: any AppPhases = ScenePhases(),
        language: MessageLanguage = .best(of: Bundle.main.preferredLocalizations)
    ) -> DevicePlatform {
        let own = InstallMarker.folder(for: KeychainPlace()) ?? FileManager.default.temporaryDirectory
        return appleWithSoftwareKeys(
            in: folder ?? own.appendingPathComponent("software keys"), on: AppleSystem(), pinEntry: pinEntry,
            transport: transport, phases: phases, language: language)
    }

    static func appleWithSoftwareKeys(
        in folder: URL, on system: AppleSystem, pinEntry: (any PINEntry)?, transport: any Transport, phases: any AppPhases,
        language: MessageLanguage = .english, clock: any DeviceClock = SystemClock(), pinRounds: Int = PINStretching.rounds
    ) -> DevicePlatform {
        let secrets = FileSecrets(folder: folder.path)
        var platform = DevicePlatform(
            sensor: AppleSensor(system, asksByPolicy: true, language: language), keys: SoftwareKeys(folder: folder.path),
            secrets: secrets, place: .folder(folder.path), clock: clock, transport: transport,
            pin: pinEntry.map {
                PINSupport(entry: $0, key: SoftwarePINKey(secrets: StoredPINSecrets(secrets), rounds: pinRounds))
            },
            vaults: FileVaultStore(folder: folder.path), phases: phases)
        platform.extraTime = { await system.assistive.extraTime }
        platform.extraTimeChanges = { system.assistive.changes }
        platform.deviceName = { await AppleDeviceName.current }
        return platform
    }

    /// Combines the parts, which share one keychain.
    static func apple(
        _ keychain: Keychain, sensor: any Sensor, pinEntry: (any PINEntry)?, transport: any Transport, phases: any AppPhases,
        assistive: AssistiveTechnology = .system, clock: any DeviceClock = SystemClock(), pinRounds: Int = PINStretching.rounds,
        place: DevicePlace? = nil
    ) -> DevicePlatform {
        // No file locks for an access group: the system ends an app that is suspended while it holds one. What its
        // processes write at a time, the keychain compares.
        var platform = DevicePlatform(
            sensor: sensor, keys: EnclaveKeys(keychain: keychain), secrets: KeychainSecrets(keychain: keychain),
            place: place ?? .ofThisProcess("keychain \(keychain.place.mark)"), clock: clock, transport: transport,
            pin: pinEntry.map { PINSupport(entry: $0, key: EnclavePINKeys(keychain: keychain, rounds: pinRounds)) },
            vaults: KeychainVault(keychain: keychain), phases: phases)
        #if canImport(DeviceCheck)
        platform.evidence = AppAttestation(secrets: platform.secrets)
        #endif
        platform.extraTime = { await assistive.extraTime }
        platform.extraTimeChanges = { assistive.changes }
        platform.deviceName = { await AppleDeviceName.current }
        return platform
    }
}
#endif
