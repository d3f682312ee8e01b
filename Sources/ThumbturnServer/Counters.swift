#if Server
import Synchronization

/// What a node has done since it started.
package final class Counters: Sendable {
    let verifications = Atomic(0)
    let tokens = Atomic(0)
    let spends = Atomic(0)
    let sessions = Atomic(0)
    let refreshes = Atomic(0)

    /// The counts, for a benchmark to compare with its own.
    package struct Report: Codable, Sendable {
        /// ES256 signatures that were verified: proofs and DPoP proofs.
        package var verifications: Int
        /// Access tokens that were signed.
        package var tokens: Int
        /// Challenges that paid for a session.
        package var spends: Int
        package var sessions: Int
        package var refreshes: Int
        /// SQLite's `synchronous` of the writing connection: 2 is FULL.
        package var synchronous: Int
    }
}

extension Atomic<Int> {
    func count() { wrappingAdd(1, ordering: .relaxed) }
    var total: Int { load(ordering: .relaxed) }
}

extension Server {
    package func counts() throws -> Counters.Report {
        let counters = service.counters
        return Counters.Report(
            verifications: counters.verifications.total, tokens: counters.tokens.total, spends: counters.spends.total,
            sessions: counters.sessions.total, refreshes: counters.refreshes.total,
            synchronous: try service.store.durability().synchronous ?? 0
        )
    }

    /// Enrols devices without a ticket, for a benchmark that needs thousands of them. Each has a session key and a biometric key.
    package func enrolForLoad(_ devices: [[NewDevice.Key]]) async throws {
        let account = Account(id: .random(), name: "load \(AccountID.random().text)", passwordHash: "")
        guard try await service.store.addAccount(account) else { return }
        try await withThrowingTaskGroup { tasks in
            for keys in devices {
                tasks.addTask {
                    let device = NewDevice(
                        id: .random(), account: account.id, name: "Load", sessionJKT: keys[0].kid, keys: keys, coolOff: .zero
                    )
                    _ = try await service.store.enrol(device, spending: [])
                }
            }
            try await tasks.waitForAll()
        }
    }
}
#endif
