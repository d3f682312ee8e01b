import Foundation
import ThumbturnCore

/// What is remembered of the person from one unlock to the next: how long they usually take, which rung they like, and whether the
/// last flow came to its end. Nothing is granted by it; where it is damaged or cannot be read, nobody is known.
struct UnlockHistory: Sendable {
    /// Whose unlocks they are: an account or a vault.
    let asker: String
    let platform: DevicePlatform

    func person() async -> Person {
        Person(
            timeLimits: await platform.timeLimits(), preferred: await preferred(),
            pace: await read(Pace.self, paceName()) ?? Pace()
        )
    }

    func keep(_ pace: Pace, since before: Pace) async {
        if pace != before { try? await write(pace, await paceName()) }
    }

    func preferred() async -> Rung? { await read(Rung.self, "preferred rung \(asker)") }

    func prefer(_ rung: Rung?) async throws(Failure) {
        guard let rung else { return try await platform.secrets.delete("preferred rung \(asker)") }
        try await write(rung, "preferred rung \(asker)")
    }

    /// Each kind of sensor has a pace of its own: a face is quicker than a finger.
    private func paceName() async -> String { "pace \(asker) \(await platform.sensor.kind()?.rawValue ?? "sensor")" }

    // MARK: - The open flow

    /// How far a flow had come when it was last written down.
    struct Progress: Codable, Sendable, Equatable {
        var phase: UnlockFlow.Phase
        /// Since the flow began.
        var after: Duration
    }

    /// The flow before this one, where it never came to its end: the app was closed or killed.
    func abandoned() async -> Progress? { await read(Progress.self, openName) }
    func note(_ progress: Progress) async { try? await write(progress, openName) }
    func ended() async { try? await platform.secrets.delete(openName) }

    private var openName: String { "open flow \(asker)" }

    private func read<Value: Decodable>(_ type: Value.Type, _ name: String) async -> Value? {
        guard let bytes = (try? await platform.secrets.read(name)) ?? nil else { return nil }
        // In an array, because a value alone is no JSON text to every decoder.
        return try? JSONDecoder().decode([Value].self, from: Data(bytes)).first
    }

    private func write(_ value: some Encodable & Sendable, _ name: String) async throws(Failure) {
        try await platform.secrets.write(Signing.encode([value]), as: name)
    }
}
