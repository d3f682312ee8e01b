import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
@testable import ThumbturnDevice

/// Reports on their way to a server.
@Suite struct TelemetryQueueTests {
    private typealias World = TelemetryWorld

    private static func story(_ story: @escaping @Sendable (TelemetryWorld) async throws -> Void) async throws {
        let world = TelemetryWorld()
        try await world.clock.run { try await story(world) }
    }

    // MARK: When a batch goes

    @Test func twentyReportsGoAtOnceAsOneBatch() async throws {
        try await Self.story { world in
            let queue = world.queue()
            try await world.running(queue) {
                for number in 1...19 { queue.take(World.report(number)) }
                try await world.pass(.seconds(1))
                #expect(world.sender.batches.isEmpty)
                queue.take(World.report(20))
                try await world.pass(.seconds(1))
                #expect(world.sender.batches.map(World.numbers) == [Array(1...20)])
                #expect(queue.count == 0 && queue.dropped == 0)
                expect(world.store.record, is: nil, "what was taken is deleted")
            }
        }
    }

    @Test func aLoneReportGoesAfterAQuarterOfAnHour() async throws {
        try await Self.story { world in
            let queue = world.queue()
            try await world.running(queue) {
                let taken = world.clock.now
                queue.take(World.report(1))
                try await world.pass(.seconds(600))
                queue.take(World.report(2))
                try await world.pass(.seconds(1000))
                #expect(world.sender.batches.map(World.numbers) == [[1, 2]])
                #expect(world.sender.times == [taken.advanced(by: .seconds(900))])
            }
        }
    }

    @Test func whatWaitsGoesWhenTheAppGoesToTheBack() async throws {
        try await Self.story { world in
            let queue = world.queue()
            try await world.running(queue) {
                queue.take(World.report(1))
                try await world.pass(.seconds(1))
                world.phases.send(.back)
                try await world.pass(.seconds(1))
                #expect(world.sender.batches.map(World.numbers) == [[1]])
                world.phases.send(.front)
                queue.take(World.report(2))
                try await world.pass(.seconds(60))
                #expect(world.sender.batches.count == 1, "the next one waits for others again")
            }
        }
    }

    @Test func aBatchHasAtMostAHundredReportsAndRoomForAServer() async throws {
        try await Self.story { world in
            let queue = world.queue(.init(mostBytes: 512 * 1024))
            let long = (1...UnlockReport.mostEvents).map { _ in
                Telemetry.fellBack(from: .devicePasscode, to: .fullCredentials, because: .skipped(.biometryUnconfirmed))
            }
            for number in 1...60 { queue.take(UnlockReport(long, began: UnixTime(seconds: Int64(number)), in: .init())) }
            for number in 61...250 { queue.take(World.report(number)) }
            let kept = queue.count
            #expect(kept > 210, "more than one batch has room for")
            try await world.running(queue) { try await world.pass(.seconds(3600)) }
            #expect(world.sender.batches.flatMap(World.numbers) == Array((251 - kept)...250), "each one once and in order")
            #expect(world.sender.batches.allSatisfy { $0.unlocks.count <= 100 })
            let sizes = world.sender.bodies.map(\.count)
            #expect(sizes.allSatisfy { $0 <= TelemetryBatch.largest }, "\(sizes)")
        }
    }

    // MARK: Bounds

    @Test func theOldestReportsMakeRoomAndAreCounted() async throws {
        try await Self.story { world in
            let queue = world.queue(.init(mostReports: 30))
            world.sender.always(.later(after: nil))
            try await world.running(queue) {
                for number in 1...100 { queue.take(World.report(number)) }
                #expect(queue.count == 30 && queue.dropped == 70)
                try await world.pass(.seconds(1))
                expect(world.stored?.reports.map { Int($0.report.began.seconds) }, is: Array(71...100))
                expect(world.stored?.dropped, is: 70)
            }
        }
    }

    @Test func theBytesAreBoundedToo() {
        let world = TelemetryWorld()
        let size = StrictJSON.encode(World.report(100)).count
        let queue = world.queue(.init(mostBytes: size * 5))
        for number in 100...109 { queue.take(World.report(number)) }
        #expect(queue.count == 5 && queue.dropped == 5)
    }

    @Test func whatIsDroppedFromABatchUnderWayIsNotDroppedTwice() async throws {
        try await Self.story { world in
            let queue = world.queue(.init(mostReports: 20))
            world.sender.takeTime(.seconds(10))
            try await world.running(queue) {
                for number in 1...20 { queue.take(World.report(number)) }
                try await world.pass(.seconds(1))
                for number in 21...25 { queue.take(World.report(number)) }
                try await world.pass(.seconds(10))
                #expect(world.sender.batches.map(World.numbers) == [Array(1...20)])
                #expect(queue.count == 5 && queue.dropped == 5, "21 to 25 wait")
                for number in 26...60 { queue.take(World.report(number)) }
                try await world.pass(.seconds(60))
                #expect(world.sender.batches.last.map(World.numbers) == Array(41...60))
            }
        }
    }

    @Test func manyTasksMayTakeAtOnce() async throws {
        let world = TelemetryWorld()
        let queue = world.queue()
        world.sender.always(.later(after: nil))
        await withTaskGroup(of: Void.self) { group in
            let run = Task { await queue.run(through: world.sender) }
            for task in 0..<8 {
                group.addTask { for number in 0..<50 { queue.take(World.report(task * 50 + number)) } }
            }
            await group.waitForAll()
            run.cancel()
            await run.value
        }
        #expect(queue.count == 400 && queue.dropped == 0)
    }

    // MARK: What a server answers

    @Test("a batch that a server refuses for good is dropped", arguments: [400, 413, 422])
    func refused(_ status: Int) async throws {
        try await Self.story { world in
            let queue = world.queue(.init(batch: 2))
            world.sender.next(TelemetryAnswer(status: status))
            try await world.running(queue) {
                queue.take(World.report(1))
                queue.take(World.report(2))
                try await world.pass(.seconds(1))
                #expect(queue.count == 0 && queue.dropped == 2)
                try await world.pass(.seconds(7200))
                #expect(world.sender.batches.count == 1)
            }
        }
    }

    @Test("a batch that is not taken now goes again with its name", arguments: [401, 403, 404, 408, 429, 500, 503])
    func later(_ status: Int) async throws {
        try await Self.story { world in
            let queue = world.queue(.init(batch: 2))
            world.sender.next(TelemetryAnswer(status: status))
            try await world.running(queue) {
                queue.take(World.report(1))
                queue.take(World.report(2))
                try await world.pass(.seconds(10))
                queue.take(World.report(3))
                try await world.pass(.seconds(30))
                let batches = world.sender.batches
                #expect(batches.map(World.numbers) == [[1, 2], [1, 2]])
                #expect(batches[0] == batches[1], "the same name, and the same day")
                try await world.pass(.seconds(900))
                #expect(world.sender.batches.last.map(World.numbers) == [3])
                #expect(world.sender.batches.last?.id != batches[0].id, "a batch that was taken gives its name up")
                #expect(queue.dropped == 0)
            }
        }
    }

    @Test func theDelaysGrowToAnHourAndNothingGoesAroundThem() async throws {
        try await Self.story { world in
            let queue = world.queue(.init(mostReports: 5, batch: 1))
            world.sender.always(.later(after: nil))
            try await world.running(queue) {
                for number in 1...1000 {
                    queue.take(World.report(number))
                    world.phases.send(number.isMultiple(of: 2) ? .back : .front)
                    try await world.pass(.seconds(60))
                }
            }
            let times = world.sender.times
            let delays = zip(times, times.dropFirst()).map { $0.duration(to: $1) }
            #expect(delays.count > 10 && delays.count < 40, "\(delays.count)")
            for (number, delay) in delays.enumerated() {
                let whole = min(Duration.seconds(30) * (1 << min(number, 10)), .seconds(3600))
                #expect(delay >= whole / 2 && delay <= whole + .milliseconds(1), "\(number): \(delay), seed \(World.seed)")
            }
        }
    }

    @Test func devicesThatFailTogetherDoNotComeBackTogether() {
        var seconds: Set<Int64> = []
        for seed in 1...50 as ClosedRange<UInt64> {
            var (backlog, generator) = (TelemetryBacklog(limits: .init()), SeededGenerator(seed: seed))
            backlog.take(World.report(1), of: 100, at: Instant(sinceOrigin: .zero))
            guard let batch = backlog.batch(of: .all, on: 1, using: &generator) else { continue }
            for _ in 1...8 { backlog.settle(batch.id, .later(after: nil), at: Instant(sinceOrigin: .zero), using: &generator) }
            seconds.insert(backlog.pause?.sinceOrigin.components.seconds ?? 0)
        }
        #expect(seconds.count > 40, "\(seconds.sorted())")
    }

    @Test func aServersRetryAfterIsHonouredUpToADay() async throws {
        #expect(TelemetryAnswer(status: 429, retryAfter: "120") == .later(after: .seconds(120)))
        #expect(TelemetryAnswer(status: 503, retryAfter: "Fri, 31 Dec 1999 23:59:59 GMT") == .later(after: nil))
        #expect(TelemetryAnswer(status: 503, retryAfter: "99999999999999999999") == .later(after: nil))
        #expect(TelemetryAnswer(status: 503, retryAfter: "-5") == .later(after: nil))
        try await Self.story { world in
            let queue = world.queue(.init(batch: 1))
            world.sender.next(.later(after: .seconds(7200)), .later(after: .seconds(999_999_999)), .later(after: .seconds(1)))
            try await world.running(queue) {
                queue.take(World.report(1))
                try await world.pass(.seconds(3 * 86_400))
            }
            let times = world.sender.times
            let delays = zip(times, times.dropFirst()).map { $0.duration(to: $1) }
            try #require(delays.count == 3)
            #expect(delays[0] == .seconds(7200) && delays[1] == .seconds(86_400), "and not forever")
            #expect(delays[2] >= .seconds(60), "the own delay has grown meanwhile")
        }
    }

    @Test("an answer that never comes counts as none", arguments: [false, true])
    func silence(_ ignoresCancellation: Bool) async throws {
        try await Self.story { world in
            let queue = world.queue(.init(batch: 1))
            world.sender.takeTime(.seconds(100_000), ignoringCancellation: ignoresCancellation)
            try await world.running(queue) {
                queue.take(World.report(1))
                try await world.pass(.seconds(200))
                #expect(world.sender.batches.count >= 2)
                #expect(world.sender.batches[0].id == world.sender.batches[1].id)
                #expect(queue.count == 1)
                if !ignoresCancellation { #expect(world.sender.cancelled >= 1) }
            }
        }
    }

    @Test func anAnswerAfterItsDeadlineIsDropped() async throws {
        try await Self.story { world in
            let queue = world.queue(.init(batch: 1))
            world.sender.takeTime(.seconds(61), ignoringCancellation: true)
            try await world.running(queue) {
                queue.take(World.report(1))
                try await world.pass(.seconds(62))
                #expect(queue.count == 1, "the late answer is no answer")
                world.sender.takeTime(.zero)
                try await world.pass(.seconds(60))
                #expect(queue.count == 0)
            }
        }
    }

    // MARK: Names

    @Test func theDeviceHasANewNameEachDayAndABatchIsMadeAnew() async throws {
        try await Self.story { world in
            let queue = world.queue(.init(batch: 1))
            try await world.running(queue) {
                queue.take(World.report(1))
                try await world.pass(.seconds(1))
                queue.take(World.report(2))
                try await world.pass(.seconds(1))
                world.sender.next(.later(after: .seconds(100)))
                queue.take(World.report(3))
                try await world.pass(.seconds(1))
                world.clock.setCivilTime(world.clock.civilTime + .seconds(86_400))
                try await world.pass(.seconds(100))
                let batches = world.sender.batches
                #expect(batches.map(World.numbers) == [[1], [2], [3], [3]])
                #expect(batches[0].day == batches[1].day && batches[1].day == batches[2].day)
                #expect(batches[3].day != batches[0].day && batches[3].id != batches[2].id, "nothing links the days")
                #expect(Set(batches.map(\.id)).count == 4)
            }
        }
    }

    @Test func noNameOfADayIsStoredOnAnother() async throws {
        try await Self.story { world in
            let queue = world.queue(.init(batch: 1))
            world.sender.next(.later(after: .seconds(100_000)))
            try await world.running(queue) {
                queue.take(World.report(1))
                try await world.pass(.seconds(1))
                let stored = try #require(world.stored)
                #expect(stored.dayName == world.sender.batches[0].day && stored.batch == world.sender.batches[0].id)
                world.clock.setCivilTime(world.clock.civilTime + .seconds(86_400))
                queue.take(World.report(2))
                try await world.pass(.seconds(1))
                let next = try #require(world.stored)
                #expect(next.reports.count == 2 && next.dayName == nil && next.batch == nil && next.count == nil)
            }
        }
    }

    // MARK: The clock

    @Test("a clock that the person sets stops nothing", arguments: [-40 * 365, 40 * 365])
    func movedClock(_ days: Int64) async throws {
        try await Self.story { world in
            let queue = world.queue(.init(batch: 1))
            world.sender.next(.later(after: .seconds(60)))
            try await world.running(queue) {
                queue.take(World.report(1))
                try await world.pass(.seconds(1))
                world.clock.setCivilTime(world.clock.civilTime + .seconds(days * 86_400))
                try await world.pass(.seconds(60))
                #expect(queue.count == 0 && world.sender.batches.count == 2)
            }
        }
    }

    @Test("no civil time breaks the queue", arguments: [Int64.min, -1, 0, .max])
    func oddClock(_ seconds: Int64) async throws {
        try await Self.story { world in
            world.clock.setCivilTime(UnixTime(seconds: seconds))
            let queue = world.queue(.init(batch: 1))
            try await world.running(queue) {
                queue.take(World.report(1))
                try await world.pass(.seconds(1))
                #expect(world.sender.batches.count == 1)
            }
        }
    }
}
