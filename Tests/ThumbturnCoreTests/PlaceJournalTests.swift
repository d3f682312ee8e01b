import Foundation
import Testing
import ThumbturnCore

/// Each edit of the journal, and each refusal: what was ended meanwhile can neither go on nor come back.
@Suite struct PlaceJournalTests {
    typealias Place = PlaceJournal.KeyPlace
    typealias Change = PlaceJournal.PendingChange
    static let now = UnixTime(seconds: 1_000_000)

    /// A journal whose live enrolment is number 1.
    static func live(_ kinds: [KeyKind] = [.session, .biometric, .pin]) throws -> PlaceJournal {
        var journal = PlaceJournal()
        journal.begin(1)
        try journal.sent(1)
        try journal.goLive(1, pinHandle: "handle", kinds: kinds, account: "ada", since: .noAccount)
        return journal
    }

    /// Expects an edit to be told that it was overtaken, and to change nothing.
    static func expectSuperseded(
        _ journal: PlaceJournal, sourceLocation: SourceLocation = #_sourceLocation,
        _ edit: (inout PlaceJournal) throws(Failure) -> Void
    ) {
        var edited = journal
        do throws(Failure) {
            try edit(&edited)
            Issue.record("the edit was made", sourceLocation: sourceLocation)
        } catch {
            #expect(error.code == .superseded, sourceLocation: sourceLocation)
        }
        #expect(edited == journal, sourceLocation: sourceLocation)
    }

    // MARK: Enrolments

    @Test func anEnrolmentGoesLiveStepByStep() throws {
        var journal = PlaceJournal()
        #expect(journal.isEmpty && journal.number(of: .session) == nil)
        journal.begin(1)
        #expect(journal.live == nil && journal.unfinished == [1] && journal.sent == [] && !journal.isEmpty)
        try journal.sent(1)
        #expect(journal.live == nil && journal.unfinished == [1] && journal.sent == [1])
        try journal.goLive(1, pinHandle: "handle", kinds: [.session, .pin], account: "ada", since: .noAccount)
        #expect(journal.live == 1 && journal.unfinished == [] && journal.sent == [])
        #expect(journal.pinHandle == "handle" && journal.kinds == [.session, .pin] && journal.owner.account == "ada")
        #expect(journal.number(of: .biometric) == 1)
    }

    @Test func theEnrolmentThatIsReplacedEnds() throws {
        var journal = try Self.live()
        let beginning = journal.begin(2)
        #expect(journal.live == 1 && journal.unfinished == [2])
        try journal.sent(2)
        try journal.goLive(2, pinHandle: nil, kinds: [.session], account: "ada", since: beginning)
        #expect(journal.live == 2 && journal.unfinished == [1] && journal.sent == [1], "the server may still know the first")
        #expect(journal.pinHandle == nil && journal.kinds == [.session] && journal.owner.account == "ada")
        journal.undone(1)
        #expect(journal.unfinished == [] && journal.sent == [])
    }

    @Test func everyKeyOfTheReplacedEnrolmentIsListed() throws {
        var journal = try Self.live()
        let (first, second) = (Change(kind: .pin, number: 5), Change(kind: .biometric, number: 6))
        try journal.change(first)
        try journal.finish(first)
        try journal.change(second)
        let beginning = journal.begin(2)
        try journal.goLive(2, pinHandle: nil, kinds: [], account: "ada", since: beginning)
        #expect(journal.unfinished.sorted() == [1, 5, 6] && journal.sent == [1])
        #expect(journal.change == nil && journal.stale == [] && journal.number(of: .pin) == 2)
    }

    @Test func anEnrolmentThatWasEndedGoesNoFurther() throws {
        var journal = try Self.live()
        journal.begin(2)
        journal.begin(3)
        try journal.sent(2)
        journal.end()
        for number in [2, 3] {
            Self.expectSuperseded(journal) { journal throws(Failure) in try journal.sent(number) }
            Self.expectSuperseded(journal) { journal throws(Failure) in
                try journal.goLive(number, pinHandle: nil, kinds: [], account: "ada", since: .noAccount)
            }
        }
        Self.expectSuperseded(journal) { journal throws(Failure) in
            try journal.goLive(1, pinHandle: nil, kinds: [], account: "ada", since: .noAccount)
        }
    }

    @Test func anEnrolmentThatWasUndoneGoesNoFurther() {
        var journal = PlaceJournal()
        journal.begin(1)
        journal.undone(1)
        #expect(journal.isEmpty)
        Self.expectSuperseded(journal) { journal throws(Failure) in try journal.sent(1) }
        Self.expectSuperseded(journal) { journal throws(Failure) in
            try journal.goLive(1, pinHandle: nil, kinds: [], account: "ada", since: .noAccount)
        }
    }

    @Test func endingLeavesNothingLiveAndForgetsNoKey() throws {
        var journal = try Self.live()
        let change = Change(kind: .biometric, number: 5)
        try journal.change(change)
        journal.undo(change)
        try journal.change(Change(kind: .pin, number: 6))
        journal.begin(2)
        journal.end()
        #expect(journal.live == nil && journal.begun == [] && journal.ended.sorted() == [1, 2, 5, 6])
        #expect(journal.sent == [1], "only the live one was sent")
        #expect(journal.number(of: .session) == nil && journal.pinHandle == nil && journal.owner.account == nil)
        let ended = journal
        journal.end()
        #expect(journal == ended, "ending twice is ending once")
        for number in ended.ended { journal.undone(number) }
        #expect(journal.isEmpty)
    }

    @Test func endingNothingIsNothing() {
        var journal = PlaceJournal()
        journal.end()
        #expect(journal.isEmpty)
    }

    // MARK: Changes of keys

    @Test func aChangeThatIsMadeReplacesTheKey() throws {
        var journal = try Self.live()
        try journal.change(Change(kind: .pin, number: 5))
        try journal.change(Change(kind: .pin, number: 5, kid: "first"))
        try journal.change(Change(kind: .pin, number: 5, kid: "second"))
        #expect(journal.number(of: .pin) == 1 && journal.pinHandle == "handle", "the old key counts until the change is made")
        try journal.finish(Change(kind: .pin, number: 5))
        #expect(journal.number(of: .pin) == 5 && journal.pinHandle == "second" && journal.change == nil)
        #expect(journal.stale == [Place(kind: .pin, number: 1)])
        #expect(journal.kinds.sorted { $0.rawValue < $1.rawValue } == [.biometric, .pin, .session])
        journal.deleted([Place(kind: .pin, number: 1)])
        #expect(journal.stale == [] && journal.number(of: .session) == 1)
    }

    @Test func aSecondChangeReplacesTheKeyOfTheFirst() throws {
        var journal = try Self.live()
        for number in [5, 6] {
            try journal.change(Change(kind: .biometric, number: number))
            try journal.finish(Change(kind: .biometric, number: number))
        }
        #expect(journal.replaced == [Place(kind: .biometric, number: 6)] && journal.pinHandle == "handle")
        #expect(journal.stale == [Place(kind: .biometric, number: 1), Place(kind: .biometric, number: 5)])
        #expect(journal.kinds.count { $0 == .biometric } == 1)
    }

    @Test func whatIsLeftBehindIsToBeEnded() throws {
        var journal = try Self.live()
        #expect(!journal.isUnsettled(at: Self.now))
        try journal.change(Change(kind: .pin, number: 5))
        #expect(journal.isUnsettled(at: Self.now), "the change is under way")
        try journal.finish(Change(kind: .pin, number: 5))
        #expect(journal.isUnsettled(at: Self.now), "the former key is there")
        journal.deleted([Place(kind: .pin, number: 1)])
        #expect(!journal.isUnsettled(at: Self.now))
        journal.begin(2)
        #expect(journal.isUnsettled(at: Self.now))
    }

    @Test func aRemovalLeavesNoKeyToMiss() throws {
        var journal = try Self.live()
        try journal.change(Change(kind: .pin, number: nil))
        try journal.finish(Change(kind: .pin, number: nil))
        #expect(journal.pinHandle == nil && journal.kinds == [.session, .biometric])
        #expect(journal.stale == [Place(kind: .pin, number: 1)])
    }

    @Test func aChangeThatIsNotMadeLeavesItsKeyToBeDeleted() throws {
        var journal = try Self.live()
        try journal.change(Change(kind: .biometric, number: 5))
        journal.undo(Change(kind: .biometric, number: 5))
        #expect(journal.number(of: .biometric) == 1 && journal.change == nil)
        #expect(journal.stale == [Place(kind: .biometric, number: 5)])
        try journal.change(Change(kind: .pin, number: nil))
        journal.undo(Change(kind: .pin, number: nil))
        #expect(journal.stale == [Place(kind: .biometric, number: 5)], "a removal made no key")
        #expect(try journal.kinds == Self.live().kinds)
    }

    @Test func aChangeThatWasOvertakenGoesNoFurther() throws {
        let own = Change(kind: .biometric, number: 5, kid: "kid")
        var other = try Self.live()
        try other.change(Change(kind: .biometric, number: 6))
        var replaced = try Self.live()
        try replaced.change(Change(kind: .biometric, number: 5))
        let beginning = replaced.begin(2)
        try replaced.goLive(2, pinHandle: nil, kinds: [], account: "ada", since: beginning)
        var ended = try Self.live()
        ended.end()
        for journal in [try Self.live(), other, replaced, ended] {
            Self.expectSuperseded(journal) { journal throws(Failure) in try journal.change(own) }
            Self.expectSuperseded(journal) { journal throws(Failure) in try journal.finish(own) }
            var undone = journal
            undone.undo(own)
            #expect(undone == journal, "there is nothing to undo")
        }
        for journal in [other, ended] {
            Self.expectSuperseded(journal) { journal throws(Failure) in try journal.change(Change(kind: .pin, number: 7)) }
        }
    }

    @Test func aChangeThatIsFinishedStaysSo() throws {
        var journal = try Self.live()
        let (change, removal) = (Change(kind: .biometric, number: 5), Change(kind: .pin, number: nil))
        for settled in [change, removal] {
            try journal.change(settled)
            try journal.finish(settled)
            let finished = journal
            try journal.finish(settled)
            journal.undo(settled)
            #expect(journal == finished)
        }
        try journal.change(Change(kind: .biometric, number: 6))
        try journal.finish(change)
        #expect(journal.change == Change(kind: .biometric, number: 6), "the next change goes on")
    }

    @Test func whatIsGivenUpCannotGoLive() throws {
        var journal = try Self.live()
        let beginning = journal.begin(2)
        try journal.sent(2)
        journal.giveUp()
        #expect(journal.live == 1 && journal.begun == [] && journal.ended == [2] && journal.sent == [2])
        Self.expectSuperseded(journal) { journal throws(Failure) in
            try journal.goLive(2, pinHandle: nil, kinds: [], account: "ada", since: beginning)
        }
    }

    @Test func aDroppedKindIsNeitherMissedNorBroughtBack() throws {
        var journal = try Self.live()
        try journal.change(Change(kind: .biometric, number: 5))
        journal.drop(.biometric)
        #expect(journal.change == nil && journal.stale == [Place(kind: .biometric, number: 5)])
        #expect(journal.kinds == [.session, .pin])
        try journal.change(Change(kind: .pin, number: 6))
        journal.drop(.biometric)
        #expect(journal.change != nil, "a change of another key goes on")
    }

    // MARK: Reading

    @Test func aJournalIsReadAsItWasWritten() throws {
        var journal = try Self.live()
        try journal.change(Change(kind: .pin, number: 5))
        try journal.finish(Change(kind: .pin, number: 5))
        try journal.change(Change(kind: .biometric, number: 6))
        try journal.change(Change(kind: .biometric, number: 6, kid: "kid"))
        let beginning = journal.begin(2)
        try journal.sent(2)
        var later = journal
        try later.goLive(2, pinHandle: "handle", kinds: [.session], account: "ada", since: beginning)
        for journal in [PlaceJournal(), journal, later] {
            #expect(try JSONDecoder().decode(PlaceJournal.self, from: JSONEncoder().encode(journal)) == journal)
        }
    }

    @Test(
        "a damaged journal is recognised",
        arguments: [
            "", "{", "[]", "7", "{}", #"{"begun":[]}"#, #"{"begun":[],"sent":[],"live":"1"}"#,
            #"{"begun":[],"sent":[4]}"#, #"{"begun":[],"sent":[],"pinHandle":"h"}"#, #"{"begun":[],"sent":[],"kinds":["pin"]}"#,
            #"{"begun":[],"sent":[],"change":{"kind":"pin"}}"#, #"{"begun":[],"sent":[],"live":1}"#,
            #"{"begun":[],"sent":[],"tenancy":{"account":"ada","number":1}}"#, #"{"begun":[],"sent":[],"visits":[{"number":3}]}"#,
            #"{"begun":[],"sent":[],"stale":[{"kind":"pin","number":4}]}"#,
        ])
    func damaged(_ text: String) {
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(PlaceJournal.self, from: Data(text.utf8)) }
    }
}
