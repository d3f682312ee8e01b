#if Server
import HTTPTypes
import Hummingbird
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension Routes {
    /// The route for reports of unlocks, by the holder of a device's session key, with or without an access token, or of a write key.
    ///
    /// The order is that of other routes, with the rate of the network before all: a write key can be read out of an app, so
    /// strangers send batches that no credential holds back.
    var telemetry: Route.Access {
        Route.Access(credentials: [.accessToken, .sessionKey, .writeKey], coolOff: .allowed) { request, context in
            let network = network(of: request, context)
            do {
                try service.telemeter.admit(network)
                let batch = try await service.telemeter.gate.admit(from: network) {
                    try await telemetryBatch(of: request, from: network)
                }
                try await service.telemeter.take(batch)
                return Response(status: .accepted)
            } catch let refused as RequestError {
                service.metrics.countRefusedBatch(refused.reason)
                throw refused
            }
        }
    }

    private func telemetryBatch(of request: Request, from network: Network) async throws -> WaitingBatch {
        let sender: BatchSender.Credential
        let bytes: [UInt8]
        if request.authorization(scheme: "DPoP") != nil {
            bytes = try await request.bytes(of: .json, atMost: TelemetryBatch.largest)
            let caller = try await caller(of: request, body: bytes)
            sender = try await service.telemetrySender(sessionKey: caller.session.sessionJKT)
        } else if request.headers[.authorization] != nil {
            // A key that is unknown is refused before the body is read.
            sender = try await service.telemetrySender(key: request.authorization(scheme: "Bearer"))
            bytes = try await request.bytes(of: .json, atMost: TelemetryBatch.largest)
        } else {
            bytes = try await request.bytes(of: .json, atMost: TelemetryBatch.largest)
            sender = try await service.telemetrySender(sessionKey: try await dpop(of: request, body: bytes).jkt)
        }
        try service.telemeter.admit(sender)
        return WaitingBatch(
            try service.telemetryBatch(bytes), from: BatchSender(credential: sender, network: network),
            at: service.time.now)
    }
}
#endif
