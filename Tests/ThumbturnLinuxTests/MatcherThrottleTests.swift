import Testing

@testable import ThumbturnMatcher

/// The waits that the matcher imposes after fingers that did not match.
@Suite struct MatcherThrottleTests {
    @Test func fiveMismatchesInARowMakeTheSixthWait() {
        var throttle = MatcherThrottle()
        for _ in 0..<5 {
            #expect(throttle.wait(at: 100, boot: "a") == 0)
            throttle.began(at: 100, boot: "a")
        }
        #expect(throttle.wait(at: 100, boot: "a") == 30)
        #expect(throttle.wait(at: 129, boot: "a") == 1)
        #expect(throttle.wait(at: 130, boot: "a") == 0)
        for wait: Int64 in [60, 120, 240, 300, 300] {
            throttle.began(at: 130, boot: "a")
            #expect(throttle.wait(at: 130, boot: "a") == wait)
        }
        for _ in 0..<30 { throttle.began(at: 130, boot: "a") }
        #expect(throttle.wait(at: 130, boot: "a") == 300, "never longer, so an honest person gets in")
        throttle.reset()
        for _ in 0..<5 {
            #expect(throttle.wait(at: 130, boot: "a") == 0)
            throttle.began(at: 130, boot: "a")
        }
        #expect(throttle.wait(at: 130, boot: "a") == 30)
    }

    @Test func fiftyMismatchesInARowSwitchTheReaderOffForAnyTime() {
        var throttle = MatcherThrottle()
        for _ in 0..<49 { throttle.began(at: 100, boot: "a") }
        #expect(!throttle.isOff)
        throttle.began(at: 100, boot: "a")
        #expect(throttle.isOff)
        _ = throttle.wait(at: 1_000_000, boot: "b")
        #expect(throttle.isOff, "neither time nor a restart ends it")
        throttle.reset()
        #expect(!throttle.isOff)
        #expect(throttle.wait(at: 1_000_000, boot: "b") == 0)
    }

    @Test func aRebootShortensNoWait() {
        var throttle = MatcherThrottle()
        for _ in 0..<5 { throttle.began(at: 5000, boot: "a") }
        #expect(throttle.wait(at: 10, boot: "b") == 30)
        #expect(throttle.wait(at: 39, boot: "b") == 1)
        #expect(throttle.wait(at: 40, boot: "b") == 0)
    }

    @Test func anAttemptWithoutAVerdictIsNotCounted() {
        var throttle = MatcherThrottle()
        let before = throttle
        throttle.began(at: 1, boot: "a")
        throttle.ended(without: before)
        #expect(throttle == MatcherThrottle())
    }
}
