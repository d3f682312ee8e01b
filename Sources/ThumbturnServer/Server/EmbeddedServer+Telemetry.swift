#if Server
package import ThumbturnTelemetry

extension EmbeddedServer {
    /// Makes a key under this name with which apps send reports of unlocks, and can do nothing else.
    ///
    /// - Returns: the key, which cannot be shown again.
    /// - Throws: `SetupError` if the name is taken or is not acceptable.
    public func addTelemetryKey(named name: String) async throws -> String {
        try await service.addTelemetryKey(named: name)
    }

    /// Removes such a key, which is refused at once. Throws `SetupError.telemetryKeyUnknown`.
    public func removeTelemetryKey(named name: String) async throws {
        try await service.removeTelemetryKey(named: name)
    }

    /// The names of these keys, sorted, with the time at which each was made.
    package func telemetryKeys() async throws -> [TelemetryKey] { try await service.store.telemetryKeys() }

    /// The counts of unlocks of the days from `first` to `last`, by day, kind of device, versions, policy and arm. A running
    /// server may count meanwhile.
    ///
    /// - Throws: `SetupError.telemetryUnreadable`.
    package func telemetry(from first: TelemetryDay, to last: TelemetryDay) async throws -> [TelemetryEntry] {
        try await service.store.telemetry(from: first, to: last)
    }
}
#endif
