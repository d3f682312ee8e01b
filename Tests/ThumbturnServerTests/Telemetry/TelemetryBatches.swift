#if Tools
import Foundation
import ThumbturnCore
import ThumbturnLoad
import ThumbturnMessages
import ThumbturnTelemetry
@testable import ThumbturnServer
import ThumbturnVerifier

/// Batches of reports of unlocks, as tests send them.
enum TelemetryBatches {
    static let phone = TelemetryContext(
        system: "iOS", model: "iPhone17,3", systemVersion: "26.1", appVersion: "4.2.0", sensor: .faceID, policy: "unlock")

    /// An unlock that succeeds.
    static func unlock(_ context: TelemetryContext = phone, began: UnixTime = NodeClock.system.civil()) -> UnlockReport {
        UnlockReport(
            [
                .promptShown(.biometric), .promptAppeared(.biometric, .told),
                .sensorAnswered(.matched, after: .milliseconds(900), total: .milliseconds(900)),
                .authenticated(.biometric, after: .milliseconds(950), attempts: 1),
            ], began: began, in: context)
    }

    static func batch(_ unlocks: [UnlockReport] = [unlock()]) -> TelemetryBatch {
        var generator = SystemRandomNumberGenerator()
        return TelemetryBatch(
            unlocks, id: TelemetryBatch.Name(using: &generator), day: TelemetryBatch.Name(using: &generator))
    }

    static func bytes(_ unlocks: [UnlockReport] = [unlock()]) -> [UInt8] { WireJSON.encode(batch(unlocks)) }

    static func waiting(
        _ batch: TelemetryBatch, _ credential: BatchSender.Credential, at now: UnixTime = NodeClock.system.civil(),
        network: Network = .unknown
    ) -> WaitingBatch {
        WaitingBatch(batch, from: BatchSender(credential: credential, network: network), at: now)
    }
}

extension LiveServer {
    /// Sends a batch with a write key.
    func sendTelemetry(
        _ bytes: [UInt8] = TelemetryBatches.bytes(), key: String, type: String = "application/json"
    ) async throws -> LoadConnection.Answer {
        try await connect().send(
            "POST", "/v1/telemetry", type: type, headers: [("Authorization", "Bearer \(key)")], body: bytes)
    }

    func telemetryKey(_ name: String = "app") async throws -> String { try await server.addTelemetryKey(named: name) }

    /// All cells.
    func cells() async throws -> [TelemetryEntry] {
        try await service.store.telemetry(from: TelemetryDay(number: 0), to: TelemetryDay(number: 100_000))
    }

    /// The unlocks of all cells.
    func unlocks() async throws -> Int { try await cells().reduce(0) { $0 + $1.tally[.unlocks] } }
}

extension LiveServer.Enrolled {
    /// Sends a batch with the session key.
    func sendTelemetry(_ bytes: [UInt8] = TelemetryBatches.bytes()) async throws -> LoadConnection.Answer {
        let proof = device.dpop("POST", "/v1/telemetry", bytes, nonce: try await nonce())
        return try await connection.send(
            "POST", "/v1/telemetry", type: "application/json", headers: [("DPoP", proof)], body: bytes)
    }
}
#endif
