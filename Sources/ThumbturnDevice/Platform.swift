/// Everything that comes from outside: the sensor, the keys, the disk, time and the network.
public struct Platform: Sendable {
    public var sensor: any Sensor
    public var keys: any DeviceKeys
    public var secrets: any SecretStore
    public var clock: any DeviceClock
    public var transport: any Transport

    public init(
        sensor: any Sensor, keys: any DeviceKeys, secrets: any SecretStore, clock: any DeviceClock = SystemClock(),
        transport: any Transport = URLSessionTransport()
    ) {
        self.sensor = sensor
        self.keys = keys
        self.secrets = secrets
        self.clock = clock
        self.transport = transport
    }
}
