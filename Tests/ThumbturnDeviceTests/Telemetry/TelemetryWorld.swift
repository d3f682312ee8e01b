import Foundation
import Synchronization
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
@testable import ThumbturnDevice

/// A store and a server for queues of reports, in virtual time.
final class TelemetryWorld: Sendable {
    let clock = VirtualClock()
    let store = Store()
    let sender: Sender
    let phases = Broadcaster<AppPhase>(.front)
    static let seed: UInt64 = 20_260_101

    init() { sender = Sender(clock: clock) }

    /// A queue as a new process makes it.
    func queue(isOn: Bool = true, _ limits: TelemetryQueue.Limits = .init(), seed: UInt64 = TelemetryWorld.seed) -> TelemetryQueue
    {
        TelemetryQueue(
            in: store, clock: clock, phases: Phases(phases), isOn: isOn, limits: limits, using: SeededGenerator(seed: seed))
    }

    /// Runs a story beside a queue's run, which ends with it, as a killed process does.
    func running(_ queue: TelemetryQueue, _ story: @escaping @Sendable () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { [sender] in await queue.run(through: sender) }
            try await story()
            group.cancelAll()
        }
    }

    func pass(_ duration: Duration) async throws { try await clock.sleep(until: clock.now.advanced(by: duration)) }

    /// What is stored, as a process would read it.
    var stored: TelemetryBacklog.Stored? {
        store.record.flatMap { try? StrictJSON.decodeIgnoringUnknown(TelemetryBacklog.Stored.self, from: $0) }
    }

    static func report(_ number: Int, of owner: ReportOwner? = nil) -> UnlockReport {
        var report = UnlockReport(
            [.hintShown, .retry(number % 1000)], began: UnixTime(seconds: Int64(number)), in: .init(policy: "unlock"))
        report.owner = owner
        return report
    }

    /// The numbers of a batch's reports.
    static func numbers(_ batch: TelemetryBatch) -> [Int] { batch.unlocks.map { Int($0.began.seconds) } }

    final class Store: TelemetryStore {
        private let state = Mutex((record: [UInt8]?.none, isFull: false, isBroken: false, writes: 0))
        private let afterWrite = Mutex<@Sendable () -> Void>({})

        var record: [UInt8]? {
            get { state.withLock { $0.record } }
            set { state.withLock { $0.record = newValue } }
        }
        /// Nothing can be written; with `isBroken` nothing can be deleted either.
        func fill(_ isFull: Bool, isBroken: Bool = false) { state.withLock { ($0.isFull, $0.isBroken) = (isFull, isBroken) } }
        var writes: Int { state.withLock { $0.writes } }
        /// What happens right after each write.
        func afterWrites(_ act: @escaping @Sendable () -> Void) { afterWrite.withLock { $0 = act } }

        func read() -> [UInt8]? { record }
        func write(_ record: [UInt8]) throws(Failure) {
            let isFull = state.withLock { state in
                state.writes += 1
                if !state.isFull { state.record = record }
                return state.isFull
            }
            if isFull { throw Failure(.platform, status: .init(domain: "POSIX", code: 28)) }
            afterWrite.withLock { $0 }()
        }
        func delete() throws(Failure) {
            let isBroken = state.withLock { state in
                if !state.isBroken { state.record = nil }
                return state.isBroken
            }
            if isBroken { throw Failure(.platform) }
        }
    }

    /// Answers each batch as it is told to, otherwise with `taken`.
    final class Sender: TelemetrySender {
        private let clock: VirtualClock
        private let state = Mutex(State())

        private struct State {
            var sent: [(batch: TelemetryBatch, at: Instant, bytes: [UInt8])] = []
            var scope = TelemetryScope.everyone
            var answers: [TelemetryAnswer] = []
            var usual = TelemetryAnswer.taken
            var time = Duration.zero
            var ignoresCancellation = false
            var cancelled = 0
        }

        init(clock: VirtualClock) { self.clock = clock }

        var batches: [TelemetryBatch] { state.withLock { $0.sent.map(\.batch) } }
        var times: [Instant] { state.withLock { $0.sent.map(\.at) } }
        var bodies: [[UInt8]] { state.withLock { $0.sent.map(\.bytes) } }
        var scope: TelemetryScope { state.withLock { $0.scope } }
        /// Takes the reports of these owners only; nil while the owners cannot be read.
        func takes(only owners: @escaping @Sendable () -> Set<ReportOwner>?) {
            state.withLock { $0.scope = .only { owners() } }
        }
        var cancelled: Int { state.withLock { $0.cancelled } }
        func next(_ answers: TelemetryAnswer...) { state.withLock { $0.answers += answers } }
        func always(_ answer: TelemetryAnswer) { state.withLock { $0.usual = answer } }
        func takeTime(_ time: Duration, ignoringCancellation: Bool = false) {
            state.withLock { ($0.time, $0.ignoresCancellation) = (time, ignoringCancellation) }
        }

        func send(_ bytes: [UInt8]) async -> TelemetryAnswer {
            let batch = try? JSONDecoder().decode(TelemetryBatch.self, from: Data(bytes))
            let (answer, time, ignores) = state.withLock { state in
                if let batch { state.sent.append((batch, clock.now, bytes)) }
                return (state.answers.isEmpty ? state.usual : state.answers.removeFirst(), state.time, state.ignoresCancellation)
            }
            guard batch != nil else {
                Issue.record("no batch: \(String(decoding: bytes, as: UTF8.self))")
                return .refused
            }
            if time > .zero {
                let end = clock.now.advanced(by: time)
                if ignores {
                    await Task(executorPreference: clock.executor) { [clock] in try? await clock.sleep(until: end) }.value
                } else if (try? await clock.sleep(until: end)) == nil {
                    state.withLock { $0.cancelled += 1 }
                    return .later(after: nil)
                }
            }
            return answer
        }
    }

    private struct Phases: AppPhases {
        let broadcaster: Broadcaster<AppPhase>
        init(_ broadcaster: Broadcaster<AppPhase>) { self.broadcaster = broadcaster }
        func phases() -> AsyncStream<AppPhase> { broadcaster.stream() }
    }
}
