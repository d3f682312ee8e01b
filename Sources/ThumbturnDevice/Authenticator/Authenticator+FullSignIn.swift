public import ThumbturnCore
import ThumbturnMessages

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
        try await leaveDamagedJournal()
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
        let begun = BegunVisits()
        let lastRung = signIn.map { fullSignIn(with: $0, noting: begun) }
        let outcome: Result<ProofAnswer<DeviceSession>, Failure>
        do throws(Failure) {
            outcome = .success(
                try await answer(ask, by: start, signIn: lastRung, challenge: signInChallenge) {
                    (proofs, _) async throws(Failure) in
                    try await self.session(for: proofs)
                } keep: { (session, answered, check) async throws(Failure) in
                    try await self.keep(session, since: answered.act, check: check)
                })
        } catch {
            outcome = .failure(error)
        }
        // An ask that fails keeps no session, also one that was opened before it failed.
        switch outcome {
        case .success: await closeUnopened(begun)
        case .failure: for number in begun.all { await closeVisit(number) }
        }
        let answer = try outcome.get()
        remember(answer.answered, opening: answer.redeemed)
        await beginSettling()
        try ask.check()
        return Grant(answered: answer.answered, session: answer.redeemed)
    }

    private nonisolated func fullSignIn(
        with signIn: any PrimarySignIn, noting begun: BegunVisits
    ) -> FullSignInOf<DeviceSession> {
        { ask, mark, check in
            FullSignIn {
                () async throws(Failure) in
                try await self.beginVisit(with: signIn, ask.request.reason, noting: begun)
            } judge: { (given) async throws(Failure) in
                try await self.openVisit(with: given, ask, on: mark, check: check)
            }
        }
    }
}

// MARK: - Credentials

/// A ticket of the server, and the account that it is for.
struct JudgedTicket: Sendable {
    let text: String
    let account: String
    /// Whether the person was verified for the sign-in, as the server says.
    let isFresh: Bool

    /// Throws `unexpectedAnswer` for a ticket that could not be sent back as it came, or that names no account.
    init(_ ticket: EnrolmentTicket) throws(Failure) {
        guard EchoedText.isOpaqueToken(ticket.ticket), let account = ticket.account else { throw Failure(.unexpectedAnswer) }
        (text, self.account, isFresh) = (ticket.ticket, account, ticket.isFresh == true)
    }
}

extension Authenticator {
    /// Asks the person for their credentials in the name of a session key.
    ///
    /// The challenge comes before: it shows the server when the sign-in began, and brings the DPoP nonce, so that a password is
    /// usually sent once.
    ///
    /// - Parameter owner: the owner of the place. If there is one, or the sensor is switched off, the provider has to authenticate
    ///   the person now; otherwise a session that it already has is enough.
    func credentials(
        from signIn: any PrimarySignIn, for key: KeyName, _ purpose: SignInRequest.Purpose, _ reason: String, _ owner: PlaceOwner
    ) async throws(Failure) -> SignInAnswer {
        let publicKey = try await platform.keys.publicKey(of: key)
        let challenge = try await connection.challenge(.enrol, for: [Signing.thumbprint(of: publicKey)], key: key)
        let isSensorOff = try await sensorSwitch.read().isOff
        let mustBeFresh = owner != .noAccount || isSensorOff
        let request = SignInRequest(
            reason: reason, key: publicKey, purpose: purpose, freshSince: mustBeFresh ? challenge.issuedAt : nil)
        return SignInAnswer(
            credentials: try await signIn.credentials(for: request), challenge: challenge, mustBeFresh: mustBeFresh)
    }

    /// Has the server judge the person's credentials, and exchange them for a ticket for this session key.
    func ticket(for answer: SignInAnswer, key: KeyName) async throws(Failure) -> JudgedTicket {
        let body = answer.credentials.body(startedBy: answer.challenge)
        let response = try await connection.send("POST", to: answer.credentials.path, body: body, key: key)
        guard let ticket = answer.credentials.ticket(response.body) else { throw Failure(.unexpectedAnswer) }
        return try JudgedTicket(ticket)
    }
}
