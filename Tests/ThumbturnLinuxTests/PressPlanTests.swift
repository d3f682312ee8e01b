import Testing

@testable import ThumbturnLinuxLab

struct PressPlanTests {
    private let asks = BusSignal.verifyFingerSelected("right-index-finger")
    private let again = BusSignal.verifyStatus("verify-retry-scan", done: false)
    private let done = BusSignal.verifyStatus("verify-match", done: true)

    /// Which of the signals ask for a press, if each request gets the next of the answers.
    private func asked(by signals: [BusSignal], answers: [Press?]) -> (asked: [Bool], plan: PressPlan) {
        var plan = PressPlan()
        var answers = answers
        let asked = signals.map { signal in
            let asks = plan.isAsking(signal)
            if asks { plan.answered(answers.isEmpty ? nil : answers.removeFirst()) }
            return asks
        }
        return (asked, plan)
    }

    @Test("a verification asks once, and the reader's readiness that follows does not ask again")
    func once() {
        let (asked, plan) = asked(by: [asks, .fingerNeeded(true), .fingerNeeded(false), done], answers: [.image(.blank)])
        #expect(asked == [true, false, false, false])
        #expect(plan.state == .quiet)
    }

    @Test("after a retry the next press waits until the reader is ready again")
    func retry() {
        let (asked, plan) = asked(
            by: [asks, .fingerNeeded(true), again, .fingerNeeded(false), .fingerNeeded(true), .fingerNeeded(false)],
            answers: [.retry(0), .image(.blank)])
        #expect(asked == [true, false, false, false, true, false])
        #expect(plan.state == .pressed)
    }

    @Test("a person who does nothing is not asked again by the same verification", arguments: [nil, Press.nothing])
    func nothing(press: Press?) {
        let (asked, plan) = asked(by: [asks, .fingerNeeded(true), again, .fingerNeeded(true)], answers: [press])
        #expect(asked == [true, false, false, false])
        #expect(plan.state == .quiet)
    }

    @Test("the next verification asks again, however the one before ended")
    func anew() {
        let (asked, plan) = asked(by: [asks, asks, again, asks], answers: [.retry(1), .nothing, .image(.blank)])
        #expect(asked == [true, true, false, true])
        #expect(plan.state == .pressed)
    }
}
