public import ThumbturnCore
import ThumbturnMessages
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Authenticator {
    /// Signs the person in with their account's credentials, and with no key of this device: for a first start, for a
    /// device without sensor, passcode and PIN, and for a person whom none of them lets in today.
    ///
    ///     let grant = try await auth.signIn(with: PasswordSignIn(account: name, password: password))
    ///
    /// The session is the server's shortest. It says which credentials were given (the claim `amr`), and that neither a key
    /// nor a verification of the person stands behind it (`acr`); the server's policy decides whether such sessions exist
    /// and what they may do. Nothing is enrolled and nothing is replaced; `addBiometrics()` may follow. It takes the place
    /// of the session that was there before.
    ///
    /// `authenticate` ends with the same, where the app gave the authenticator a sign-in.
    ///
    /// - Parameters:
    ///   - signIn: asks for the credentials, or has them.
    ///   - reason: why the person is asked, for a screen that `signIn` shows.
    /// - Returns: a grant whose rung is `fullCredentials`.
    /// - Throws: `refused` for credentials that are not right, and where the server has no such sessions;
    ///   `anotherAccount` where this device is enrolled for another account; a cancellation; `unreachable`.
    public func signIn(with signIn: some PrimarySignIn, reason: String = "Sign in to your account") async throws(Failure) -> Grant
    {
        var policy = UnlockPolicy(ladder: [.fullCredentials])
        policy.name = "signIn"
        let request = request(reason, policy, .signIn)
        return try await platform.prompts.ask(request, on: platform, telling: observe) { (ask) async throws(Failure) in
            try await self.openSession(ask, signIn: signIn)
        }
    }

    /// Asks the person, rung by rung, and opens a session.
    ///
    /// - Parameter signIn: the full sign-in as a rung; nil where there is none.
    func openSession(
        _ ask: RunningAsk, by start: UnlockFlow.Start = .tap, signIn: (any PrimarySignIn)?
    ) async throws(Failure) -> Grant {
        let answer = try await answer(ask, by: start, signIn: signIn.map(fullSignIn), challenge: signInChallenge) {
            (proofs, _, check) async throws(Failure) in
            try await self.redeem(proofs, check: check)
        }
        remember(answer.answered, opening: answer.redeemed)
        await beginSettling()
        try ask.check()
        return Grant(answered: answer.answered, session: answer.redeemed)
    }

    private nonisolated func fullSignIn(with signIn: any PrimarySignIn) -> FullSignInOf<DeviceSession> {
        { ask, check in
            FullSignIn {
                () async throws(Failure) in
                try await self.credentials(from: signIn, ask.request.reason)
            } judge: { (given) async throws(Failure) in
                try await self.openVisit(with: given, ask, check: check)
            }
        }
    }

    /// Asks for credentials for a new session key. An attempt that is given up leaves the session of now as it is.
    private func credentials(from signIn: any PrimarySignIn, _ reason: String) async throws(Failure) -> GivenCredentials {
        let number = Int.random(in: 1...Int.max)
        let key = name(of: .session, in: number)
        do throws(Failure) {
            let request = SignInRequest(reason: reason, key: try await platform.keys.create(key))
            let credentials = try await signIn.credentials(for: request)
            guard !Task.isCancelled else { throw Failure(.cancelledByApp) }
            return GivenCredentials(credentials: credentials, number: number)
        } catch {
            try? await deleteKey(key)
            throw error
        }
    }
}

// MARK: - Visits

/// The session that a full sign-in opened, beside an enrolment or without one.
struct Visit: Codable, Sendable {
    /// The number that its session key has in its name.
    var number: Int
    /// The id of the account that signed in; nil where the server did not name it.
    var account: String?
    /// When it began, by the device's calendar; nil for one of an earlier version of the library.
    var began: UnixTime?
}

extension Authenticator {
    /// The visit that goes on; nil where there is none.
    func visit() async throws(Failure) -> Visit? {
        // What cannot be read opens nothing: the person signs in again.
        guard let bytes = try await platform.secrets.read(visitName) else { return nil }
        return try? JSONDecoder().decode(Visit.self, from: Data(bytes))
    }

    /// Has the server judge the credentials, and exchanges its ticket for a session, which takes the place of the one of
    /// before.
    ///
    /// - Parameter check: throws where the session is not to be kept.
    private func openVisit(
        with given: GivenCredentials, _ ask: RunningAsk, check: AskCheck
    ) async throws(Failure) -> DeviceSession {
        do throws(Failure) {
            try await check()
            let key = name(of: .session, in: given.number)
            let ticket = try await ticket(for: given.credentials, judgedFor: key)
            // The person of this device stays that person: another one's password opens nothing here.
            guard try await !enrolments().isOfAnother(than: ticket.account) else { throw Failure(.anotherAccount) }
            try await check()
            try ask.beginSending()
            let fields = [("grant_type", ticketGrantType), ("ticket", ticket.ticket)]
            let session = try await token(for: fields, of: given.number)
            try await check()
            let earlier = try await visit()
            if let earlier, earlier.account == nil || earlier.account != ticket.account {
                // What another person's visit opened ends with it.
                platform.prompts.void(asker, sparing: ask)
            }
            (lastStepUp, lastUnlock, sessionUnlock) = (nil, nil, nil)
            try await keep(session, of: given.number, openedAt: ask.tick)
            let visit = Visit(number: given.number, account: ticket.account, began: platform.clock.civilTime)
            try await platform.secrets.write(StoredRecord.encode(visit), as: visitName)
            if let earlier { await forget(earlier) }
            // The person may have been dismissed while it was written.
            do throws(Failure) {
                try ask.check()
            } catch {
                try? await platform.secrets.delete(visitName)
                throw error
            }
            return session
        } catch {
            await forget(Visit(number: given.number))
            throw error
        }
    }

    /// Has the server exchange a visit that has just begun for a ticket, in the name of a new session key.
    func ticketOfVisit(for key: PublicKey) async throws(Failure) -> EnrolmentTicket {
        guard try await visit() != nil else { throw Failure(.sessionOver, recovery: .signInAgain) }
        let request = VouchRequest(jkt: Signing.thumbprint(of: key))
        do throws(Failure) {
            let answer = try await send("POST", to: "/v1/tickets", json: Signing.encode(request))
            return try checked(try decode(EnrolmentTicket.self, from: answer))
        } catch {
            // The session may go on and be too old for this.
            guard error.code == .refused || error.code == .sessionOver else { throw error }
            throw Failure(.sessionOver, recovery: .signInAgain, status: error.status)
        }
    }

    /// Whether `addBiometrics()` would need no other sign-in, as far as the device can tell: the server decides.
    func hasJustSignedIn() async -> Bool {
        guard let began = (try? await visit())??.began else { return false }
        let now = platform.clock.civilTime
        return began <= now && now < began + .seconds(300)
    }

    /// Ends the visit on this device: a key's session takes its place, or the person signed out.
    func endVisit() async {
        guard let visit = try? await visit() else { return }
        try? await platform.secrets.delete(visitName)
        await forget(visit)
    }

    private func forget(_ visit: Visit) async {
        try? await forgetSession(of: visit.number)
        try? await deleteKey(name(of: .session, in: visit.number))
    }

    private nonisolated var visitName: String {
        let any = name(of: .session, in: 0)
        return "visit \(any.server) \(any.account)"
    }
}
