#if Tools
import ArgumentParser
import Thumbturn
import ThumbturnCommands

struct BenchFlow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "flow",
        abstract: "Measures the time that the unlock flow takes for one event.",
        discussion: """
            Runs three kinds of unlock, a quick one, one with two retries and one that falls back to the passcode, and measures \
            the time of each event. The time of reading the clock is measured in the same run and subtracted. scripts/bench-flow \
            builds with -c release and also counts the allocations.
            """
    )

    @Option(help: "The number of unlocks of each kind.")
    var count = 100_000

    @OptionGroup var output: OutputOptions

    struct Result: Encodable {
        var events: Int
        var median_ns: Double
        var p99_ns: Double
        var clock_ns: Double
        /// Allocations per event; nil unless they are counted.
        var allocations_per_event: Double?
    }

    func run() async throws {
        guard count > 0 else { throw ValidationError("--count must be more than 0.") }
        output.beginBench("flow")
        var times: [Double] = []
        times.reserveCapacity(count * 24)
        for _ in 0..<count {
            for story in Self.stories {
                var flow = UnlockFlow(policy: .unlock)
                for (event, now) in story {
                    let start = ContinuousClock.now
                    let effects = flow.handle(event, at: now)
                    let end = ContinuousClock.now
                    times.append((end - start) / .nanoseconds(1))
                    precondition(effects.count < 16, "the effects are used, so the compiler keeps the call")
                }
            }
        }
        var clock: [Double] = []
        for _ in 0..<100_000 {
            let start = ContinuousClock.now
            clock.append((ContinuousClock.now - start) / .nanoseconds(1))
        }
        times.sort()
        clock.sort()
        let own = clock[clock.count / 2]
        let result = Result(
            events: times.count, median_ns: max(times[times.count / 2] - own, 0),
            p99_ns: max(times[times.count * 99 / 100] - own, 0), clock_ns: own, allocations_per_event: Self.allocations()
        )
        let allocations =
            result.allocations_per_event.map { "\(($0 * 100).rounded() / 100) allocations each" }
            ?? "allocations are counted by scripts/bench-flow"
        try output.report(
            """
            \(result.events) events through the flow: median \(Int(result.median_ns)) ns, P99 \(Int(result.p99_ns)) ns \
            (without the \(Int(own)) ns of reading the clock), \(allocations).
            """, result
        )
    }

    private static func allocations() -> Double? {
        var (events, allocations) = (0, UInt64(0))
        for _ in 0..<1000 {
            for story in stories {
                var flow = UnlockFlow(policy: .unlock)
                for (event, now) in story {
                    guard let before = allocationCount() else { return nil }
                    let effects = flow.handle(event, at: now)
                    allocations += (allocationCount() ?? before) - before
                    events += 1
                    precondition(effects.count < 16, "the effects are used, so the compiler keeps the call")
                }
            }
        }
        return Double(allocations) / Double(events)
    }

    private static let readiness = Readiness(
        biometry: .ready, keys: [.session: .usable, .biometric: .usable, .passcode: .usable, .pin: .usable],
        ladder: UnlockPolicy.unlock.ladder
    )

    private static func at(_ milliseconds: Int) -> Instant { Instant(sinceOrigin: .milliseconds(milliseconds)) }
    private static let output = UnlockFlow.Output("a.b.c")

    private static let stories: [[(UnlockFlow.Event, Instant)]] = [
        [
            (.began(readiness, by: .tap), at(0)), (.answered(.matched, prompt: 1), at(900)),
            (.signed(output, prompt: 1), at(930)),
        ],
        [
            (.began(readiness, by: .tap), at(0)), (.answered(.notMatched, prompt: 1), at(1500)),
            (.answered(.notMatched, prompt: 2), at(3000)), (.woke, at(6500)), (.answered(.matched, prompt: 3), at(7000)),
            (.signed(output, prompt: 3), at(7030)),
        ],
        [
            (.began(readiness, by: .screen), at(0)), (.woke, at(400)), (.readPoorly(.tooPoor, prompt: 1), at(2000)),
            (.woke, at(8400)),
            (.woke, at(12_400)), (.answered(.matched, prompt: 2), at(16_000)), (.signed(output, prompt: 2), at(16_030)),
        ],
    ]
}
#endif
