import ThumbturnCore
import ThumbturnDevice

extension DevicePlatform {
    /// The platform of an Android phone, over its system.
    ///
    /// - Parameters:
    ///   - system: Android, behind the bridge.
    ///   - pinEntry: the app's own PIN screen; nil for an app without a PIN.
    ///   - title: the first line of every prompt, such as the app's name; with nil it is the reason.
    ///   - confirmsFaces: whether a face has to be confirmed by a tap.
    ///   - clock: the phone's clock.
    ///   - pinRounds: the rounds with which a PIN is stretched.
    ///   - place: the place of the keys and secrets; nil for the app's folder, which all of its processes share.
    static func android(
        over system: any AndroidSystem, pinEntry: (any PINEntry)? = nil, title: String? = nil, confirmsFaces: Bool = true,
        clock: any DeviceClock = SystemClock(), pinRounds: Int = PINStretching.rounds,
        place: DevicePlace? = nil
    ) async throws(Failure) -> DevicePlatform {
        let facts = try await system.knownFacts()
        let folder = "\(facts.folder)/thumbturn"
        let keystore = Keystore(on: system)
        let secrets = KeystoreSecrets(folder: folder, keystore)
        let vault = KeystoreVault(keystore: keystore, secrets: secrets)
        let look = PromptLook(title: title, language: .best(of: [facts.language]), confirmsFaces: confirmsFaces)
        let pins = SoftwarePINKey(secrets: KeystorePINSecrets(keystore: keystore), rounds: pinRounds)
        var keys = KeystoreKeys(keystore: keystore)
        var platform = DevicePlatform(
            sensor: AndroidSensor(keystore: keystore, vault: vault, level: facts.level, look: look),
            keys: keys, secrets: secrets, place: place ?? .folder(folder), clock: clock,
            transport: AndroidTransport(system: system), pin: pinEntry.map { PINSupport(entry: $0, key: pins) },
            vaults: vault, evidence: AndroidEvidence(system: system), phases: AndroidPhases(system: system))
        keys.advise = platform.advise
        platform.keys = keys
        platform.extraTime = { (try? await system.facts())?.exploresByTouch == true ? .tenfold : .none }
        platform.deviceName = { facts.name }
        let context = TelemetryContext(
            system: "Android", model: TelemetryLabel(facts.model), systemVersion: TelemetryLabel(facts.release))
        platform.telemetryContext = { context }
        return platform
    }
}
