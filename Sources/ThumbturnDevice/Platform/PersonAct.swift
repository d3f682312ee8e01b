import ThumbturnCore

/// Something that the person did: a match, a sign-in, the begin of an enrolment. It notes when that was, and what the place had
/// then.
///
/// Each right that came from the act carries it: a success, a session in memory, a step-up's token, a visit's right to enrol, keys
/// that are being made. `counts(for:)` is the only judge of whether such a right still counts: locks, absences, dismissals,
/// revocations and panics end it, in this process at once and in another one as soon as the place shows it.
struct PersonAct: Sendable {
    /// The account or the vault that asked.
    let asker: String
    /// Its place in the order of asks and voids.
    private(set) var tick: Tick
    /// The line of prompts that has this order. Ticks mean nothing in another one.
    let prompts: PromptCoordinator
    /// What the place had.
    let mark: PlaceMark
    /// Reads what the place has now; nil if that cannot be read.
    private let read: @Sendable () async -> PlaceMark?

    init(
        _ asker: String, at tick: Tick, in prompts: PromptCoordinator, on mark: PlaceMark,
        reading read: @escaping @Sendable () async throws(Failure) -> PlaceMark
    ) {
        (self.asker, self.tick, self.prompts, self.mark) = (asker, tick, prompts, mark)
        self.read = { try? await read() }
    }

    /// What a right needs beside a person who has been there since.
    enum Demand: Sendable {
        /// The place is still that person's. An enrolment of theirs may have taken the place of another.
        case samePerson
        /// The enrolment or the vault is still the same one.
        case samePlace
    }

    /// Whether no lock, absence, dismissal or revocation of this process has come since.
    var isLive: Bool { prompts.isLive(tick, of: asker) }

    /// Whether the account or vault was dismissed since, in this process.
    var wasDismissed: Bool { prompts.wasDismissed(tick, of: asker) }

    /// Whether a right that came from this act still counts. What another process only forgets is written nowhere, and is not
    /// known here.
    func counts(for demand: Demand) async -> Bool {
        guard isLive, let now = await read() else { return false }
        let isSame =
            switch demand {
            case .samePerson: now.isOfThePerson(of: mark)
            case .samePlace: now == mark
            }
        // The person may have been dismissed while the place was read.
        return isSame && isLive
    }

    /// Throws `cancelledByApp` if a right that came from this act no longer counts.
    func check(for demand: Demand) async throws(Failure) {
        guard await counts(for: demand) else { throw Failure(.cancelledByApp) }
    }

    /// The act of the same person who has just given their credentials. They may have left the app for that, so a lock or an
    /// absence until now does not matter; a dismissal does.
    ///
    /// - Throws: `cancelledByApp` if they were dismissed meanwhile.
    func withCredentials() throws(Failure) -> PersonAct {
        var later = self
        later.tick = prompts.tick()
        guard !wasDismissed else { throw Failure(.cancelledByApp) }
        return later
    }
}

/// The state of a place that decides whether an earlier act still counts: the traces of dismissals, new owners, enrolments and
/// deletions, whichever process made them.
struct PlaceMark: Equatable, Sendable {
    /// The count of the sensor's switch.
    var dismissals: Int
    /// The live enrolment, or the vault's number; nil if there is none.
    var number: Int?
    /// The name of the owner's tenancy, or of the vault's key; nil if there is none. An account that lost the place and came back
    /// has another tenancy: the device may have changed hands.
    var person: String?

    /// Whether the person of an earlier mark is still the one of the place, and was not dismissed since.
    func isOfThePerson(of earlier: PlaceMark) -> Bool { dismissals == earlier.dismissals && person == earlier.person }
}
