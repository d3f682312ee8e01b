#if Server
import Dispatch
import GRDB
import Synchronization

/// Copies committed pages from the write-ahead log into the database file, on a connection of its own. SQLite would let
/// the writer do it every thousand pages, and all requests would wait in the meantime.
///
/// SQLite reuses the log only when all of it has been copied, and under load the writer adds pages faster than that. So
/// the writer itself copies the few pages that were added in the meantime, between two transactions.
final class Checkpoints: Sendable {
    private let database: DatabaseQueue
    private let queue = DispatchQueue(label: "thumbturn.checkpoints")
    private let state = Mutex(State())

    private struct State {
        var commits = 0
        var isRunning = false
        var isFinishing = false
    }

    private let interval: Int

    /// The usual number of commits between two checkpoints: a few thousand pages under load.
    static let interval = 500

    init(of path: String, every interval: Int) throws {
        self.interval = interval
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        database = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Counts a commit, and starts a checkpoint after `interval` of them.
    func committed() {
        let begins = state.withLock { state in
            state.commits += 1
            guard state.commits >= interval, !state.isRunning else { return false }
            state.commits = 0
            state.isRunning = true
            return true
        }
        guard begins else { return }
        queue.async { [self] in
            // Pages that could not be copied stay in the log until the next checkpoint.
            try? database.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
            state.withLock { state in
                state.isRunning = false
                state.isFinishing = true
            }
        }
    }

    /// The writer's part of a checkpoint, outside of a transaction.
    func finish(_ pool: any DatabaseWriter) {
        let isDue = state.withLock { state in
            defer { state.isFinishing = false }
            return state.isFinishing
        }
        if isDue { try? pool.writeWithoutTransaction { _ = try $0.checkpoint(.passive) } }
    }
}
#endif
