public import ThumbturnCore

/// Everything that comes from outside: the sensor, the keys, the disk, time and the network.
public struct DevicePlatform: Sendable {
    /// The sensor and the system's passcode prompt.
    public var sensor: any Sensor
    /// The keys.
    public var keys: any DeviceKeys
    /// Small secrets that need no prompt.
    public var secrets: any SecretStore
    /// Time.
    public var clock: any DeviceClock
    /// The network.
    public var transport: any Transport
    /// The app's PIN; nil where there is none. Keys of the kind `pin` live here alone.
    public var pin: PINSupport?
    /// The keys of vaults; nil where there are none.
    public var vaults: (any ProtectedStore)?
    /// Where the app is on the screen.
    public var phases: any AppPhases
    /// How long a prompt of the system has to be gone before the next one is shown. A second Face ID that comes during the farewell
    /// of the first is lost; the time also covers the cross-fade from rung to rung. Zero where no sheet of a system is shown.
    public var promptGap: Duration
    /// What assistive technology makes of time limits now.
    public var timeLimits: @Sendable () async -> TimeLimits = { .ofThePolicy }
    /// One prompt at a time, and nothing asked while the app is not in front.
    let prompts = PromptCoordinator()
    /// The journals of enrolments that somebody in this process works with.
    let journals = JournalLocks()
    /// One read and write of the sensor's ledger at a time.
    let ledgers = SerialGate()
    /// What the servers told of their time.
    let serverTimes = ServerTimes()

    /// A platform of these parts.
    public init(
        sensor: any Sensor, keys: any DeviceKeys, secrets: any SecretStore, clock: any DeviceClock = SystemClock(),
        transport: any Transport = URLSessionTransport(), pin: PINSupport? = nil, vaults: (any ProtectedStore)? = nil,
        phases: any AppPhases = AlwaysInFront(), promptGap: Duration = .milliseconds(300)
    ) {
        self.sensor = sensor
        self.keys = keys
        self.secrets = secrets
        self.clock = clock
        self.transport = transport
        self.pin = pin
        self.vaults = vaults
        self.phases = phases
        self.promptGap = promptGap
    }
}
