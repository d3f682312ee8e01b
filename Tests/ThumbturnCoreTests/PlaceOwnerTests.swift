import Foundation
import Testing
@testable import ThumbturnCore

extension PlaceBeginning {
    /// A place of no account.
    static var noAccount: PlaceBeginning { PlaceJournal().beginning }
}

/// Whom a place belongs to: one account, in whichever order people come.
@Suite struct PlaceOwnerTests {
    typealias Visit = PlaceJournal.Visit
    static let now = PlaceJournalTests.now

    /// A journal with an open visit of number 7.
    static func visited(by account: String, keeper: Int? = nil) throws -> PlaceJournal {
        var journal = PlaceJournal()
        let beginning = journal.beginVisit(7, at: now)
        _ = try journal.openVisit(Visit(number: 7, keeper: keeper), account: account, since: beginning)
        return journal
    }

    @Test func aVisitIsWrittenDownFromItsBeginToItsLastTrace() throws {
        var journal = PlaceJournal()
        #expect(journal.owner == .noAccount)
        #expect(journal.beginVisit(7, at: Self.now).owner == .noAccount)
        #expect(!journal.isEmpty && journal.owner == .noAccount && journal.visit(of: nil) == nil)
        #expect(try journal.openVisit(Visit(number: 7, keeper: nil), account: "ada", since: .noAccount) == [])
        #expect(journal.owner == .visit(account: "ada") && journal.visit(of: nil) == 7)
        #expect(journal.endVisit(of: nil) == 7 && journal.endVisit(of: nil) == nil)
        #expect(journal.owner == .noAccount && journal.ended == [7] && !journal.isEmpty)
        journal.undone(7)
        #expect(journal.isEmpty)
    }

    @Test func anotherPersonsVisitTakesThePlaceOver() throws {
        var journal = try Self.visited(by: "ada", keeper: 1)
        let beginning = journal.beginVisit(8, at: Self.now)
        #expect(try journal.openVisit(Visit(number: 8, keeper: 2), account: "bob", since: beginning) == [7])
        #expect(journal.owner == .visit(account: "bob") && journal.visit(of: 1) == nil && journal.visit(of: 2) == 8)
        #expect(journal.ended == [7])
    }

    @Test func aPersonMayHaveAVisitInEachProcess() throws {
        var journal = try Self.visited(by: "ada", keeper: 1)
        let beginning = journal.beginVisit(8, at: Self.now)
        #expect(try journal.openVisit(Visit(number: 8, keeper: 2), account: "ada", since: beginning) == [])
        #expect(journal.visit(of: 1) == 7 && journal.visit(of: 2) == 8)
        #expect(journal.endVisit(of: 1) == 7 && journal.owner == .visit(account: "ada"))
        // A second one of the same keeper takes the place of its first one.
        let later = journal.beginVisit(9, at: Self.now)
        #expect(try journal.openVisit(Visit(number: 9, keeper: 2), account: "ada", since: later) == [8])
    }

    @Test func keepersThatAreGoneMakeRoom() throws {
        var journal = PlaceJournal()
        for number in 1...PlaceJournal.mostVisits + 1 {
            let beginning = journal.beginVisit(number, at: Self.now)
            let over = try journal.openVisit(Visit(number: number, keeper: number), account: "ada", since: beginning)
            #expect(over == (number > PlaceJournal.mostVisits ? [1] : []))
        }
        #expect(journal.visits.count == PlaceJournal.mostVisits && journal.visit(of: 1) == nil && journal.ended == [1])
    }

    @Test func anEnrolmentOfAnotherAccountEndsTheVisits() throws {
        for (account, visits) in [("ada", 1), ("bob", 0)] {
            var journal = try Self.visited(by: "ada")
            let beginning = journal.begin(1)
            try journal.goLive(1, pinHandle: nil, kinds: [.session], account: account, since: beginning)
            #expect(journal.owner == .enrolment(account: account) && journal.visits.count == visits)
            #expect(journal.ended == (visits == 0 ? [7] : []))
        }
    }

    @Test func whoeverIsEnrolledLetsNobodyElseVisit() throws {
        var journal = try PlaceJournalTests.live()
        let beginning = journal.beginVisit(7, at: Self.now)
        #expect(beginning.owner == .enrolment(account: "ada"))
        let before = journal
        do throws(Failure) {
            _ = try journal.openVisit(Visit(number: 7, keeper: nil), account: "bob", since: beginning)
            Issue.record("bob visits on ada's device")
        } catch {
            #expect(error.code == .anotherAccount)
        }
        #expect(journal == before)
        #expect(try journal.openVisit(Visit(number: 7, keeper: nil), account: "ada", since: beginning) == [])
        #expect(journal.owner == .enrolment(account: "ada"))
    }

    /// The person who came later stays, whichever of the two the network delayed.
    @Test func aLateActOfAnEarlierPersonIsSuperseded() throws {
        var late = PlaceJournal()
        let enrolment = late.begin(1)
        let visit = late.beginVisit(7, at: Self.now)
        let next = late.beginVisit(8, at: Self.now)
        _ = try late.openVisit(Visit(number: 8, keeper: nil), account: "bob", since: next)
        PlaceJournalTests.expectSuperseded(late) { journal throws(Failure) in
            try journal.goLive(1, pinHandle: nil, kinds: [.session], account: "ada", since: enrolment)
        }
        PlaceJournalTests.expectSuperseded(late) { journal throws(Failure) in
            _ = try journal.openVisit(Visit(number: 7, keeper: nil), account: "ada", since: visit)
        }
        // An act that bob began before his tenancy may be of another person who knew his password.
        PlaceJournalTests.expectSuperseded(late) { journal throws(Failure) in
            try journal.goLive(1, pinHandle: nil, kinds: [.session], account: "bob", since: enrolment)
        }
        let again = late.begin(2)
        _ = late.beginVisit(9, at: Self.now)
        _ = try late.openVisit(Visit(number: 9, keeper: nil), account: "bob", since: again)
        try late.goLive(2, pinHandle: nil, kinds: [.session], account: "bob", since: again)
        #expect(late.owner == .enrolment(account: "bob") && late.visit(of: nil) == 9, "the same tenancy's acts are one person's")
    }

    /// What an account began in an earlier tenancy gives its next one nothing.
    @Test func aLateActOfAnEarlierTenancyIsSuperseded() throws {
        var journal = try Self.visited(by: "ada")
        let enrolment = journal.begin(1)
        let visit = journal.beginVisit(8, at: Self.now)
        journal.closeVisit(7)
        let again = journal.beginVisit(9, at: Self.now)
        _ = try journal.openVisit(Visit(number: 9, keeper: nil), account: "ada", since: again)
        PlaceJournalTests.expectSuperseded(journal) { journal throws(Failure) in
            _ = try journal.openVisit(Visit(number: 8, keeper: nil), account: "ada", since: visit)
        }
        PlaceJournalTests.expectSuperseded(journal) { journal throws(Failure) in
            try journal.goLive(1, pinHandle: nil, kinds: [.session], account: "ada", since: enrolment)
        }
    }

    @Test func whoSignsOutHasAnotherTenancyOnTheSameEnrolment() throws {
        var journal = try PlaceJournalTests.live()
        let owner = journal.owner
        journal.renewTenancy(99)
        #expect(journal.tenancy?.number == 99 && journal.owner == owner)
        var empty = PlaceJournal()
        empty.renewTenancy(99)
        #expect(empty.isEmpty)
    }

    /// Whoever acted last stays, also the owner who was there before the other person began.
    @Test func anOwnerWhoComesBackMeanwhileStays() throws {
        var late = try Self.visited(by: "ada")
        let enrolment = late.begin(1)
        let visit = late.beginVisit(8, at: Self.now)
        let again = late.beginVisit(9, at: Self.now)
        var undisturbed = late
        _ = try late.openVisit(Visit(number: 9, keeper: nil), account: "ada", since: again)
        PlaceJournalTests.expectSuperseded(late) { journal throws(Failure) in
            try journal.goLive(1, pinHandle: nil, kinds: [.session], account: "bob", since: enrolment)
        }
        PlaceJournalTests.expectSuperseded(late) { journal throws(Failure) in
            _ = try journal.openVisit(Visit(number: 8, keeper: nil), account: "bob", since: visit)
        }
        // Who leaves does not keep the place.
        undisturbed.closeVisit(7)
        try undisturbed.goLive(1, pinHandle: nil, kinds: [.session], account: "bob", since: enrolment)
        #expect(undisturbed.owner == .enrolment(account: "bob"))
    }

    @Test func anAccountThatComesBackHasAnotherTenancy() throws {
        func visit(_ number: Int, by account: String, in journal: inout PlaceJournal) throws {
            let beginning = journal.beginVisit(number, at: Self.now)
            _ = try journal.openVisit(Visit(number: number, keeper: nil), account: account, since: beginning)
        }
        var journal = try Self.visited(by: "ada")
        let first = journal.tenancy
        #expect(first?.account == "ada" && first?.number == 7)
        try visit(8, by: "ada", in: &journal)
        let beginning = journal.begin(1)
        try journal.goLive(1, pinHandle: nil, kinds: [.session], account: "ada", since: beginning)
        _ = journal.endVisit(of: nil)
        #expect(journal.tenancy == first, "it goes on with another visit, with an enrolment, and without the visit")
        let again = journal.begin(2)
        try journal.goLive(2, pinHandle: nil, kinds: [.session], account: "ada", since: again)
        #expect(journal.tenancy == first)
        journal.end()
        #expect(journal.tenancy == nil)
        try visit(9, by: "ada", in: &journal)
        #expect(journal.tenancy?.number == 9)
        try visit(10, by: "bob", in: &journal)
        #expect(journal.tenancy?.account == "bob" && journal.tenancy?.number == 10)
        try visit(11, by: "ada", in: &journal)
        #expect(journal.tenancy?.number == 11)
        journal.closeVisit(11)
        #expect(journal.tenancy == nil)
    }

    @Test func anEnrolmentThatEndsLeavesTheVisitOfItsPerson() throws {
        var journal = try Self.visited(by: "ada")
        let beginning = journal.begin(1)
        try journal.goLive(1, pinHandle: nil, kinds: [.session], account: "ada", since: beginning)
        #expect(journal.endVisit(of: nil) == 7 && journal.owner == .enrolment(account: "ada"))
    }

    @Test func endingEndsVisitsAndOpenings() throws {
        var journal = try Self.visited(by: "ada")
        let visit = journal.beginVisit(8, at: Self.now)
        journal.end()
        #expect(journal.owner == .noAccount && journal.ended.sorted() == [7, 8] && journal.opening == [])
        PlaceJournalTests.expectSuperseded(journal) { journal throws(Failure) in
            _ = try journal.openVisit(Visit(number: 8, keeper: nil), account: "ada", since: visit)
        }
    }

    @Test func aVisitIsClosedWhetherItIsOpenOrNot() throws {
        var journal = try Self.visited(by: "ada")
        _ = journal.beginVisit(8, at: Self.now)
        journal.closeVisit(8)
        #expect(journal.ended == [8] && journal.visit(of: nil) == 7)
        journal.closeVisit(7)
        #expect(journal.ended == [8, 7] && journal.owner == .noAccount)
        let closed = journal
        journal.closeVisit(7)
        journal.closeVisit(9)
        #expect(journal == closed)
    }

    @Test func onlyOldOpeningsAreGivenUp() {
        for (age, isGivenUp) in [(0, false), (899, false), (900, true), (-1, true)] {
            var journal = PlaceJournal()
            _ = journal.beginVisit(7, at: Self.now)
            let later = Self.now + .seconds(age)
            #expect(journal.isUnsettled(at: later) == isGivenUp)
            journal.giveUpOldOpenings(at: later)
            #expect(journal.ended == (isGivenUp ? [7] : []), "\(age) s")
        }
    }

    @Test func aJournalWithVisitsIsReadAsItWasWritten() throws {
        var journal = try Self.visited(by: "ada", keeper: 5)
        _ = journal.beginVisit(8, at: Self.now)
        #expect(try JSONDecoder().decode(PlaceJournal.self, from: JSONEncoder().encode(journal)) == journal)
    }
}
