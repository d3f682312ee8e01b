#if Server
import ThumbturnCore

/// The write keys of telemetry, for the operator.
extension EmbeddedServer {
    /// Makes a key under this name with which apps send reports of unlocks, and can do nothing else.
    ///
    /// - Returns: the key, which cannot be shown again.
    /// - Throws: `SetupError` if the name is taken or is not acceptable.
    public func addTelemetryKey(named name: String) async throws -> String {
        guard StepUpAction.isName(name) else { throw SetupError.telemetryKeyName }
        let text = TelemetryKey.random()
        guard let hash = TelemetryKey.hash(text) else { preconditionFailure("a new key has 32 bytes") }
        guard try await service.store.addTelemetryKey(name, hash: hash) else { throw SetupError.telemetryKeyExists(name) }
        return text
    }

    /// Removes such a key, which is refused at once. Throws `SetupError.telemetryKeyUnknown`.
    public func removeTelemetryKey(named name: String) async throws {
        guard try await service.store.removeTelemetryKey(name) else { throw SetupError.telemetryKeyUnknown(name) }
    }
}
#endif
