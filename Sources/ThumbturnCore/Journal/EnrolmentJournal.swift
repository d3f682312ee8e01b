/// The journal of a device's enrolments with one server and account: which one is live, where its keys are, and what is
/// unfinished.
///
/// It changes by edits, and each edit says what must still be true: since a task read the journal, another task or
/// process may have ended what the task is making. Such a task is told `superseded`, and the journal stays as it was.
package struct EnrolmentJournal: Hashable, Sendable, Codable {
    /// The number of the live enrolment.
    package private(set) var live: Int?
    /// The id of the account that the live enrolment belongs to; nil where the server did not name it.
    package private(set) var account: String?
    /// The id under which the server knows the live enrolment's PIN key.
    package private(set) var pinHandle: String?
    /// The kinds of keys that the live enrolment has. A key of these kinds that is missing is gone for good.
    package private(set) var kinds: [KeyKind] = []
    /// The live enrolment's keys that replaced an earlier one.
    package private(set) var replaced: [KeyPlace] = []
    /// A change that the server may or may not have made.
    package private(set) var change: PendingChange?
    /// Keys of the live enrolment that are not needed any more.
    package private(set) var stale: [KeyPlace] = []
    /// The numbers of the enrolments that are being made. Only these can become live.
    package private(set) var begun: [Int] = []
    /// The numbers of the enrolments that are over, and may have left keys behind.
    package private(set) var ended: [Int] = []
    /// Those of `begun` and `ended` that the server may know.
    package private(set) var sent: [Int] = []

    /// Where a key is: under a number of its own, so that it can be made beside the key that it replaces.
    package struct KeyPlace: Hashable, Sendable, Codable {
        package let kind: KeyKind
        package let number: Int

        package init(kind: KeyKind, number: Int) {
            self.kind = kind
            self.number = number
        }
    }

    /// A change of one key of the live enrolment.
    package struct PendingChange: Hashable, Sendable, Codable {
        package let kind: KeyKind
        /// The number of the new key; nil where the key is removed.
        package let number: Int?
        /// The id of the new key; nil until it is known. Before that nothing was sent.
        package let kid: String?

        package init(kind: KeyKind, number: Int?, kid: String? = nil) {
            self.kind = kind
            self.number = number
            self.kid = kid
        }

        /// Whether both are steps of one change. The number of a new key is never used twice.
        fileprivate func isSame(as other: PendingChange?) -> Bool { kind == other?.kind && number == other?.number }
    }

    /// A journal of nothing.
    package init() {}

    /// Whether there is nothing to remember.
    package var isEmpty: Bool { self == EnrolmentJournal() }

    /// Whether an enrolment or a change of keys has left something behind that is to be ended.
    package var isUnsettled: Bool { !unfinished.isEmpty || change != nil || !stale.isEmpty }

    /// The number under which a key of the live enrolment is.
    package func number(of kind: KeyKind) -> Int? { replaced.first { $0.kind == kind }?.number ?? live }

    /// Whether the live enrolment belongs to another account than this one. An account that is not known may be another one.
    package func isOfAnother(than account: String?) -> Bool {
        live != nil && (self.account == nil || self.account != account)
    }

    /// The numbers of the enrolments that are not live and may have left keys behind.
    package var unfinished: [Int] { begun + ended }

    /// Every number under which the live enrolment has, had or may get a key.
    private var liveNumbers: [Int] {
        let numbers = [live].compactMap { $0 } + (replaced + stale).map(\.number) + [change?.number].compactMap { $0 }
        return numbers.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

// MARK: - Enrolments

extension EnrolmentJournal {
    /// Begins an enrolment, before its first key is made.
    package mutating func begin(_ number: Int) { begun.append(number) }

    /// Notes that the server may know an enrolment from now on.
    ///
    /// - Throws: `superseded` where the enrolment has been ended.
    package mutating func sent(_ number: Int) throws(Failure) {
        guard begun.contains(number) else { throw Failure(.superseded) }
        sent.append(number)
    }

    /// Makes an enrolment the live one, and ends the one that was live.
    ///
    /// - Throws: `superseded` where the enrolment has been ended.
    package mutating func goLive(
        _ number: Int, pinHandle: String?, kinds: [KeyKind], account: String?
    ) throws(Failure) {
        guard begun.contains(number) else { throw Failure(.superseded) }
        endLive()
        begun.removeAll { $0 == number }
        sent.removeAll { $0 == number }
        (live, self.pinHandle, self.kinds, self.account) = (number, pinHandle, kinds, account)
    }

    /// Gives up what is being made: it cannot become live any more.
    package mutating func giveUp() {
        ended += begun
        begun = []
    }

    /// Ends every enrolment: nothing is live, and what is being made cannot become live.
    package mutating func end() {
        endLive()
        giveUp()
    }

    /// Notes that an enrolment that is not live has left nothing behind, neither keys nor a record at the server.
    package mutating func undone(_ number: Int) {
        begun.removeAll { $0 == number }
        ended.removeAll { $0 == number }
        sent.removeAll { $0 == number }
    }

    private mutating func endLive() {
        guard let live else { return }
        ended += liveNumbers
        sent.append(live)
        (self.live, pinHandle, kinds, account) = (nil, nil, [], nil)
        (replaced, change, stale) = ([], nil, [])
    }
}

// MARK: - Changes of keys

extension EnrolmentJournal {
    /// Writes a change down: before the server is asked for it and its key is made, and again with the key's id.
    ///
    /// - Throws: `superseded` where another change is pending, or where this one has been settled or its enrolment ended.
    package mutating func change(_ change: PendingChange) throws(Failure) {
        let isNext = self.change == nil ? change.kid == nil : change.isSame(as: self.change)
        guard live != nil, isNext else { throw Failure(.superseded) }
        self.change = change
    }

    /// Records that the change is made; one that is finished already stays so.
    ///
    /// - Throws: `superseded` where it was undone, or its enrolment ended.
    package mutating func finish(_ change: PendingChange) throws(Failure) {
        guard let made = taken(change) else {
            guard live != nil, isFinished(change) else { throw Failure(.superseded) }
            return
        }
        if let old = number(of: made.kind) { stale.append(KeyPlace(kind: made.kind, number: old)) }
        kinds.removeAll { $0 == made.kind }
        if let number = made.number {
            replaced = replaced.filter { $0.kind != made.kind } + [KeyPlace(kind: made.kind, number: number)]
            kinds.append(made.kind)
        }
        if made.kind == .pin { pinHandle = made.kid }
    }

    /// Records that the change is not made. One that is not pending any more stays as it was settled.
    package mutating func undo(_ change: PendingChange) {
        guard let undone = taken(change), let number = undone.number else { return }
        stale.append(KeyPlace(kind: undone.kind, number: number))
    }

    /// Notes that keys that were not needed any more are deleted.
    package mutating func deleted(_ places: [KeyPlace]) {
        stale.removeAll { places.contains($0) }
    }

    /// Drops a kind of key, which the person declined: it is not missed, and no pending change brings it.
    package mutating func drop(_ kind: KeyKind) {
        if let change, change.kind == kind { undo(change) }
        kinds.removeAll { $0 == kind }
    }

    private func isFinished(_ change: PendingChange) -> Bool {
        guard let number = change.number else { return !kinds.contains(change.kind) }
        return self.number(of: change.kind) == number
    }

    /// Takes a change out of the journal, as it was written last; nil where it is not pending.
    private mutating func taken(_ change: PendingChange) -> PendingChange? {
        guard let pending = self.change, change.isSame(as: pending) else { return nil }
        self.change = nil
        return pending
    }
}

// MARK: - Reading

extension EnrolmentJournal {
    /// Throws `DecodingError` for a journal that no edits give, so that a damaged one is recognised.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        live = try container.decodeIfPresent(Int.self, forKey: .live)
        account = try container.decodeIfPresent(String.self, forKey: .account)
        pinHandle = try container.decodeIfPresent(String.self, forKey: .pinHandle)
        kinds = try container.decodeIfPresent([KeyKind].self, forKey: .kinds) ?? []
        replaced = try container.decodeIfPresent([KeyPlace].self, forKey: .replaced) ?? []
        change = try container.decodeIfPresent(PendingChange.self, forKey: .change)
        stale = try container.decodeIfPresent([KeyPlace].self, forKey: .stale) ?? []
        begun = try container.decode([Int].self, forKey: .begun)
        ended = try container.decodeIfPresent([Int].self, forKey: .ended) ?? []
        sent = try container.decode([Int].self, forKey: .sent)
        let namesKeys = pinHandle != nil || change != nil || !(kinds.isEmpty && replaced.isEmpty && stale.isEmpty)
        guard live != nil || !namesKeys, sent.allSatisfy(unfinished.contains) else {
            throw DecodingError.dataCorruptedError(forKey: .live, in: container, debugDescription: "no edits give this journal")
        }
    }
}
