import Dispatch
import Foundation
import Synchronization
public import ThumbturnCore
public import ThumbturnDevice

/// A clock that stands still while code runs, and jumps to the next wake when all of it waits.
///
/// `run` executes its body on one thread. As soon as no part of it can continue, the clock moves to the next wake; so
/// twelve seconds of waiting take no time, and the order of events is the same in every run.
public final class VirtualClock: DeviceClock {
    private let state: Mutex<State>
    private let loop = Loop()

    private struct State {
        var now: Instant
        var civil: UnixTime
        var boot = "first boot"
        var sleepers: [Int: Sleeper] = [:]
        var nextSleeper = 0
        /// How much work goes on outside, for which time stands still.
        var outside = 0
    }

    private struct Sleeper {
        var wake: Instant
        var continuation: CheckedContinuation<Void, any Error>
    }

    /// Creates a clock that stands at this civil time.
    public init(civilTime: UnixTime = UnixTime(seconds: 1_800_000_000)) {
        state = Mutex(State(now: Instant(sinceOrigin: .seconds(1000)), civil: civilTime))
    }

    public var now: Instant { state.withLock { $0.now } }
    public var civilTime: UnixTime { state.withLock { $0.civil } }

    /// The identity of the boot. Setting another one simulates a restart of the device.
    public var boot: String {
        get { state.withLock { $0.boot } }
        set { state.withLock { $0.boot = newValue } }
    }

    public var executor: (any TaskExecutor)? { loop }

    /// Sets the civil clock, as a person or the network may. Monotonic time does not move.
    public func setCivilTime(_ time: UnixTime) {
        state.withLock { $0.civil = time }
    }

    /// Moves time forward and wakes every sleeper that is due, earliest first.
    public func advance(by duration: Duration) {
        move(to: now.advanced(by: duration))
    }

    public func sleep(until instant: Instant) async throws {
        let id = state.withLock { state in
            state.nextSleeper += 1
            return state.nextSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    if instant <= state.now || Task.isCancelled { return true }
                    state.sleepers[id] = Sleeper(wake: instant, continuation: continuation)
                    return false
                }
                guard isOver else { return }
                if Task.isCancelled {
                    continuation.resume(throwing: CancellationError())
                } else {
                    continuation.resume()
                }
            }
        } onCancel: {
            let sleeper = state.withLock { $0.sleepers.removeValue(forKey: id) }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Runs the body in virtual time and returns its result.
    ///
    /// The body must wait only for this clock or for its own work: while it waits for real input or output, the clock
    /// would jump. Child tasks are its own work. A task that it starts is, where it is started with this clock's executor:
    /// `Task(executorPreference: clock.executor) { … }`; a plain `Task { … }` runs elsewhere, and the clock may jump while it
    /// works.
    ///
    /// - Parameters:
    ///   - mainActorToo: whether work on the main actor counts as the body's, as in tests of view models. The main
    ///     thread must be free for it.
    ///   - body: the code to run.
    public func run<Result: Sendable>(
        mainActorToo: Bool = false, _ body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let loop = loop
        let finished = Flag()
        // Created here, so that it inherits the caller's task-local values.
        let task = Task(executorPreference: loop) {
            defer { finished.raise() }
            return try await body()
        }
        Thread.detachNewThread {
            loop.run(until: { finished.isRaised }, whenIdle: { (mainActorToo && loop.waitsForMain()) || self.wakeNext() })
        }
        return try await task.value
    }

    /// Does work that waits for other threads or for input and output: time does not move meanwhile.
    package func outside<Result: Sendable>(_ work: () async throws -> Result) async rethrows -> Result {
        state.withLock { $0.outside += 1 }
        defer { state.withLock { $0.outside -= 1 } }
        return try await work()
    }

    /// How much work goes on outside now.
    package var workOutside: Int { state.withLock { $0.outside } }

    /// The same thread, as an executor for actors.
    package var serialExecutor: any SerialExecutor { loop.serial }

    /// Moves time to the next wake. False if there are no sleepers, or work goes on outside.
    private func wakeNext() -> Bool {
        let next = state.withLock { state in state.outside > 0 ? nil : state.sleepers.values.map(\.wake).min() }
        guard let next else { return false }
        move(to: next)
        return true
    }

    private func move(to target: Instant) {
        while true {
            let due: Sleeper? = state.withLock { state in
                let first = state.sleepers.min { ($0.value.wake, $0.key) < ($1.value.wake, $1.key) }
                guard let (id, sleeper) = first, sleeper.wake <= target else {
                    Self.advance(&state, to: target)
                    return nil
                }
                Self.advance(&state, to: sleeper.wake)
                state.sleepers[id] = nil
                return sleeper
            }
            guard let due else { return }
            due.continuation.resume()
        }
    }

    private static func advance(_ state: inout State, to instant: Instant) {
        guard instant > state.now else { return }
        // Civil time has whole seconds: it moves by the seconds that monotonic time completes.
        let before = state.now.sinceOrigin.components.seconds
        state.now = instant
        state.civil = state.civil + .seconds(instant.sinceOrigin.components.seconds - before)
    }

    private final class Flag: Sendable {
        private let flag = Mutex(false)
        var isRaised: Bool { flag.withLock { $0 } }
        func raise() { flag.withLock { $0 = true } }
    }
}

/// The jobs of one thread, in order, with a callback when there are none.
private final class Loop: TaskExecutor, @unchecked Sendable {
    private let condition = NSCondition()
    /// The waiting jobs, each with whether an actor enqueued it.
    private var jobs: [(job: UnownedJob, isSerial: Bool)] = []
    private(set) lazy var serial = Serial(loop: self)

    /// The same thread as a serial executor.
    final class Serial: SerialExecutor {
        private unowned let loop: Loop
        init(loop: Loop) { self.loop = loop }
        func enqueue(_ job: consuming ExecutorJob) { loop.append(UnownedJob(job), isSerial: true) }
    }

    func enqueue(_ job: consuming ExecutorJob) { append(UnownedJob(job), isSerial: false) }

    private func append(_ job: UnownedJob, isSerial: Bool) {
        condition.lock()
        jobs.append((job, isSerial))
        condition.signal()
        condition.unlock()
    }

    /// Lets the main actor finish its jobs and the ones that follow from them. True where this produced work for the
    /// loop.
    ///
    /// Each round stands behind the jobs that the one before it found. The rounds follow each other on the main queue, and this
    /// thread waits once: a busy machine makes every switch between threads slow.
    func waitsForMain() -> Bool {
        let isOver = DispatchSemaphore(value: 0)
        @Sendable func look(_ rounds: Int) {
            DispatchQueue.main.async {
                if rounds == 1 || self.hasJobs { isOver.signal() } else { look(rounds - 1) }
            }
        }
        look(64)
        isOver.wait()
        return hasJobs
    }

    private var hasJobs: Bool {
        condition.lock()
        defer { condition.unlock() }
        return !jobs.isEmpty
    }

    func run(until isDone: () -> Bool, whenIdle: () -> Bool) {
        while true {
            condition.lock()
            let job = jobs.isEmpty ? nil : jobs.removeFirst()
            condition.unlock()
            if let (job, isSerial) = job {
                if isSerial {
                    unsafe job.runSynchronously(
                        isolatedTo: serial.asUnownedSerialExecutor(), taskExecutor: asUnownedTaskExecutor())
                } else {
                    unsafe job.runSynchronously(on: asUnownedTaskExecutor())
                }
                continue
            }
            if isDone() { return }
            if whenIdle() { continue }
            // Without sleepers and jobs only code outside the loop can continue.
            condition.lock()
            while jobs.isEmpty, !isDone() { _ = condition.wait(until: Date(timeIntervalSinceNow: 0.01)) }
            condition.unlock()
        }
    }
}
