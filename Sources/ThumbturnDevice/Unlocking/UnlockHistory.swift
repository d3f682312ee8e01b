import ThumbturnCore
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is remembered from one unlock to the next: how long the person usually takes, which rung they prefer, and
/// whether the last flow came to its end.
///
/// Nothing is granted by it. A history that is damaged or cannot be read counts as empty.
struct UnlockHistory: Sendable {
    /// The account or vault whose unlocks these are.
    let asker: String
    let platform: DevicePlatform

    /// The person as the flow needs to know them.
    func person() async -> Person {
        Person(
            extraTime: await platform.extraTime(), preferred: await preferred(),
            pace: await read(Pace.self, from: paceName()) ?? Pace()
        )
    }

    func keep(_ pace: Pace, since before: Pace) async {
        if pace != before { try? await write(pace, to: await paceName()) }
    }

    func preferred() async -> Rung? { await read(Rung.self, from: preferredName) }

    func prefer(_ rung: Rung?) async throws(Failure) {
        guard let rung else { return try await platform.secrets.delete(preferredName) }
        try await write(rung, to: preferredName)
    }

    /// Forgets the person: their preference and their pace, and whose the reports that wait are.
    func forget() async throws(Failure) {
        // No session of the next person sends what is told of this one.
        try await ReportOwner.forget(asker, on: platform)
        try await platform.secrets.delete(openName)
        try await platform.secrets.delete(preferredName)
        for sensor in SensorKind.allCases.map(\.rawValue) + [Self.unknownSensor] {
            try await platform.secrets.delete(paceName(sensor))
        }
    }

    private var preferredName: String { "preferred rung \(asker)" }

    /// Each kind of sensor has a pace of its own, because a face is recognised quicker than a finger.
    private func paceName() async -> String { paceName(await platform.sensor.kind()?.rawValue ?? Self.unknownSensor) }

    private func paceName(_ sensor: String) -> String { "pace \(asker) \(sensor)" }

    private static let unknownSensor = "sensor"

    // MARK: - The open flow

    /// What is to be reported of the flow before this one, where it never came to its end because the app was closed or
    /// killed: how far it had come when it was last written down.
    func abandoned() async -> TelemetryRecord? { await read(TelemetryRecord.self, from: openName) }
    func note(_ record: TelemetryRecord) async { try? await write(record, to: openName) }
    func ended() async { try? await platform.secrets.delete(openName) }

    private var openName: String { "open flow \(asker)" }

    private func read<Value: Decodable>(_ type: Value.Type, from name: String) async -> Value? {
        guard let bytes = (try? await platform.secrets.readable(name)) ?? nil else { return nil }
        // In an array, because not every decoder accepts a bare value as a JSON text.
        return try? JSONDecoder().decode([Value].self, from: Data(bytes)).first
    }

    private func write(_ value: some Encodable & Sendable, to name: String) async throws(Failure) {
        try await platform.secrets.write(StoredRecord.encode([value]), as: name)
    }
}
