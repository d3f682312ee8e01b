import Testing

@testable import ThumbturnMatcher

/// How often a user's enrolment counter is changed.
@Suite struct CounterChangesTests {
    @Test func theThirteenthChangeWaitsForTheEndOfTheHour() {
        var changes = CounterChanges()
        for _ in 0..<12 {
            #expect(changes.wait(at: 100, boot: "a") == 0)
            changes.began()
        }
        #expect(changes.wait(at: 100, boot: "a") == 3600)
        #expect(changes.wait(at: 3699, boot: "a") == 1)
        #expect(changes.wait(at: 3700, boot: "a") == 0)
        #expect(changes.count == 0)
    }

    @Test func aRebootShortensNoWait() {
        var changes = CounterChanges()
        _ = changes.wait(at: 5000, boot: "a")
        for _ in 0..<12 { changes.began() }
        #expect(changes.wait(at: 10, boot: "b") == 3600)
        #expect(changes.wait(at: 3610, boot: "b") == 0)
    }
}
