import Synchronization
import ThumbturnCore
import ThumbturnMessages

/// Visits: sessions that a full sign-in opened, beside an enrolment or without one. The place's journal knows them from before their
/// session key is made until its last trace is deleted.
extension Authenticator {
    /// Who keeps the tokens of this authenticator's visits: itself in memory, or the place for all processes.
    var keeper: Int? { sessionKeeping == .untilLock ? keeperNumber : nil }

    /// This authenticator's visit that goes on; nil if there is none.
    func visit() async throws(Failure) -> Int? { try await enrolments().visit(of: keeper) }

    /// Begins a visit: makes its session key, and asks for credentials for it. An attempt that is given up leaves the session of
    /// now as it is.
    ///
    /// - Parameter begun: takes the visit's number, so that the caller can close a visit whose credentials came too late.
    func beginVisit(
        with signIn: any PrimarySignIn, _ reason: String, noting begun: BegunVisits
    ) async throws(Failure) -> GivenCredentials {
        let number = Int.random(in: 1...Int.max)
        let now = platform.clock.civilTime
        let beginning = try await edit { $0.beginVisit(number, at: now) }
        begun.note(number)
        do throws(Failure) {
            let key = name(of: .session, in: number)
            _ = try await platform.keys.create(key)
            let answer = try await credentials(from: signIn, for: key, .signIn, reason, beginning.owner)
            guard !Task.isCancelled else { throw Failure(.cancelledByApp) }
            return GivenCredentials(answer: answer, number: number, beginning: beginning)
        } catch {
            await closeVisit(number)
            throw error
        }
    }

    /// Has the server judge the credentials, and exchanges its ticket for a session, which takes the place of the one of
    /// before. Another owner's visits, sessions, answers and successes end with that.
    ///
    /// - Parameters:
    ///   - mark: what the place had when the ask began.
    ///   - check: throws if the session is not to be kept.
    func openVisit(
        with given: GivenCredentials, _ ask: RunningAsk, on mark: PlaceMark, check: AskCheck
    ) async throws(Failure) -> DeviceSession {
        let number = given.number
        do throws(Failure) {
            try await check()
            let key = name(of: .session, in: number)
            let ticket = try await ticket(for: given.answer, key: key)
            let account = ticket.account
            // Another person's password opens nothing on an enrolled device, and no session is asked for.
            let owner = try await enrolments().owner
            try owner.checkVisit(of: account)
            try await check()
            try ask.beginSending()
            let session = try await token(for: [("grant_type", ticketGrantType), ("ticket", ticket.text)], of: number)
            try await check()
            // Before the edit: a process that ends after it finds nothing of the former owner.
            if owner.differs(from: account) { try await forgetAnswers() }
            // From here on no earlier success of this authenticator stands in for anything.
            forgetRights()
            try await keep(session, of: number, since: ask.act(on: mark, reading: placeMark))
            let visit = PlaceJournal.Visit(number: number, keeper: keeper)
            let (over, isAnother, tenancy) = try await edit { (journal) throws(Failure) in
                try ask.check()
                let isAnother = journal.owner.differs(from: account)
                let over = try journal.openVisit(visit, account: account, since: given.beginning)
                return (over, isAnother, journal.tenancy)
            }
            if isAnother { platform.prompts.void(asker, sparing: ask) }
            var opened = mark
            opened.person = tenancy?.name
            let act = ask.act(on: opened, reading: placeMark)
            // The void has spared the ask, and not the session that it opened. Only now is the tenancy known.
            heldSessions[number]?.act = act
            await forgetVisits(over, tellingServer: isAnother)
            // The person may have been dismissed while it was written.
            try ask.check()
            offer = EnrolmentOffer(
                visit: number, act: act, at: moment, isFresh: ticket.isFresh,
                lockProblem: ticket.isFresh || !given.answer.mustBeFresh ? nil : .stale("auth_time"))
            return session
        } catch {
            await closeVisit(number)
            throw error
        }
    }

    /// Ends this authenticator's visit on this device, because a key's session takes its place.
    func endVisit() async {
        let keeper = keeper
        guard let number = (try? await edit { $0.endVisit(of: keeper) }) ?? nil else { return }
        await forgetVisits([number])
    }

    /// Closes the visits of an ask whose credentials came too late, such as after the prompt was dismissed.
    func closeUnopened(_ begun: BegunVisits) async {
        guard !begun.all.isEmpty, let journal = try? await enrolments() else { return }
        for number in begun.all where journal.opening.contains(where: { $0.number == number }) { await closeVisit(number) }
    }

    /// Closes a visit, whether it is open or being opened.
    func closeVisit(_ number: Int) async {
        _ = try? await edit { $0.closeVisit(number) }
        await forgetVisits([number])
    }

    /// Deletes what visits that are over have left: their tokens, and their session keys, without which the tokens are useless.
    ///
    /// - Parameter tellingServer: whether the server is told, within ten seconds: the sessions are another person's.
    func forgetVisits(_ numbers: [Int], tellingServer: Bool = false) async {
        for number in numbers {
            let token = await takeSession(of: number)
            if tellingServer, let token {
                _ = try? await withinTenSeconds { (auth) async throws(Failure) in try await auth.revoke(token, of: number) }
            }
            guard (try? await forgetSession(of: number)) != nil,
                (try? await deleteKey(name(of: .session, in: number))) != nil
            else { continue }
            _ = try? await edit { $0.undone(number) }
        }
    }
}

// MARK: - The right to enrol

/// The right to enrol without giving the credentials again, which a full sign-in gives once.
struct EnrolmentOffer: Sendable {
    /// The visit whose session asks for the ticket.
    let visit: Int
    /// The sign-in.
    let act: PersonAct
    /// When the session was opened.
    let at: Moment
    /// Whether the person was verified for the sign-in. If not, there is no right: they sign in again.
    let isFresh: Bool
    /// Why the sign-in opens no lock; nil if it does.
    let lockProblem: Failure?

    /// How long it lasts; the server has the same limit.
    static let lifetime = Duration.seconds(300)
}

extension Authenticator {
    /// The right to enrol that the last full sign-in gave; nil if it is used, too old, or no longer counts.
    func liveOffer() async -> EnrolmentOffer? {
        guard let offer, offer.isFresh, let age = offer.at.elapsed(until: moment), age < EnrolmentOffer.lifetime,
            (try? await visit()) == offer.visit, await offer.act.counts(for: .samePerson)
        else { return nil }
        return offer
    }

    /// Has the server exchange a visit that has just begun for a ticket, in the name of a new session key.
    func ticket(of offer: EnrolmentOffer, for key: PublicKey) async throws(Failure) -> JudgedTicket {
        guard await liveOffer()?.visit == offer.visit else { throw Self.signInAgain }
        let request = VouchRequest(jkt: Signing.thumbprint(of: key))
        do throws(Failure) {
            let answer = try await send("POST", to: "/v1/tickets", json: Signing.encode(request))
            self.offer = nil
            return try JudgedTicket(try decode(EnrolmentTicket.self, from: answer))
        } catch {
            // The session may go on and be too old for this.
            guard error.code == .refused || error.code == .sessionOver else { throw error }
            throw Failure(.sessionOver, recovery: .signInAgain, status: error.status)
        }
    }

    /// The failure of a call that needs a full sign-in before it.
    static var signInAgain: Failure { Failure(.sessionOver, recovery: .signInAgain) }
}

/// The visits that one ask began.
final class BegunVisits: Sendable {
    private let numbers = Mutex<[Int]>([])

    var all: [Int] { numbers.withLock { $0 } }

    func note(_ number: Int) { numbers.withLock { $0.append(number) } }
}
