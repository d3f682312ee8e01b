import Foundation
import ThumbturnCore

/// A durable count of failed attempts at one key.
protocol AttemptLedger: Codable, Equatable, Sendable {
    /// A ledger without attempts.
    init()

    /// The ledger that takes the place of one that is damaged or gone.
    static func replacingDamaged(at now: Moment) -> Self
}

extension PINLedger: AttemptLedger {}
extension BiometricLedger: AttemptLedger {}

/// The ledger of one key, kept among the small secrets.
struct LedgerFile<Ledger: AttemptLedger>: Sendable {
    let name: String
    let platform: DevicePlatform
    /// The server whose time counts; see `Moment`.
    let server: String
    /// Starts the ledger's pause anew where the time since its last attempt cannot be told.
    let anchor: @Sendable (Ledger, Moment) -> Ledger

    /// Changes the ledger in one step, and again with what stands there where another process was faster. The body gets
    /// the ledger as it counts now: one that is damaged or gone, and one whose time cannot be told, starts its pause anew.
    ///
    /// - Parameter body: gives the ledger to keep, and a value for the caller. It may run several times.
    func change<Value: Sendable>(_ body: (Ledger, Moment) -> (Ledger, Value)) async throws(Failure) -> Value {
        // Each failed try is another process that succeeded: more tries than guesses that a device can count at a time.
        for _ in 1...100 {
            let now = now
            let bytes = try await platform.secrets.read(name)
            let stored = bytes.flatMap { try? JSONDecoder().decode(Ledger.self, from: Data($0)) }
            let (next, value) = body(stored.map { anchor($0, now) } ?? .replacingDamaged(at: now), now)
            if next == stored { return value }
            if try await platform.secrets.replace(bytes, by: StoredRecord.encode(next), as: name) { return value }
        }
        throw Failure(.platform)
    }

    /// The ledger as it counts now. It is written where its pause starts anew, so that the pause can end.
    func current() async throws(Failure) -> Ledger { try await change { ledger, _ in (ledger, ledger) } }

    /// Reads the ledger without writing; nil where there is none, or where it is damaged.
    func peek() async throws(Failure) -> Ledger? {
        guard let bytes = try await platform.secrets.read(name) else { return nil }
        return try? JSONDecoder().decode(Ledger.self, from: Data(bytes))
    }

    /// Writes an empty ledger, before its key is made: a key without a ledger would be paused.
    func create() async throws(Failure) {
        try await platform.secrets.write(StoredRecord.encode(Ledger()), as: name)
    }

    /// The time that the ledger counts by.
    var now: Moment { platform.moment(for: server) }
}
