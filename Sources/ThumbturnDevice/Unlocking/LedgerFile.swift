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

    /// Reads the ledger as it counts now. One that is damaged or gone, and one whose time cannot be told, is written
    /// anew, so that its pause can end.
    func read() async throws(Failure) -> Ledger {
        let now = now
        let bytes = try await platform.secrets.read(name)
        let stored = bytes.flatMap { try? JSONDecoder().decode(Ledger.self, from: Data($0)) }
        let ledger = stored.map { anchor($0, now) } ?? .replacingDamaged(at: now)
        if ledger != stored { try await write(ledger) }
        return ledger
    }

    /// Reads the ledger without writing; nil where there is none, or where it is damaged.
    func peek() async throws(Failure) -> Ledger? {
        guard let bytes = try await platform.secrets.read(name) else { return nil }
        return try? JSONDecoder().decode(Ledger.self, from: Data(bytes))
    }

    func write(_ ledger: Ledger) async throws(Failure) {
        try await platform.secrets.write(StoredRecord.encode(ledger), as: name)
    }

    /// The time that the ledger counts by.
    var now: Moment { platform.moment(for: server) }
}
