import Testing

@testable import ThumbturnLinux

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
        throttle.matched()
        for _ in 0..<5 {
            #expect(throttle.wait(at: 130, boot: "a") == 0)
            throttle.began(at: 130, boot: "a")
        }
        #expect(throttle.wait(at: 130, boot: "a") == 30)
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
