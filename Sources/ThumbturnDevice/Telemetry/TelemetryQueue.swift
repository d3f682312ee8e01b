import Synchronization
public import ThumbturnCore
import ThumbturnMessages

/// Keeps reports of unlocks until a server has taken them: bounded, over a restart, and off by one switch.
///
///     var platform = platform
///     let telemetry = TelemetryQueue(in: TelemetryFile(in: folder), on: platform, isOn: settings.sharesStatistics)
///     platform.telemetry = telemetry
///     let auth = try Authenticator(server: url, platform: platform)
///     Task { await telemetry.run(through: ServerTelemetry(auth)) }
///
/// Reports go in batches: when 20 of them wait, when the oldest has waited for a quarter of an hour, when the app goes to the
/// back, and what an earlier process left at the start. A batch that was not taken goes again after 30 seconds, and after twice
/// as long each further time, up to an hour. Where there is no room for a report, the oldest ones are dropped.
///
/// A queue keeps the reports that its sender takes, and forgets all others: through the session of an account go the reports of
/// that account, as long as it is the same person's; see `TelemetrySender.scope`. For several accounts make a queue for each,
/// with a store of its own, and join them by `TelemetrySinks`.
///
/// A batch has a random name, and the device has one for each day of UTC, which is another one for each queue. Nothing else
/// names the device; see `TelemetryContext`.
public final class TelemetryQueue: TelemetrySink {
    /// The bounds of what is kept, and when a batch goes.
    public struct Limits: Hashable, Sendable {
        /// The most reports that wait.
        public var mostReports: Int
        /// The most bytes of JSON that wait.
        public var mostBytes: Int
        /// How many reports make a batch that goes at once.
        public var batch: Int
        /// How long a report waits for others.
        public var longestWait: Duration

        /// Makes bounds: by default 500 reports in 256 KiB, which are the unlocks of some weeks; batches of 20, within 15 minutes.
        public init(
            mostReports: Int = 500, mostBytes: Int = 256 * 1024, batch: Int = 20, longestWait: Duration = .seconds(900)
        ) {
            self.mostReports = min(max(mostReports, 1), 10_000)
            self.mostBytes = min(max(mostBytes, 1), 512 * 1024)
            self.batch = min(max(batch, 1), TelemetryBatch.mostUnlocks)
            self.longestWait = max(longestWait, .zero)
        }
    }

    private let store: any TelemetryStore
    private let clock: any DeviceClock
    private let phases: any AppPhases
    private let state: Mutex<State>
    /// Lets one change of the store through at a time, so that what is written last is what counts.
    private let gate = SerialGate()

    private struct State {
        var backlog: TelemetryBacklog
        var isOn: Bool
        var generator: any RandomNumberGenerator & Sendable
        /// Wakes the run; nil where none is under way.
        var mailbox: AsyncStream<Void>.Continuation?
        /// Whether the store may have something else than what waits.
        var isUnsaved = true
        /// Whether what an earlier process left was read, or deleted.
        var isLoaded = false
        /// The sending that is under way, by its number.
        var sending: (number: Int, task: Task<Void, Never>)?
        var lastNumber = 0
    }

    /// Makes a queue. It touches nothing before `run(through:)`.
    ///
    /// - Parameters:
    ///   - store: where reports wait over a restart.
    ///   - platform: the clock and the app's phases to use.
    ///   - isOn: whether the person, or the app, wants telemetry. The queue does not remember it.
    ///   - limits: the bounds.
    public convenience init(
        in store: any TelemetryStore, on platform: DevicePlatform, isOn: Bool, limits: Limits = Limits()
    ) {
        self.init(
            in: store, clock: platform.clock, phases: platform.phases, isOn: isOn, limits: limits,
            using: SystemRandomNumberGenerator())
    }

    package init(
        in store: any TelemetryStore, clock: any DeviceClock, phases: any AppPhases, isOn: Bool, limits: Limits = Limits(),
        using generator: any RandomNumberGenerator & Sendable
    ) {
        self.store = store
        self.clock = clock
        self.phases = phases
        state = Mutex(State(backlog: TelemetryBacklog(limits: limits), isOn: isOn, generator: generator))
    }

    /// Whether reports are taken.
    public var isOn: Bool { state.withLock { $0.isOn } }
    /// How many reports wait for a server.
    public var count: Int { state.withLock { $0.backlog.count } }
    /// How many reports were dropped since telemetry was switched on: for want of room, or because a server refused them. Reports
    /// that the sender does not take are not counted.
    public var dropped: Int { state.withLock { $0.backlog.dropped } }

    /// Takes a report, where telemetry is on. Waits for nothing.
    public func take(_ report: UnlockReport) {
        guard isOn else { return }
        let bytes = StrictJSON.encode(report).count
        state.withLock { state in
            guard state.isOn else { return }
            state.backlog.take(report, of: bytes, at: clock.now)
            state.isUnsaved = true
            state.mailbox?.yield()
        }
    }

    /// Switches telemetry on or off. Off deletes every report that waits, in memory and in the store, stops a batch that is on its
    /// way, and takes no more. On begins anew, with a new name of the day.
    ///
    /// Throws where the store could not be cleared; telemetry is off nevertheless, and `run(through:)` tries it again at
    /// its start and when the app goes to the back.
    public func set(isOn: Bool) async throws(Failure) {
        let (isChanged, stopped) = state.withLock { state -> (Bool, Task<Void, Never>?) in
            guard state.isOn != isOn || !isOn else { return (false, nil) }
            defer { state.sending = nil }
            // What an earlier process left is not read any more.
            (state.isOn, state.isLoaded, state.isUnsaved) = (isOn, true, true)
            state.backlog.clear()
            state.mailbox?.yield()
            return (true, state.sending?.task)
        }
        stopped?.cancel()
        if isChanged { try await save() }
    }
}

// MARK: - Running

extension TelemetryQueue {
    /// Goes on with what an earlier process left, keeps what is taken, and sends it, until the task is cancelled. While it runs,
    /// another call returns at once. A batch that is under way at the end goes again the next time, with its name.
    ///
    /// - Parameter sender: takes the batches. Reports that are not of its scope are deleted.
    public func run(through sender: any TelemetrySender) async {
        // Calls that come together are one.
        let (wakes, mailbox) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let isFirst = state.withLock { state in
            guard state.mailbox == nil else { return false }
            state.mailbox = mailbox
            return true
        }
        guard isFirst else { return }
        defer {
            let last = state.withLock { state in
                defer { (state.mailbox, state.sending) = (nil, nil) }
                return state.sending
            }
            last?.task.cancel()
        }
        mailbox.yield()
        await load()
        await withDiscardingTaskGroup { group in
            group.addTask { [self, phases] in
                for await phase in phases.phases() where phase == .back {
                    state.withLock { $0.backlog.hurry() }
                    mailbox.yield()
                }
            }
            var alarm: Instant?
            for await _ in wakes {
                let next = await step(through: sender, reportingTo: mailbox)
                // One timer for each time; one that comes in vain does nothing.
                guard let next, alarm.map({ $0 <= clock.now || next < $0 }) ?? true else { continue }
                alarm = next
                group.addTask { [clock] in
                    guard (try? await clock.sleep(until: next)) != nil else { return }
                    mailbox.yield()
                }
            }
            group.cancelAll()
        }
    }

    /// Forgets what the sender is not given, keeps what is new, and sends a batch that is due.
    ///
    /// - Returns: when the next one is due; nil where nothing waits, or a batch is under way.
    private func step(through sender: any TelemetrySender, reportingTo mailbox: AsyncStream<Void>.Continuation) async -> Instant?
    {
        let reports = await sender.scope.reports()
        let (today, now) = (today, clock.now)
        let (batch, next) = state.withLock { state -> (TelemetryBatch?, Instant?) in
            guard let reports else { return (nil, state.backlog.isEmpty ? nil : now.advanced(by: TelemetryBacklog.firstDelay)) }
            if state.backlog.keep(only: reports) { state.isUnsaved = true }
            guard state.isOn, state.sending == nil, let next = state.backlog.nextTry() else { return (nil, nil) }
            guard next <= now else { return (nil, next) }
            state.isUnsaved = true
            return (state.backlog.batch(of: reports, on: today, using: &state.generator), nil)
        }
        // The name of a batch is stored before it goes: after a crash the same one goes again, and counts once.
        try? await save()
        guard let batch, let reports else { return next }
        send(batch, of: reports, through: sender, reportingTo: mailbox)
        return nil
    }

    /// Sends a batch in a task of its own, because a sender may ignore its cancellation. What it answers then is dropped.
    private func send(
        _ batch: TelemetryBatch, of reports: TelemetryScope.Reports, through sender: any TelemetrySender,
        reportingTo mailbox: AsyncStream<Void>.Continuation
    ) {
        let (bytes, end) = (StrictJSON.encode(batch), clock.now.advanced(by: Self.longestSending))
        state.withLock { state in
            // Telemetry may have been switched off while the batch was stored, and on again.
            guard state.backlog.isPending(batch.id), state.sending == nil else { return }
            state.lastNumber += 1
            let number = state.lastNumber
            let task = Task(executorPreference: clock.executor) { [self] in
                let deadline = Task(executorPreference: clock.executor) { [self] in
                    guard (try? await clock.sleep(until: end)) != nil else { return }
                    settle(batch.id, .later(after: nil), ofSending: number)
                    mailbox.yield()
                }
                // The account may have got another owner while the batch was stored, whose session must not send it.
                let isTheirs = await sender.scope.reports() == reports
                let answer = isTheirs ? await sender.send(bytes) : .later(after: nil)
                deadline.cancel()
                settle(batch.id, answer, ofSending: number)
                mailbox.yield()
            }
            state.sending = (number, task)
        }
    }

    private func settle(_ id: TelemetryBatch.Name, _ answer: TelemetryAnswer, ofSending number: Int) {
        let late = state.withLock { state -> Task<Void, Never>? in
            guard let sending = state.sending, sending.number == number else { return nil }
            (state.sending, state.isUnsaved) = (nil, true)
            state.backlog.settle(id, answer, at: clock.now, using: &state.generator)
            return sending.task
        }
        // Its deadline is over, or it has ended by itself.
        late?.cancel()
    }

    /// The longest time of one batch on its way.
    private static let longestSending = Duration.seconds(60)

    /// The day of UTC, by the device's own clock.
    private var today: Int64 { Int64((Double(clock.civilTime.seconds) / 86_400).rounded(.down)) }
}

// MARK: - The store

extension TelemetryQueue {
    /// Reads what an earlier process left. What is damaged counts as nothing.
    private func load() async {
        guard state.withLock({ !$0.isLoaded && $0.isOn }) else { return }
        let bytes = (try? await store.read()) ?? nil
        let stored = bytes.flatMap { try? StrictJSON.decodeIgnoringUnknown(TelemetryBacklog.Stored.self, from: $0) }
        state.withLock { state in
            guard !state.isLoaded, state.isOn else { return }
            state.isLoaded = true
            if let stored { state.backlog.restore(stored, on: today, boot: clock.boot, at: clock.now) }
        }
    }

    /// Stores what waits now. Where that fails, as on a full disk, an older record is deleted: reports that were sent since must
    /// not go again.
    private func save() async throws(Failure) {
        try await gate.serialised { () async throws(Failure) in
            let (isUnsaved, stored) = state.withLock { state in
                defer { state.isUnsaved = false }
                let isKept = state.isOn && !state.backlog.isEmpty
                return (state.isUnsaved, isKept ? state.backlog.stored(on: today, boot: clock.boot) : nil)
            }
            guard isUnsaved else { return }
            do throws(Failure) {
                guard let stored else { return try await store.delete() }
                do throws(Failure) { try await store.write(StrictJSON.encode(stored)) } catch { try await store.delete() }
            } catch {
                state.withLock { $0.isUnsaved = true }
                throw error
            }
        }
    }
}

extension TelemetryQueue.Limits: CustomStringConvertible {
    /// For example `500 reports, 262144 bytes; batches of 20 within 900.0 seconds`.
    public var description: String { "\(mostReports) reports, \(mostBytes) bytes; batches of \(batch) within \(longestWait)" }
}
