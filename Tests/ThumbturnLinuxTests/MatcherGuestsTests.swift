import Testing

@testable import ThumbturnLinux

/// How much a user of the machine may ask of the matcher.
@Suite struct MatcherGuestsTests {
    @Test func fourConnectionsAtOnceAreOpenForEachUser() {
        var guests = MatcherGuests()
        let (ada, another): (UInt32, UInt32) = (1, 2)
        #expect((0..<5).map { _ in guests.admit(ada, at: 0) } == [true, true, true, true, false])
        let isInTheWay = !guests.admit(another, at: 0)
        #expect(!isInTheWay)
        guests.leave(ada)
        #expect((0..<2).map { _ in guests.admit(ada, at: 0) } == [true, false], "who was refused had nothing to leave")
    }

    @Test func aMinuteHasSoManyQuestions() {
        var guests = MatcherGuests()
        func answered(_ count: Int, of id: UInt32, at seconds: Int64) -> Int {
            (0..<count).count { _ in
                let isAdmitted = guests.admit(id, at: seconds)
                if isAdmitted { guests.leave(id) }
                return isAdmitted
            }
        }
        #expect(answered(1_300, of: 1, at: 60) == 1_200)
        #expect(answered(1, of: 1, at: 119) == 0)
        #expect(answered(1, of: 2, at: 119) == 1, "another user is not in the way")
        #expect(answered(1, of: 1, at: 120) == 1)
    }

    /// Three questions for each, as a sign-in has them: quicker than anything that was measured here.
    @Test func fiveUnlocksEachSecondAreNeverRefused() {
        var guests = MatcherGuests()
        for question in 0..<(3 * 5 * 600) {
            let isAdmitted = guests.admit(1, at: Int64(question / 15))
            #expect(isAdmitted)
            guests.leave(1)
        }
    }
}
