/// The journal of a place, where one installation of an app keeps its keys for one server: whom it belongs to, which enrolment is
/// live, which visits are open, where the keys are, and what is unfinished.
///
/// It has one account, which its enrolment and its visits share: a journal of two accounts cannot be written.
///
/// It changes by edits, and each edit says what must still be true: since a task read the journal, another task or
/// process may have ended what the task is making. Such a task is told `superseded`, and the journal stays as it was.
package struct PlaceJournal: Hashable, Sendable, Codable {
    /// The number of the live enrolment.
    package private(set) var live: Int?
    /// The tenancy of the owner; nil while nothing is enrolled and no visit is open.
    package internal(set) var tenancy: Tenancy?
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
    /// The visits that are open, the newest last.
    package internal(set) var visits: [Visit] = []
    /// The visits that are being opened. Only these can become open.
    package internal(set) var opening: [Opening] = []
    /// The numbers of the enrolments and visits that are over, and may have left keys and tokens behind.
    package internal(set) var ended: [Int] = []
    /// Those of `begun` and `ended` that the server may know.
    package private(set) var sent: [Int] = []

    /// An account's time as the owner: it ends when the place has another owner or none, and when the person signs out.
    package struct Tenancy: Hashable, Sendable, Codable {
        /// The id of the account.
        package let account: String
        /// The number of the enrolment or visit that began it, or one of its own. A number is never used twice.
        package let number: Int

        /// A name that no other tenancy has.
        package var name: String { "\(account) \(number)" }
    }

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
    package var isEmpty: Bool { self == PlaceJournal() }

    /// Whom the place belongs to.
    package var owner: PlaceOwner {
        guard let account = tenancy?.account else { return .noAccount }
        return live == nil ? .visit(account: account) : .enrolment(account: account)
    }

    /// Whether an enrolment, a visit or a change of keys has left something behind that is to be ended.
    package func isUnsettled(at now: UnixTime) -> Bool {
        !unfinished.isEmpty || change != nil || !stale.isEmpty || opening.contains { !Self.isRecent($0, at: now) }
    }

    /// The number under which a key of the live enrolment is.
    package func number(of kind: KeyKind) -> Int? { replaced.first { $0.kind == kind }?.number ?? live }

    /// The numbers of the enrolments and visits that are not live and may have left keys behind.
    package var unfinished: [Int] { begun + ended }

    /// Every number under which the live enrolment has, had or may get a key.
    private var liveNumbers: [Int] {
        let numbers = [live].compactMap { $0 } + (replaced + stale).map(\.number) + [change?.number].compactMap { $0 }
        return numbers.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

// MARK: - Enrolments

extension PlaceJournal {
    /// Begins an enrolment, before its first key is made.
    ///
    /// - Returns: the place of now, for `goLive`.
    @discardableResult
    package mutating func begin(_ number: Int) -> PlaceBeginning {
        begun.append(number)
        return beginning
    }

    /// Notes that the server may know an enrolment from now on.
    ///
    /// - Throws: `superseded` where the enrolment has been ended.
    package mutating func sent(_ number: Int) throws(Failure) {
        guard begun.contains(number) else { throw Failure(.superseded) }
        sent.append(number)
    }

    /// Makes an enrolment the live one, and ends the one that was live. If the place belonged to another account, its visits are
    /// over too; a visit of the same account goes on.
    ///
    /// - Parameter before: the place when the enrolment began.
    /// - Throws: `superseded` if the enrolment has been ended, or the place has got another owner meanwhile.
    package mutating func goLive(
        _ number: Int, pinHandle: String?, kinds: [KeyKind], account: String, since before: PlaceBeginning
    ) throws(Failure) {
        guard begun.contains(number), mayBecomeOwner(account, since: before) else { throw Failure(.superseded) }
        let tenancy = tenancy(of: account, startingWith: number)
        if owner.differs(from: account) { endVisits() }
        endLive()
        begun.removeAll { $0 == number }
        sent.removeAll { $0 == number }
        (live, self.pinHandle, self.kinds, self.tenancy) = (number, pinHandle, kinds, tenancy)
    }

    /// Gives up what is being made: it cannot become live any more.
    package mutating func giveUp() {
        ended += begun
        begun = []
    }

    /// Ends every enrolment and visit: the place has no owner, and what is being made can neither become live nor open.
    package mutating func end() {
        endVisits()
        endLive()
        giveUp()
        ended += opening.map(\.number)
        opening = []
    }

    /// Ends the owner's tenancy, and starts another one of the same account: the person signed out, and the device may change
    /// hands.
    package mutating func renewTenancy(_ number: Int) {
        tenancy = tenancy.map { Tenancy(account: $0.account, number: number) }
    }

    /// Notes that an enrolment or a visit that is over has left nothing behind, neither keys nor a record at the server.
    package mutating func undone(_ number: Int) {
        begun.removeAll { $0 == number }
        ended.removeAll { $0 == number }
        sent.removeAll { $0 == number }
    }

    private mutating func endLive() {
        guard let live else { return }
        ended += liveNumbers
        sent.append(live)
        (self.live, pinHandle, kinds) = (nil, nil, [])
        (replaced, change, stale) = ([], nil, [])
        if visits.isEmpty { tenancy = nil }
    }

    /// The tenancy of an account: its current one, or a new one that starts with this number.
    func tenancy(of account: String, startingWith number: Int) -> Tenancy {
        tenancy.flatMap { $0.account == account ? $0 : nil } ?? Tenancy(account: account, number: number)
    }

    private mutating func endVisits() {
        ended += visits.map(\.number)
        visits = []
        if live == nil { tenancy = nil }
    }
}

// MARK: - Changes of keys

extension PlaceJournal {
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

extension PlaceJournal {
    /// Throws `DecodingError` for a journal that no edits give, so that a damaged one is recognised.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        live = try container.decodeIfPresent(Int.self, forKey: .live)
        tenancy = try container.decodeIfPresent(Tenancy.self, forKey: .tenancy)
        pinHandle = try container.decodeIfPresent(String.self, forKey: .pinHandle)
        kinds = try container.decodeIfPresent([KeyKind].self, forKey: .kinds) ?? []
        replaced = try container.decodeIfPresent([KeyPlace].self, forKey: .replaced) ?? []
        change = try container.decodeIfPresent(PendingChange.self, forKey: .change)
        stale = try container.decodeIfPresent([KeyPlace].self, forKey: .stale) ?? []
        begun = try container.decode([Int].self, forKey: .begun)
        visits = try container.decodeIfPresent([Visit].self, forKey: .visits) ?? []
        opening = try container.decodeIfPresent([Opening].self, forKey: .opening) ?? []
        ended = try container.decodeIfPresent([Int].self, forKey: .ended) ?? []
        sent = try container.decode([Int].self, forKey: .sent)
        let namesKeys = pinHandle != nil || change != nil || !(kinds.isEmpty && replaced.isEmpty && stale.isEmpty)
        let isOwned = live != nil || !visits.isEmpty
        guard live != nil || !namesKeys, isOwned == (tenancy != nil), sent.allSatisfy(unfinished.contains) else {
            throw DecodingError.dataCorruptedError(forKey: .live, in: container, debugDescription: "no edits give this journal")
        }
    }
}
