#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension AuthorizationServer {
    /// The sender with a write key. It is looked up for every batch, so that a removed key is refused at once.
    func telemetrySender(key text: String?) async throws -> BatchSender.Credential {
        guard let hash = text.flatMap(TelemetryKey.hash), let key = try await store.telemetryKey(hash: hash) else {
            throw RequestError.invalidBearer(.init(.telemetry, text == nil ? LogReason.Cause.missing : .wrongCredentials))
        }
        return .key(key.name)
    }

    /// The sender with a session key, which every enrolled device has, also while its person is not signed in: that is
    /// when most unlocks fail. It takes one signature; an access token would take another one.
    ///
    /// - Parameter thumbprint: of the key that signed the request. A visit's key is no device's.
    func telemetrySender(sessionKey thumbprint: String) async throws -> BatchSender.Credential {
        guard let device = try await store.device(withSessionKey: thumbprint) else { throw RequestError.notFound }
        return .device(device.id)
    }

    /// `POST /v1/telemetry`: reads a batch.
    func telemetryBatch(_ bytes: [UInt8]) throws -> TelemetryBatch {
        do throws(JSONError) {
            // A batch refuses the members that it does not know by itself.
            return try StrictJSON.decodeIgnoringUnknown(TelemetryBatch.self, from: bytes)
        } catch {
            var refused = RequestError.malformed()
            refused.reason = LogReason(.telemetry, .malformed)
            // The path may have a member's name of the sender, who alone reads it.
            refused.problem.detail = String(error.description.prefix(200))
            throw refused
        }
    }
}
#endif
