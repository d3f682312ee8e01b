import ThumbturnCore
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A durable count of failed attempts at one key.
protocol AttemptLedger: Codable, Equatable, Sendable {
    /// A ledger without attempts.
    init()

    /// The ledger that takes the place of one that is damaged or gone.
    static func replacingDamaged(at now: Moment) -> Self
}

extension PINLedger: AttemptLedger {}
extension SensorLedger: AttemptLedger {}

/// The ledger of one key, kept among the small secrets.
struct LedgerFile<Ledger: AttemptLedger>: Sendable {
    let name: String
    let platform: DevicePlatform
    /// The server whose time counts; see `Moment`.
    let server: String
    /// Starts the ledger's pause anew where the time since its last attempt cannot be told.
    let anchor: @Sendable (Ledger, Moment) -> Ledger
    /// The state of the key whose attempts are counted.
    let key: @Sendable () async -> KeyState

    /// Changes the ledger in one step, as `SecretStore.change` does. The body gets the ledger as it counts now: one that is
    /// damaged or gone, and one whose time cannot be told, starts its pause anew.
    ///
    /// A ledger that is gone is not made again without its key: an attempt may end after a revocation has deleted both.
    ///
    /// - Parameter body: gives the ledger to keep, and a value for the caller. It may run several times.
    func change<Value: Sendable>(_ body: (Ledger, Moment) -> (Ledger, Value)) async throws(Failure) -> Value {
        let (value, isMade) = try await platform.secrets.change(name) { stored in
            let now = now
            let kept = stored.bytes.flatMap(Self.decode)
            let (next, value) = body(kept.map { anchor($0, now) } ?? .replacingDamaged(at: now), now)
            return (StoredRecord.encode(next), (value, stored.bytes == nil))
        }
        // A key is deleted before its ledger: one that is deleted later takes this ledger with it.
        if isMade, await key() == .missing { try? await platform.secrets.delete(name) }
        return value
    }

    /// The ledger as it counts now. It is written where its pause starts anew, so that the pause can end.
    func current() async throws(Failure) -> Ledger { try await change { ledger, _ in (ledger, ledger) } }

    /// Reads the ledger without writing; nil where there is none, or where it is damaged.
    func peek() async throws(Failure) -> Ledger? {
        try await platform.secrets.readable(name).flatMap(Self.decode)
    }

    private static func decode(_ bytes: [UInt8]) -> Ledger? { try? JSONDecoder().decode(Ledger.self, from: Data(bytes)) }

    /// Writes an empty ledger, before its key is made: a key without a ledger would be paused.
    func create() async throws(Failure) {
        try await platform.secrets.write(StoredRecord.encode(Ledger()), as: name)
    }

    /// The time that the ledger counts by.
    var now: Moment { platform.moment(for: server) }
}
