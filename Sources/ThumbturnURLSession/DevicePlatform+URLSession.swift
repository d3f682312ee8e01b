import ThumbturnCore
public import ThumbturnDevice

extension DevicePlatform {
    /// Makes a platform of these parts, whose network is URLSession. The place is where the keys and the secrets are, the
    /// same for each platform over them.
    public init(
        sensor: any Sensor, keys: any DeviceKeys, secrets: any SecretStore, place: DevicePlace,
        clock: any DeviceClock = SystemClock(), pin: PINSupport? = nil, vaults: (any ProtectedStore)? = nil,
        evidence: (any EvidenceSource)? = nil, phases: any AppPhases = AlwaysInFront(), promptGap: Duration = .milliseconds(300)
    ) {
        self.init(
            sensor: sensor, keys: keys, secrets: secrets, place: place, clock: clock, transport: URLSessionTransport(), pin: pin,
            vaults: vaults, evidence: evidence, phases: phases, promptGap: promptGap)
    }
}
