import Foundation
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit

@Suite struct VirtualClockTests {
    @Test func timeJumpsWhenEveryTaskWaits() async throws {
        let clock = VirtualClock()
        let start = clock.now
        let order = try await clock.run {
            await withTaskGroup(of: Int.self) { group in
                for seconds in [3600, 5, 60] {
                    group.addTask {
                        try? await clock.sleep(until: start.advanced(by: .seconds(seconds)))
                        return seconds
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
        }
        #expect(order == [5, 60, 3600])
        #expect(start.duration(to: clock.now) == .seconds(3600))
    }

    @Test func aCancelledSleepEnds() async throws {
        let clock = VirtualClock()
        let start = clock.now
        try await clock.run {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { try? await clock.sleep(until: start.advanced(by: .seconds(10))) }
                group.cancelAll()
            }
        }
        #expect(clock.now == start)
    }

    @Test func aTaskWithTheClocksExecutorIsWaitedFor() async throws {
        let clock = VirtualClock()
        let start = clock.now
        try await clock.run {
            let work = Task(executorPreference: clock.executor) {
                for _ in 1...1000 { await Task.yield() }
                return clock.now
            }
            try await clock.sleep(until: start.advanced(by: .seconds(10)))
            #expect(await work.value == start, "the clock moved while the task worked")
        }
    }

    @Test func theSystemClockCountsFromBootAndNamesIt() throws {
        let clock = SystemClock()
        let before = clock.now
        #expect(before <= clock.now && before.sinceOrigin > .zero)
        #expect(!clock.boot.isEmpty && clock.boot == SystemClock().boot)
        #if os(Linux)
        let uptime = try String(contentsOfFile: "/proc/uptime", encoding: .utf8)
        let seconds = try #require(uptime.split(separator: " ").first.flatMap { Double($0) })
        #expect(abs(before.sinceOrigin / .seconds(1) - seconds) < 60)
        #endif
    }

    /// As for a lock with the longest `AppLock.Rules.lockAfter`, and for a call with the longest deadline.
    @Test func aTimeThatNeverComesIsWaitedFor() async {
        let clock = SystemClock()
        let (begun, mailbox) = AsyncStream.makeStream(of: Void.self)
        let waiting = Task {
            mailbox.yield()
            try await clock.sleep(until: clock.now.advanced(by: .seconds(Int64.max)))
        }
        for await _ in begun { break }
        try? await clock.sleep(until: clock.now)
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func settingTheCivilClockLeavesTheMonotonicOne() {
        let clock = VirtualClock(civilTime: UnixTime(seconds: 100))
        let start = clock.now
        clock.setCivilTime(UnixTime(seconds: 5))
        #expect(clock.now == start)
        clock.advance(by: .seconds(2))
        #expect(clock.civilTime == UnixTime(seconds: 7))
        #expect(start.duration(to: clock.now) == .seconds(2))
    }
}
