/// The account that a place belongs to. It is never more than one.
package enum PlaceOwner: Hashable, Sendable {
    /// Nothing is enrolled, and no visit is open.
    case noAccount
    /// The account of a visit: signed in with its credentials, and not enrolled.
    case visit(account: String)
    /// The account of the live enrolment, also while a visit of it is open.
    case enrolment(account: String)

    /// The id of the account; nil if there is none.
    package var account: String? {
        switch self {
        case .noAccount: nil
        case .visit(let account), .enrolment(let account): account
        }
    }

    /// Whether the place belongs to another account than this one. False without an owner.
    package func differs(from account: String) -> Bool { self.account.map { $0 != account } ?? false }

    /// Throws `anotherAccount` if another account is enrolled here: its person stays.
    package func checkVisit(of account: String) throws(Failure) {
        if case .enrolment = self, differs(from: account) { throw Failure(.anotherAccount) }
    }
}

/// The place as an act found it when it began.
package struct PlaceBeginning: Hashable, Sendable {
    /// Whom the place belonged to.
    package let owner: PlaceOwner
    /// The owner's tenancy; nil without an owner.
    fileprivate let tenancy: PlaceJournal.Tenancy?
    /// The numbers of what its owner had: the live enrolment and the visits. A number is never used twice.
    fileprivate let numbers: [Int]
}

extension PlaceJournal {
    /// A session that a full sign-in opened, beside an enrolment or without one.
    package struct Visit: Hashable, Sendable, Codable {
        /// The number that its session key has in its name.
        package let number: Int
        /// Who keeps its tokens in memory; nil if they are stored for all processes of the place.
        package let keeper: Int?

        package init(number: Int, keeper: Int?) {
            (self.number, self.keeper) = (number, keeper)
        }
    }

    /// A visit that is being opened: its session key may exist.
    package struct Opening: Hashable, Sendable, Codable {
        package let number: Int
        /// When it began, by the device's calendar.
        package let began: UnixTime
    }

    /// How long the opening of a visit may take. A process that is killed meanwhile cannot say so; after this time others take
    /// the opening for given up. It is longer than an OAuth sign-in waits for its answer.
    package static let longestOpening = Duration.seconds(900)

    /// How many keepers may have a visit each: an app and some extensions. A keeper that is gone leaves its visit behind, and the
    /// oldest one makes room.
    package static let mostVisits = 4

    /// The visit whose tokens this keeper has, or that is stored for all; nil if there is none.
    package func visit(of keeper: Int?) -> Int? { visits.last { $0.keeper == keeper }?.number }

    /// Begins to open a visit, before its session key is made.
    ///
    /// - Returns: the place of now, for `openVisit`.
    package mutating func beginVisit(_ number: Int, at now: UnixTime) -> PlaceBeginning {
        opening.append(Opening(number: number, began: now))
        return beginning
    }

    /// Opens a visit. It takes the place of the keeper's visit of before; if it belongs to another account than those of before,
    /// all of them are over.
    ///
    /// - Parameter before: the place when the visit began.
    /// - Returns: the numbers of the visits that are over.
    /// - Throws: `anotherAccount` if another account is enrolled here; `superseded` if the opening was given up, or the place has
    ///   got another owner meanwhile.
    package mutating func openVisit(
        _ visit: Visit, account: String, since before: PlaceBeginning
    ) throws(Failure) -> [Int] {
        try owner.checkVisit(of: account)
        guard opening.contains(where: { $0.number == visit.number }), mayBecomeOwner(account, since: before) else {
            throw Failure(.superseded)
        }
        let isAnother = owner.differs(from: account)
        opening.removeAll { $0.number == visit.number }
        var over = visits.filter { isAnother || $0.keeper == visit.keeper }
        var kept = visits.filter { !over.contains($0) }
        if kept.count >= Self.mostVisits {
            over += kept.prefix(kept.count - Self.mostVisits + 1)
            kept.removeFirst(kept.count - Self.mostVisits + 1)
        }
        ended += over.map(\.number)
        visits = kept + [visit]
        tenancy = tenancy(of: account, startingWith: visit.number)
        return over.map(\.number)
    }

    /// Ends the visit of a keeper, because a key's session takes its place or the person signed out.
    ///
    /// - Returns: its number; nil if there is none.
    package mutating func endVisit(of keeper: Int?) -> Int? {
        guard let number = visit(of: keeper) else { return nil }
        closeVisit(number)
        return number
    }

    /// Closes a visit, whether it is open or being opened.
    package mutating func closeVisit(_ number: Int) {
        guard visits.contains(where: { $0.number == number }) || opening.contains(where: { $0.number == number }) else { return }
        visits.removeAll { $0.number == number }
        opening.removeAll { $0.number == number }
        ended.append(number)
        if live == nil, visits.isEmpty { tenancy = nil }
    }

    /// Gives up the openings that a killed process may have left.
    package mutating func giveUpOldOpenings(at now: UnixTime) {
        let old = opening.filter { !Self.isRecent($0, at: now) }
        opening.removeAll { old.contains($0) }
        ended += old.map(\.number)
    }

    static func isRecent(_ opening: Opening, at now: UnixTime) -> Bool {
        opening.began <= now && now < opening.began + longestOpening
    }

    /// The place of now, for an act that begins.
    var beginning: PlaceBeginning { PlaceBeginning(owner: owner, tenancy: tenancy, numbers: ownersNumbers) }

    /// Whether an account may own the place now that its act is over: it has owned it since before the act began, or the owner
    /// has done nothing since then. The person who came later stays. What an account began in an earlier tenancy is void.
    func mayBecomeOwner(_ account: String, since before: PlaceBeginning) -> Bool {
        (tenancy?.account == account && tenancy == before.tenancy) || ownersNumbers.allSatisfy(before.numbers.contains)
    }

    private var ownersNumbers: [Int] { [live].compactMap { $0 } + visits.map(\.number) }
}
