#if Server
import Dispatch
import GRDB
import Synchronization

/// Brings what was committed from the write-ahead log into the database file, beside the writer. SQLite would have the writer do it
/// every thousand pages, and everybody would wait meanwhile.
///
/// A log begins anew only when all of it was brought over, which the writer outruns. So the writer brings over the little that came in
/// the meantime by itself, between two transactions.
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

    /// - Parameter interval: in commits. As it is, some thousand pages under load; when it is quiet nobody minds how long it takes.
    init(of path: String, every interval: Int = 500) throws {
        self.interval = interval
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        database = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Counts a commit, and begins where enough have come together.
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
            // What could not be brought over stays in the log, and is tried again.
            try? database.writeWithoutTransaction { _ = try $0.checkpoint(.passive) }
            state.withLock { state in
                state.isRunning = false
                state.isFinishing = true
            }
        }
    }

    /// The writer's part, outside of a transaction.
    func finish(_ pool: DatabasePool) {
        let isDue = state.withLock { state in
            defer { state.isFinishing = false }
            return state.isFinishing
        }
        if isDue { try? pool.writeWithoutTransaction { _ = try $0.checkpoint(.passive) } }
    }
}
#endif
