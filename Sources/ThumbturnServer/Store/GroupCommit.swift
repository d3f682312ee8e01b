#if Server
import CoreMetrics
import Dispatch
import Foundation
import Synchronization
import ThumbturnCore

/// The only writer of this process: it commits all waiting requests in one transaction.
///
/// While a commit is being synced, the next requests gather and share the following one. A request that fails does not
/// fail the others: the transaction is rolled back, and all of them run once more, each in a savepoint of its own. No
/// request is answered before its COMMIT has returned, and a COMMIT that fails refuses the whole batch.
///
/// After a commit that several requests shared, the next one begins at least two milliseconds after the start of that
/// one. A commit takes about as much processor time as judging a sign-in, whether it has one request or ten. Requests
/// that come one by one never wait for others.
final class GroupCommit: Sendable {
    typealias Work<Value> = @Sendable (Database, _ now: UnixTime) throws -> Value

    private let pool: any SQLPool
    private let time: NodeTime
    /// The secrets that this process has. It writes with no others.
    private let edition: Mutex<SecretsEdition>
    private let queue = DispatchQueue(label: "thumbturn.writer")
    private let waiting = Mutex(Waiting())

    /// The number of committed transactions.
    let commits = Atomic(0)

    private struct Waiting {
        var jobs: [Job] = []
        var isDraining = false
    }

    private typealias Completion = @Sendable () -> Void

    private struct Job: Sendable {
        /// Runs inside the transaction, possibly for the second time, and returns the completion to call after the
        /// commit. It throws only without a savepoint.
        let run: @Sendable (Database, Schema.Tick, _ inSavepoint: Bool) throws -> Completion
        let refuse: @Sendable (any Error) -> Void
    }

    /// The time between the starts of two commits while several requests share each of them.
    private let spacing: Duration
    private let pause: @Sendable (Duration) -> Void
    /// How long each transaction takes, for the operator.
    private let times: CoreMetrics.Timer
    /// The earliest start of the next commit.
    private let earliest = Mutex<ContinuousClock.Instant?>(nil)

    init(
        pool: any SQLPool, time: NodeTime, edition: SecretsEdition,
        times: CoreMetrics.Timer = .ofTransactions(NOOPMetricsHandler.instance),
        spacing: Duration = .milliseconds(2),
        pause: @escaping @Sendable (Duration) -> Void = { Thread.sleep(forTimeInterval: $0 / .seconds(1)) }
    ) {
        self.pool = pool
        self.spacing = spacing
        self.pause = pause
        self.times = times
        self.time = time
        self.edition = Mutex(edition)
    }

    /// The number of requests that wait for the next transaction.
    var waitingCount: Int { waiting.withLock { $0.jobs.count } }

    var currentEpoch: Int64 { currentEdition.epoch }

    private var currentEdition: SecretsEdition { edition.withLock { $0 } }

    /// Runs `work` in a transaction that other requests may share, and returns when it is committed.
    ///
    /// - Parameters:
    ///   - adopting: whether the work reads the secrets that it finds, which become this process's.
    ///   - work: may run twice, so it may change nothing but the database.
    func write<Value: Sendable>(adopting: Bool = false, _ work: @escaping Work<Value>) async throws -> Value {
        if let interlude = Interlude.beforeWrite { await interlude.run() }
        let network = AuditOrigin.current.network
        return try await withCheckedThrowingContinuation { continuation in
            let run: @Sendable (Database, Schema.Tick, Bool) throws -> Completion = { db, tick, inSavepoint in
                let origin = AuditOrigin(network: network, end: tick.audit)
                let checked = {
                    guard adopting || tick.edition == self.currentEdition else { throw StoreError.anotherEpoch }
                    return try AuditOrigin.$current.withValue(origin) { try work(db, tick.now) }
                }
                let result: Result<Value, any Error>
                do {
                    result = .success(
                        inSavepoint
                            ? try Self.inSavepoint(of: db, tick.audit, checked) : try Self.inTransaction(of: db, checked))
                } catch  where inSavepoint && (error as? SQLError)?.endsTransaction != true {
                    result = .failure(error)
                }
                return {
                    if adopting, case .success = result { self.edition.withLock { $0 = tick.edition } }
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

    /// Throws if the database has ended the transaction by itself. A statement would then be committed at once, and a
    /// savepoint would begin another transaction.
    private static func inTransaction<Value>(of db: Database, _ work: () throws -> Value) throws -> Value {
        guard db.isInsideTransaction else { throw StoreError.transactionEnded }
        return try work()
    }

    private static func inSavepoint<Value>(
        of db: Database, _ audit: AuditEnd, _ work: () throws -> Value
    ) throws -> Value {
        try inTransaction(of: db) {
            let end = audit.head
            try db.run(sql: "SAVEPOINT job")
            do {
                let value = try work()
                try db.run(sql: "RELEASE job")
                return value
            } catch {
                try? db.run(sql: "ROLLBACK TO job")
                try? db.run(sql: "RELEASE job")
                audit.rollBack(to: end)
                throw error
            }
        }
    }

    private func drain() {
        while true {
            waitForOthers()
            guard let batch = nextBatch() else { return }
            earliest.withLock { $0 = batch.count > 1 ? .now + spacing : nil }
            let start = ContinuousClock.now
            commit(batch)
            times.record(.now - start)
            pool.tidy()
        }
    }

    private func waitForOthers() {
        guard let rest = earliest.withLock({ $0.map { $0 - .now } }), rest > .zero else { return }
        pause(rest)
    }

    private func nextBatch() -> [Job]? {
        waiting.withLock { waiting in
            guard !waiting.jobs.isEmpty else {
                waiting.isDraining = false
                return nil
            }
            let batch = Array(waiting.jobs.prefix(Limits.batch))
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
        let (completions, number) = try pool.write { db in
            let epoch = currentEpoch
            let tick = try Schema.tick(db, at: time.now, in: epoch)
            try pool.check(tick.commits)
            if tick.edition.epoch == epoch {
                try time.observe(tick.now)
            } else {
                time.follow(epoch: tick.edition.epoch, at: tick.now)
            }
            var completions: [Completion] = []
            completions.reserveCapacity(batch.count)
            for job in batch {
                do {
                    completions.append(try job.run(db, tick, inSavepoints))
                } catch let error as SQLError where error.endsTransaction {
                    // The fault is not the request's.
                    throw error
                } catch {
                    throw JobFailed(error: error)
                }
            }
            try tick.audit.save(in: db)
            return (completions, tick.commits)
        }
        pool.committed(number)
        return completions
    }
}
#endif
