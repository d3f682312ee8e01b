import ThumbturnCore
import ThumbturnMessages

/// The reports of a device that no server has taken yet, in their order, and when the next batch of them goes.
///
/// It is bounded in reports and in bytes: the oldest ones make room for new ones, and are counted. No time but the monotonic
/// one decides anything, so a clock that the person sets delays nothing; civil time only names the day.
struct TelemetryBacklog {
    /// A report with its size and when it was taken.
    private struct Kept {
        var report: UnlockReport
        /// The bytes of its JSON.
        var size: Int
        var taken: Instant
    }

    /// The batch that the first reports are sent in. It keeps its name until it is settled, so that a server that has taken it,
    /// and whose answer was lost, counts it once.
    private struct Pending {
        var id: TelemetryBatch.Name
        var count: Int
    }

    /// The name of this device for one day of UTC and for the reports of some owners: by it no server can tell that two
    /// accounts are on one device.
    private struct Day {
        var number: Int64
        var reports: TelemetryScope.Reports
        var name: TelemetryBatch.Name
    }

    let limits: TelemetryQueue.Limits
    private var kept: [Kept] = []
    private var size = 0
    private var pending: Pending?
    private var day: Day?
    /// Whether what waits goes as soon as it may: it is from an earlier process, or the app went to the back.
    private var goesNow = false
    /// How often in a row a batch was not taken.
    private var failures = 0
    /// Nothing is sent before this. Within one boot only.
    private(set) var pause: Instant?
    /// How many reports were dropped: for want of room, or because a server refused them for good.
    private(set) var dropped = 0

    init(limits: TelemetryQueue.Limits) { self.limits = limits }

    /// How many reports wait.
    var count: Int { kept.count }
    var isEmpty: Bool { kept.isEmpty }
}

// MARK: - What comes in

extension TelemetryBacklog {
    /// Takes a report, and drops the oldest ones where there is no room.
    ///
    /// - Parameter bytes: the length of its JSON.
    mutating func take(_ report: UnlockReport, of bytes: Int, at now: Instant) {
        kept.append(Kept(report: report, size: bytes, taken: now))
        size += bytes
        while let first = kept.first, kept.count > limits.mostReports || size > limits.mostBytes {
            size -= first.size
            kept.removeFirst()
            dropped += 1
            // What is left of a batch keeps the batch's name: where the server has taken it whole, it counts nothing again.
            pending?.count -= 1
            if pending?.count == 0 { pending = nil }
        }
    }

    /// Forgets the reports that a sender is not given.
    ///
    /// - Returns: whether there were any.
    mutating func keep(only reports: TelemetryScope.Reports) -> Bool {
        let count = kept.count
        if let pending {
            let left = kept.prefix(pending.count).count { reports.contains($0.report) }
            self.pending = left == 0 ? nil : Pending(id: pending.id, count: left)
        }
        kept.removeAll { !reports.contains($0.report) }
        size = kept.reduce(0) { $0 + $1.size }
        if isEmpty { goesNow = false }
        return kept.count != count
    }

    /// What waits goes as soon as it may, because the app may be ended soon.
    mutating func hurry() { goesNow = !isEmpty }

    /// Forgets the reports and the names. What a server asked for stays: no one gets around it by a switch.
    mutating func clear() {
        self = TelemetryBacklog(limits: limits, failures: failures, pause: pause)
    }

    private init(limits: TelemetryQueue.Limits, failures: Int, pause: Instant?) {
        self.limits = limits
        (self.failures, self.pause) = (failures, pause)
    }
}

// MARK: - What goes out

extension TelemetryBacklog {
    /// When the next batch goes; nil where nothing waits. It may be in the past.
    func nextTry() -> Instant? {
        guard let first = kept.first else { return nil }
        // A batch that was tried goes again after the pause; what waits for its first try, by count or age.
        let isDue = goesNow || pending != nil || kept.count >= limits.batch
        let due = isDue ? first.taken : first.taken.advanced(by: limits.longestWait)
        return max(due, pause ?? due)
    }

    /// The batch of the first reports. A repeat of one that is not settled has the same name, on the same day: names of days
    /// are not carried over, so the batch of another day is made anew.
    ///
    /// - Parameter reports: what the sender is given; all that waits is among it.
    /// - Returns: nil where nothing waits.
    mutating func batch(
        of reports: TelemetryScope.Reports, on today: Int64, using generator: inout some RandomNumberGenerator
    ) -> TelemetryBatch? {
        guard !isEmpty else { return nil }
        let name = dayName(of: today, for: reports, using: &generator)
        let pending = pending ?? Pending(id: .init(using: &generator), count: countOfBatch)
        self.pending = pending
        return TelemetryBatch(kept.prefix(pending.count).map(\.report), id: pending.id, day: name)
    }

    /// The first reports that one batch has room for: at least one, because no report is as large as a batch.
    private var countOfBatch: Int {
        var room = TelemetryBatch.largest - Self.envelope
        let fits = kept.prefix(TelemetryBatch.mostUnlocks).prefix { report in
            // With the comma after it.
            room -= report.size + 1
            return room >= 0
        }
        return fits.count
    }

    /// The bytes of a batch beside its unlocks: its two names and the members' names take 89.
    private static let envelope = 128

    private mutating func dayName(
        of today: Int64, for reports: TelemetryScope.Reports, using generator: inout some RandomNumberGenerator
    ) -> TelemetryBatch.Name {
        if let day, day.number == today, day.reports == reports { return day.name }
        let fresh = Day(number: today, reports: reports, name: .init(using: &generator))
        (day, pending) = (fresh, nil)
        return fresh.name
    }

    /// Whether this batch waits for its answer.
    func isPending(_ id: TelemetryBatch.Name) -> Bool { pending?.id == id }

    /// What came of sending a batch. An answer to a batch that no longer waits drops nothing.
    mutating func settle(
        _ id: TelemetryBatch.Name, _ answer: TelemetryAnswer, at now: Instant, using generator: inout some RandomNumberGenerator
    ) {
        switch answer {
        case .taken, .refused:
            (failures, pause) = (0, nil)
            guard let pending, pending.id == id else { return }
            if answer == .refused { dropped += pending.count }
            size -= kept.prefix(pending.count).reduce(0) { $0 + $1.size }
            kept.removeFirst(pending.count)
            self.pending = nil
            if isEmpty { goesNow = false }
        case .later(let wanted):
            pause = now.advanced(by: delay(wanted, using: &generator))
            failures += 1
        }
    }

    /// The delay after a batch was not taken: doubled each time, half of it by chance, so that devices that failed together do
    /// not come back together; and no less than the server asked for, up to a day.
    private func delay(_ wanted: Duration?, using generator: inout some RandomNumberGenerator) -> Duration {
        let whole = min(Self.firstDelay * (1 << min(failures, 10)), Self.longestDelay)
        let half = whole.milliseconds / 2
        let own = Duration.milliseconds(half + Int64.random(in: 0...half, using: &generator))
        return max(own, min(wanted ?? .zero, Self.longestWanted))
    }

    static let firstDelay = Duration.seconds(30)
    static let longestDelay = Duration.seconds(3600)
    /// The longest delay that a server can ask for. It must not end telemetry for good by one answer.
    static let longestWanted = Duration.seconds(86_400)
}

// MARK: - As it is stored

extension TelemetryBacklog {
    /// What is kept for the next process.
    struct Stored: Codable {
        var reports: [Waiting]
        var dropped: Int
        var batch: TelemetryBatch.Name?
        var count: Int?
        var day: Int64?
        var dayName: TelemetryBatch.Name?
        /// The owners whose reports the day's name is for; nil for all.
        var dayOwners: [ReportOwner]?
        var failures: Int
        /// The end of the pause, in milliseconds of the clock of this boot.
        var pause: Int64?
        var boot: String
    }

    /// A report that waits, and its owner, which is not sent.
    struct Waiting: Codable {
        var report: UnlockReport
        var owner: ReportOwner?
    }

    /// What is to be stored today. The name of another day is left out.
    func stored(on today: Int64, boot: String) -> Stored {
        let day = day?.number == today ? day : nil
        let pending = day == nil ? nil : pending
        return Stored(
            reports: kept.map { Waiting(report: $0.report, owner: $0.report.owner) }, dropped: dropped, batch: pending?.id,
            count: pending?.count, day: day?.number, dayName: day?.name, dayOwners: day?.reports.owners?.sorted(),
            failures: failures, pause: pause?.sinceOrigin.milliseconds, boot: boot)
    }

    /// Goes on with what an earlier process stored, before what this one has taken already.
    mutating func restore(_ stored: Stored, on today: Int64, boot: String, at now: Instant) {
        var restored = TelemetryBacklog(limits: limits)
        for waiting in stored.reports {
            var report = waiting.report
            report.owner = waiting.owner
            restored.take(report, of: StrictJSON.encode(report).count, at: now)
        }
        restored.goesNow = !restored.isEmpty
        restored.failures = max(0, min(stored.failures, 10))
        if let number = stored.day, number == today, let name = stored.dayName {
            restored.day = Day(number: number, reports: TelemetryScope.Reports(stored.dayOwners), name: name)
            if let id = stored.batch, let count = stored.count, count > 0, count <= restored.countOfBatch,
                restored.dropped == 0
            {
                restored.pending = Pending(id: id, count: count)
            }
        }
        // After a restart of the device its clock cannot tell how much of the pause is left: one try is no storm.
        if let pause = stored.pause.map({ Instant(sinceOrigin: .milliseconds($0)) }), stored.boot == boot, now < pause,
            pause <= now.advanced(by: Self.longestWanted)
        {
            restored.pause = pause
        }
        restored.dropped += max(0, min(stored.dropped, Self.mostDropped))
        for late in kept { restored.take(late.report, of: late.size, at: late.taken) }
        restored.dropped += dropped
        self = restored
    }

    /// A stored count that is larger is damaged.
    private static let mostDropped = 1 << 30
}
