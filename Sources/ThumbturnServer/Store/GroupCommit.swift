#if Server
import Dispatch
import GRDB
import Synchronization
import ThumbturnCore

/// One writer, one transaction for everything that waits: while a commit is being synced, the next requests gather and share
/// the following one. Each request has a savepoint of its own, so one that fails takes no other with it. No request is answered
/// before its COMMIT has returned, and a COMMIT that fails refuses the whole batch.
final class GroupCommit: Sendable {
    typealias Work<Value> = @Sendable (Database, _ now: UnixTime) throws -> Value

    private let pool: DatabasePool
    private let time: NodeTime
    private let queue = DispatchQueue(label: "thumbturn.writer")
    private let waiting = Mutex(Waiting())

    private struct Waiting {
        var jobs: [Job] = []
        var isDraining = false
    }

    /// Runs inside the transaction, and returns what to do once it is known how the commit went.
    private struct Job: Sendable {
        let run: @Sendable (Database, UnixTime) -> @Sendable ((any Error)?) -> Void
        let refuse: @Sendable (any Error) -> Void
    }

    /// A batch holds this many requests at most, so that the first does not wait for a crowd.
    private static let largestBatch = 256

    init(pool: DatabasePool, time: NodeTime) {
        self.pool = pool
        self.time = time
    }

    /// How many requests wait for the next transaction.
    var waitingCount: Int { waiting.withLock { $0.jobs.count } }

    func write<Value: Sendable>(_ work: @escaping Work<Value>) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let run: @Sendable (Database, UnixTime) -> @Sendable ((any Error)?) -> Void = { db, now in
                let result = Result<Value, any Error> {
                    // As GRDB's own savepoints, but with statements that are compiled once. Where SQLite has ended the transaction by
                    // itself, a savepoint would begin another one.
                    guard db.isInsideTransaction else { throw StoreError.transactionEnded }
                    try db.cachedStatement(sql: "SAVEPOINT job").execute()
                    do {
                        let value = try work(db, now)
                        try db.cachedStatement(sql: "RELEASE job").execute()
                        return value
                    } catch {
                        try? db.execute(sql: "ROLLBACK TO job; RELEASE job")
                        throw error
                    }
                }
                return { failedCommit in
                    if let failedCommit {
                        continuation.resume(throwing: failedCommit)
                    } else {
                        continuation.resume(with: result)
                    }
                }
            }
            let job = Job(run: run, refuse: { continuation.resume(throwing: $0) })
            let starts = waiting.withLock { waiting in
                waiting.jobs.append(job)
                defer { waiting.isDraining = true }
                return !waiting.isDraining
            }
            if starts { queue.async { self.drain() } }
        }
    }

    private func drain() {
        while let batch = nextBatch() { commit(batch) }
    }

    private func nextBatch() -> [Job]? {
        waiting.withLock { waiting in
            guard !waiting.jobs.isEmpty else {
                waiting.isDraining = false
                return nil
            }
            let batch = Array(waiting.jobs.prefix(Self.largestBatch))
            waiting.jobs.removeFirst(batch.count)
            return batch
        }
    }

    private func commit(_ batch: [Job]) {
        var completions: [@Sendable ((any Error)?) -> Void] = []
        var failure: (any Error)?
        do {
            try pool.writeWithoutTransaction { db in
                try db.inTransaction(.immediate) {
                    let now = try Schema.advanceClock(db, to: time.now)
                    time.observe(now)
                    completions = batch.map { $0.run(db, now) }
                    return .commit
                }
            }
        } catch {
            failure = error
        }
        // Jobs that never ran, because the transaction could not begin, are told so through the same door.
        if completions.isEmpty, let failure {
            for job in batch { job.refuse(failure) }
            return
        }
        for complete in completions { complete(failure) }
    }
}

enum StoreError: Error {
    /// The file was not opened as it must be.
    case notDurable
    /// SQLite ended the transaction by itself, for want of room for example.
    case transactionEnded
}
#endif
