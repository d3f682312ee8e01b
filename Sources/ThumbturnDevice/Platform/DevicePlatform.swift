public import ThumbturnCore

/// The parts of the device that the library uses: the sensor, the keys, storage, time and the network.
public struct DevicePlatform: Sendable {
    /// The sensor and the system's passcode prompt.
    public var sensor: any Sensor
    /// The keys, without those of the kind `pin`.
    public var keys: any DeviceKeys
    /// The store of small secrets that need no prompt.
    public var secrets: any SecretStore
    /// The clocks.
    public var clock: any DeviceClock
    /// The network.
    public var transport: any Transport
    /// The app's PIN and its keys; nil where the platform has no PIN.
    public var pin: PINSupport?
    /// The store of vault keys; nil where the platform has no vaults.
    public var vaults: (any ProtectedStore)?
    /// Evidence of where the keys live; nil where the platform has none. The server then counts them as `software`.
    public var evidence: (any EvidenceSource)?
    /// The app's place on the screen.
    public var phases: any AppPhases
    /// How long a system prompt has to be gone before the next one is shown. A second Face ID prompt that comes while
    /// the first is being dismissed is lost; the time also covers the cross-fade from rung to rung. Zero where the
    /// system shows no sheet.
    public var promptGap: Duration
    /// How much more time than the policy's a person has now, with the assistive technology that is on.
    /// It is read when an unlock begins, and at each of `extraTimeChanges`. On Apple's systems it is `tenfold` where
    /// VoiceOver or Switch Control runs; an app may replace it, for example by a setting of its own.
    public var extraTime: @Sendable () async -> ExtraTime = { .none }
    /// Tells that `extraTime` may have changed. Without a value it is read only when an unlock begins.
    public var extraTimeChanges: @Sendable () -> AsyncStream<Void> = { AsyncStream { $0.finish() } }
    /// Takes a sentence of advice for the app's developers, each at most once in a process. By default debug builds write
    /// it to the standard error, and release builds drop it. It is for no person.
    public var advise: @Sendable (String) -> Void = DeveloperAdvice.toStandardError
    /// The device's own name or its model, for the list of a person's devices; nil where the platform tells none. It is
    /// part of what the server is told at an enrolment without a name.
    public var deviceName: @Sendable () async -> String? = { HostName.current }
    /// By what events of telemetry are counted: the system, the model, the versions, and the arm of an experiment that is no
    /// policy's. The library sets the sensor and the policy. By default what the system tells; an app may replace it.
    public var telemetryContext: @Sendable () async -> TelemetryContext = { .ofThisDevice }
    /// Takes the events of each unlock when it has ended, to keep them, log them or send them; see `TelemetryQueue`. Nil, the
    /// default, collects nothing.
    public var telemetry: (any TelemetrySink)?
    /// The deadline of each exchange with a server.
    package var exchangeDeadline: Duration = .seconds(30)
    /// What the platforms of this process over one place share.
    let shared: SharedPlace
    /// The times that the servers reported.
    let serverTimes = ServerTimes()

    var prompts: PromptCoordinator { shared.prompts }

    /// Makes a platform of these parts. The place is where the keys and the secrets are, the same for each platform over
    /// them.
    public init(
        sensor: any Sensor, keys: any DeviceKeys, secrets: any SecretStore, place: DevicePlace,
        clock: any DeviceClock = SystemClock(), transport: any Transport, pin: PINSupport? = nil,
        vaults: (any ProtectedStore)? = nil, evidence: (any EvidenceSource)? = nil, phases: any AppPhases = AlwaysInFront(),
        promptGap: Duration = .milliseconds(300)
    ) {
        shared = .of(place, clock: clock)
        self.sensor = sensor
        self.keys = keys
        self.secrets = secrets
        self.clock = clock
        self.transport = transport
        self.pin = pin
        self.vaults = vaults
        self.evidence = evidence
        self.phases = phases
        self.promptGap = promptGap
    }
}
