import Testing

@testable import ThumbturnMatcher

/// The limits of connections and requests of one user of the machine.
@Suite struct RequestLimitsTests {
    @Test func eachUserMayHaveFourOpenConnections() {
        var limits = RequestLimits()
        let (ada, another): (UInt32, UInt32) = (1, 2)
        #expect((0..<5).map { _ in limits.admit(ada, at: 0) } == [true, true, true, true, false])
        let isAnotherAdmitted = limits.admit(another, at: 0)
        #expect(isAnotherAdmitted)
        limits.leave(ada)
        #expect((0..<2).map { _ in limits.admit(ada, at: 0) } == [true, false], "a refused request holds no connection")
    }

    @Test func allUsersTogetherMayHave128OpenConnections() {
        var limits = RequestLimits()
        for user in 0..<32 {
            let admitted = (0..<4).map { _ in limits.admit(UInt32(user), at: 0) }
            #expect(admitted == [true, true, true, true])
        }
        let isOneMoreAdmitted = limits.admit(32, at: 0)
        #expect(!isOneMoreAdmitted)
        limits.leave(0)
        let isNextAdmitted = limits.admit(32, at: 0)
        #expect(isNextAdmitted)
    }

    @Test func eachUserMayMake1200RequestsAMinute() {
        var limits = RequestLimits()
        func answered(_ count: Int, of id: UInt32, at seconds: Int64) -> Int {
            (0..<count).count { _ in
                let isAdmitted = limits.admit(id, at: seconds)
                if isAdmitted { limits.leave(id) }
                return isAdmitted
            }
        }
        #expect(answered(1_300, of: 1, at: 60) == 1_200)
        #expect(answered(1, of: 1, at: 119) == 0)
        #expect(answered(1, of: 2, at: 119) == 1, "other users have limits of their own")
        #expect(answered(1, of: 1, at: 120) == 1)
    }

    /// An unlock makes three requests. No measured device reaches this rate.
    @Test func fiveUnlocksEachSecondAreNeverRefused() {
        var limits = RequestLimits()
        for request in 0..<(3 * 5 * 600) {
            let isAdmitted = limits.admit(1, at: Int64(request / 15))
            #expect(isAdmitted)
            limits.leave(1)
        }
    }
}
