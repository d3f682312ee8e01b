#if Server
import Dispatch
import Foundation
import GRDB
import Synchronization
import ThumbturnCore

/// One writer, one transaction for everything that waits: while a commit is being synced, the next requests gather and share
/// the following one. A request that fails takes no other with it: the transaction is taken back, and all of them run once more, each
/// in a savepoint of its own. No request is answered before its COMMIT has returned, and a COMMIT that fails refuses the whole batch.
///
/// Where several shared a commit, the next one begins two milliseconds after it began, at the earliest: a commit costs about as much
/// processor time as judging a sign-in, whether it has one request or ten. Where requests come one by one, none of them waits for others.
final class GroupCommit: Sendable {
    typealias Work<Value> = @Sendable (Database, _ now: UnixTime) throws -> Value

    private let pool: DatabasePool
    private let time: NodeTime
    private let mark: CommitMark
    private let checkpoints: Checkpoints
    /// The epoch whose secrets this process has. Nothing is written in another one.
    private let epoch: Mutex<Int64>
    private let queue = DispatchQueue(label: "thumbturn.writer")
    private let waiting = Mutex(Waiting())

    /// The transactions that were committed.
    let commits = Atomic(0)

    private struct Waiting {
        var jobs: [Job] = []
        var isDraining = false
    }

    private typealias Completion = @Sendable () -> Void

    private struct Job: Sendable {
        /// Runs inside the transaction, perhaps for the second time, and returns what to do once it is committed. Throws
        /// only where it has no savepoint.
        let run: @Sendable (Database, Schema.Tick, _ inSavepoint: Bool) throws -> Completion
        let refuse: @Sendable (any Error) -> Void
    }

    /// A batch holds this many requests at most, so that the first does not wait for a crowd.
    private static let largestBatch = 256

    /// The time between the beginnings of two commits, where there is a crowd.
    private let spacing: Duration
    private let pause: @Sendable (Duration) -> Void
    /// No commit begins earlier.
    private let earliest = Mutex<ContinuousClock.Instant?>(nil)

    init(
        pool: DatabasePool, time: NodeTime, mark: CommitMark, checkpoints: Checkpoints, epoch: Int64,
        spacing: Duration = .milliseconds(2),
        pause: @escaping @Sendable (Duration) -> Void = { Thread.sleep(forTimeInterval: $0 / .seconds(1)) }
    ) {
        self.pool = pool
        self.spacing = spacing
        self.pause = pause
        self.checkpoints = checkpoints
        self.time = time
        self.mark = mark
        self.epoch = Mutex(epoch)
    }

    /// How many requests wait for the next transaction.
    var waitingCount: Int { waiting.withLock { $0.jobs.count } }

    var currentEpoch: Int64 { epoch.withLock { $0 } }

    /// Runs `work` in a transaction with others', and returns when it is committed.
    ///
    /// - Parameters:
    ///   - adopting: the work reads the secrets of the epoch that it finds, and from now on that is ours.
    ///   - work: may run twice, so it touches nothing but the database.
    func write<Value: Sendable>(adopting: Bool = false, _ work: @escaping Work<Value>) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let run: @Sendable (Database, Schema.Tick, Bool) throws -> Completion = { db, tick, inSavepoint in
                let checked = {
                    guard adopting || tick.epoch == self.currentEpoch else { throw StoreError.anotherEpoch }
                    return try work(db, tick.now)
                }
                let result: Result<Value, any Error> =
                    inSavepoint
                    ? Result { try Self.inSavepoint(of: db, checked) }
                    : .success(try Self.inTransaction(of: db, checked))
                return {
                    if adopting, case .success = result { self.epoch.withLock { $0 = tick.epoch } }
                    continuation.resume(with: result)
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

    /// Where SQLite has ended the transaction by itself, a statement would stand alone, and a savepoint would begin another transaction.
    private static func inTransaction<Value>(of db: Database, _ work: () throws -> Value) throws -> Value {
        guard db.isInsideTransaction else { throw StoreError.transactionEnded }
        return try work()
    }

    private static func inSavepoint<Value>(of db: Database, _ work: () throws -> Value) throws -> Value {
        try inTransaction(of: db) {
            try db.execute(sql: "SAVEPOINT job")
            do {
                let value = try work()
                try db.execute(sql: "RELEASE job")
                return value
            } catch {
                try? db.execute(sql: "ROLLBACK TO job; RELEASE job")
                throw error
            }
        }
    }

    private func drain() {
        while true {
            waitForCompany()
            guard let batch = nextBatch() else { return }
            earliest.withLock { $0 = batch.count > 1 ? .now + spacing : nil }
            commit(batch)
            checkpoints.finish(pool)
        }
    }

    private func waitForCompany() {
        guard let rest = earliest.withLock({ $0.map { $0 - .now } }), rest > .zero else { return }
        pause(rest)
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
        var completions: [Completion] = []
        var failure: (any Error)?
        do {
            do {
                completions = try commit(batch, inSavepoints: false)
            } catch let failed as JobFailed {
                guard batch.count > 1 else { throw failed.error }
                completions = try commit(batch, inSavepoints: true)
            }
            commits.count()
        } catch {
            failure = error
        }
        guard let failure else {
            for complete in completions { complete() }
            return
        }
        for job in batch { job.refuse(failure) }
    }

    private struct JobFailed: Error {
        let error: any Error
    }

    private func commit(_ batch: [Job], inSavepoints: Bool) throws -> [Completion] {
        var completions: [Completion] = []
        completions.reserveCapacity(batch.count)
        var number: Int64 = 0
        try pool.writeWithoutTransaction { db in
            try db.inTransaction(.immediate) {
                let tick = try Schema.tick(db, at: time.now)
                time.observe(tick.now)
                number = tick.commits
                for job in batch {
                    do {
                        completions.append(try job.run(db, tick, inSavepoints))
                    } catch {
                        throw JobFailed(error: error)
                    }
                }
                return .commit
            }
        }
        mark.record(number)
        checkpoints.committed()
        return completions
    }
}

enum StoreError: Error {
    /// The file was not opened as it must be.
    case notDurable
    /// SQLite ended the transaction by itself, for want of room for example.
    case transactionEnded
    /// The database was restored while this process ran, and its secrets are not read again yet. Nothing was written.
    case anotherEpoch
}
#endif
