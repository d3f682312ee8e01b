import Synchronization
public import ThumbturnCore
import ThumbturnMessages
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Signs a person in with the keys of this device. This is where an app begins.
///
/// One authenticator serves one server and one account. It stores no "enabled" flag: what is possible is read from the
/// keys.
///
///     let auth = try Authenticator(server: url, platform: platform)
///     try await auth.enrol(with: PasswordSignIn(account: name, password: password))
///     let grant = try await auth.authenticate("Unlock Acme", policy: .unlock)
public actor Authenticator {
    package nonisolated let platform: DevicePlatform
    package nonisolated let connection: ServerConnection
    nonisolated let address: ServerAddress
    nonisolated let account: String
    /// The news of this account's unlocks, for the screens behind their prompts.
    public nonisolated let news = UnlockNewsRelay()
    /// The origins of the app's own APIs.
    nonisolated let resources: Set<WebOrigin>
    nonisolated let observe: @Sendable (UnlockNews) -> Void
    /// The app's own login, as the last rung; nil where the app shows it itself.
    nonisolated let signIn: (any PrimarySignIn)?
    /// Whether a prompt found no sensor although the system had called it ready. It is not asked again before the
    /// system reports another state.
    private nonisolated let sensorIsOut = Mutex(false)
    /// Tells this authenticator's visits from those of others that keep their tokens in memory.
    nonisolated let keeperNumber = Int.random(in: 1...Int.max)
    /// The last unlock, for policies whose `reuse` lets it stand in for the next one.
    var lastUnlock: AnsweredAsk?
    /// The unlock that opened the last session, for actions that take one.
    var sessionUnlock: (answered: AnsweredAsk, session: DeviceSession)?
    nonisolated let sessionKeeping: SessionKeeping
    /// The sessions in memory, by their numbers; none where they are stored.
    var heldSessions: [Int: HeldSession] = [:]
    /// Sessions that have ended here, and that the server could not be told of yet.
    var untoldSessions: [(number: Int, refreshToken: String)] = []
    /// The settling that is running.
    var settling: Task<Void, Never>?
    /// The last step-up, until the next sign-in or step-up.
    var lastStepUp: StepUp?
    /// The right to enrol that the last full sign-in gave, until it is used.
    var offer: EnrolmentOffer?

    /// Makes an authenticator for one server and account.
    ///
    /// - Parameters:
    ///   - server: an https address, or an http address of this machine itself; any other throws `insecureServer`.
    ///   - account: the app's own label, where it keeps several accounts on one device.
    ///   - resources: the origins of the app's own APIs, such as `https://api.example.com`, without a path. `authorize` and
    ///     `send` give the session's tokens to these and to no other; see `authorize(_:doing:amount:reason:policy:)`.
    ///     Another address than https, or http of this machine itself, throws `insecureServer`.
    ///   - platform: the sensor, keys, storage, time and network to use.
    ///   - sessions: where the session's tokens are kept, and whether they end when the app locks.
    ///   - signIn: asks for the account's credentials. With it the full sign-in is a rung that opens a session: a
    ///     person who cannot use any other rung gets in. Without it such an unlock throws, with the next step `signInAgain`.
    ///   - observe: receives hints, moves along the ladder, telemetry, and the begin and end of each ceremony.
    public init(
        server: URL, account: String = "default", resources: [URL] = [], platform: DevicePlatform,
        sessions: SessionKeeping = .stored, signIn: (any PrimarySignIn)? = nil,
        observe: @escaping @Sendable (UnlockNews) -> Void = { _ in }
    ) throws(Failure) {
        address = try ServerAddress(server)
        self.account = account
        var origins: Set<WebOrigin> = []
        for url in resources { origins.insert(try WebOrigin(registered: url)) }
        self.resources = origins
        self.platform = platform
        self.signIn = signIn
        self.observe = { [news] in
            news.hear($0)
            observe($0)
        }
        connection = ServerConnection(address: address, platform: platform)
        sessionKeeping = sessions
        let voids = platform.prompts.voids()
        Task(executorPreference: platform.clock.executor) { [weak self] in
            for await _ in voids {
                guard let self else { return }
                await self.forgetWhatIsVoid()
            }
        }
    }

    /// What can be done now. Silent: it never prompts and never throws.
    public func readiness(for policy: UnlockPolicy = .unlock) async -> Readiness {
        var biometry = await platform.sensor.biometry()
        let isOut = sensorIsOut.withLock { isOut in
            if biometry != .ready { isOut = false }
            return isOut
        }
        if isOut { biometry = .unavailable }
        var readiness = Readiness(
            sensor: await platform.sensor.name(), biometry: biometry, keys: [:], ladder: policy.ladder, canSignIn: signIn != nil)
        do throws(Failure) {
            let marks = try await enrolments()
            guard marks.live != nil else { return readiness }
            readiness.keys = try await keyStates(marks)
            readiness.note(await enrolmentMark.change())
            if readiness.biometry == .ready, readiness.state(of: .biometric) == .usable {
                readiness.biometry = try await countedSensor(policy).state()
            }
        } catch {
            // With a damaged journal no key can be found again, so the person has to be set up anew.
            let state = error.recovery == .reEnrol ? KeyState.invalidated(.unknown) : .notYetReadable
            for kind in KeyKind.allCases { readiness.keys[kind] = state }
        }
        return readiness
    }

    /// Walks the ladder until a key has signed the server's challenge, and exchanges the proof for tokens. Where the app gave
    /// a sign-in and the policy's ladder ends with it, the last rung asks for the account's credentials; see `signIn(with:)`.
    ///
    /// There is one prompt at a time over one `DevicePlace`, and none while the app is not in front: a call waits until
    /// then. Only prompts are waited for, so no call waits for another one's server. Until the person has answered,
    /// another call for the same account with the same reason and policy joins it and has the same outcome; all others ask
    /// for themselves. A policy that demands two keys has both sign the one challenge.
    ///
    /// - Parameters:
    ///   - reason: shown in the system's prompt; an empty one throws `reasonMissing`.
    ///   - policy: which rungs are asked, in which order, and its numbers.
    ///   - start: whether the prompt comes at once, with which rung, or as the policy determines for a screen that appeared.
    ///     A call with `tap` also ends the waiting of such a screen that it joins, so that the person does not have to tap twice.
    /// - Returns: the rung that answered, and the tokens.
    /// - Throws: one of the four cancellations; the obstacle at the last rung, with `signInAgain`; `keyInvalidated`
    ///   with `reEnrol`; `paused` with the time to wait, after too many mismatches or wrong PINs; `refused`,
    ///   `unreachable` or `unexpectedAnswer` from the server. Cancelling the task dismisses the prompt and throws
    ///   `cancelledByApp`.
    public func authenticate(
        _ reason: String, policy: UnlockPolicy = .unlock, by start: UnlockFlow.Start = .tap
    ) async throws(Failure) -> Grant {
        var request = request(reason, policy, .unlock)
        if case .rung(let rung) = start { request.startingAt = rung }
        return try await platform.prompts.ask(request, by: start, on: platform, telling: observe) { (ask) async throws(Failure) in
            if let grant = try await self.reusableUnlock(policy) { return grant }
            return try await self.openSession(ask, by: start, signIn: self.signIn)
        }
    }

    /// The same, beginning at a rung that the person has chosen, such as by a button "Use PIN". A rung that the policy lacks
    /// changes nothing.
    public func authenticate(
        _ reason: String, policy: UnlockPolicy = .unlock, startingAt rung: Rung
    ) async throws(Failure) -> Grant {
        try await authenticate(reason, policy: policy, by: .rung(rung))
    }

    /// Sets the rung that the person prefers to be asked first; nil for the policy's order. It counts where the policy
    /// has that rung. `revoke()` and the enrolment of another account forget it.
    public func prefer(_ rung: Rung?) async throws(Failure) {
        try await history.prefer(rung)
    }

    /// Dismisses the person: no earlier unlock or step-up of this account stands in for a later one or opens a lock, no
    /// later call joins one that is under way, and one that is under way throws `cancelledByApp`. It counts for every
    /// authenticator of the account on this platform, and an `AppLockModel` that this account opened locks. With
    /// `SessionKeeping.untilLock` it ends the session.
    public func forgetRecentAuthentication() {
        forgetRights()
        platform.prompts.void(asker)
    }

    /// The first half of signing in: a proof that is not redeemed yet. A PIN that only the server judges gives none.
    package func proof(_ reason: String, policy: UnlockPolicy) async throws(Failure) -> (Rung, Proof) {
        var policy = policy
        if platform.pin?.key.judge == .server { policy.ladder.removeAll { $0 == .appPIN } }
        // Of a kind that no other call shares.
        let request = request(reason, policy, .stepUp)
        return try await platform.prompts.ask(request, on: platform, telling: observe) { (ask) async throws(Failure) in
            let answer = try await self.answer(ask, challenge: self.signInChallenge) { proofs, _ in proofs[0] }
            return (answer.answered.rung, answer.redeemed)
        }
    }

    nonisolated var signInChallenge: ChallengeRequester {
        { [connection] (kids, session) async throws(Failure) in try await connection.challenge(.signIn, for: kids, key: session) }
    }
}

// MARK: - Recent authentications

extension Authenticator {
    /// The last unlock, where the policy lets it stand in for this one: the app was neither started again nor locked
    /// since, the person was not dismissed, the time is not over, and its session is alive.
    private func reusableUnlock(_ policy: UnlockPolicy) async throws(Failure) -> Grant? {
        guard policy.problem == nil, let lastUnlock, policy.ladder.contains(lastUnlock.rung),
            let elapsed = lastUnlock.at.elapsed(until: moment), elapsed < policy.reuse,
            await lastUnlock.act.counts(for: .samePlace)
        else { return nil }
        do throws(Failure) {
            let session = try await refresh()
            // The server may have been slow, and the person dismissed meanwhile.
            guard await lastUnlock.act.counts(for: .samePlace) else { return nil }
            return Grant(answered: lastUnlock.reused, session: session)
        } catch {
            guard error.code == .sessionOver || error.code == .notEnrolled else { throw error }
            return nil
        }
    }

    /// The traces of the dismissals, enrolments and visits of all processes. A damaged journal has no owner.
    @Sendable func placeMark() async throws(Failure) -> PlaceMark {
        let journal: PlaceJournal
        do throws(Failure) {
            journal = try await enrolments()
        } catch {
            guard error.recovery == .reEnrol else { throw error }
            journal = PlaceJournal()
        }
        return PlaceMark(
            dismissals: try await sensorSwitch.read().dismissals, number: journal.live, person: journal.tenancy?.name)
    }

    /// An act of the person at this moment, such as the start of an enrolment.
    func act() async throws(Failure) -> PersonAct {
        let tick = platform.prompts.tick()
        return PersonAct(asker, at: tick, in: platform.prompts, on: try await placeMark(), reading: placeMark)
    }

    /// Forgets the rights that came from earlier acts of the person.
    func forgetRights() { (lastUnlock, sessionUnlock, lastStepUp, offer) = (nil, nil, nil, nil) }

    /// Drops the rights and the sessions in memory that a lock or a dismissal has made worthless, with their tokens.
    private func forgetWhatIsVoid() async {
        if lastUnlock?.isLive == false { lastUnlock = nil }
        if sessionUnlock?.answered.isLive == false { sessionUnlock = nil }
        if lastStepUp?.answered.isLive == false { lastStepUp = nil }
        if offer?.act.isLive == false { offer = nil }
        if sessionKeeping == .untilLock { await endVoidedSessions() }
    }

    /// Remembers an unlock. Whether it is still worth something is checked where it is reused.
    func remember(_ unlock: AnsweredAsk, opening session: DeviceSession) {
        (lastUnlock, sessionUnlock) = (unlock, (unlock, session))
    }

    /// Remembers a step-up, which is also an unlock.
    func remember(_ stepUp: StepUp) {
        (lastStepUp, lastUnlock) = (stepUp, stepUp.answered)
    }
}

// MARK: - Names and parts

extension Authenticator {
    /// A request of this account.
    nonisolated func request(_ reason: String, _ policy: UnlockPolicy, _ kind: AskKind) -> UnlockRequest {
        UnlockRequest(asker: asker, reason: reason, policy: policy, kind: kind)
    }

    var history: UnlockHistory { UnlockHistory(asker: asker, platform: platform) }

    nonisolated var asker: String { "\(address.issuer) \(account)" }

    package nonisolated func name(of kind: KeyKind, in enrolment: Int) -> KeyName {
        KeyName(server: address.issuer, account: account, enrolment: enrolment, kind: kind)
    }

    /// The switch of the sensor for this account.
    nonisolated var sensorSwitch: SensorSwitchFile {
        SensorSwitchFile(server: address.issuer, account: account, on: platform)
    }

    nonisolated var enrolmentMark: EnrolmentMarkFile {
        EnrolmentMarkFile(server: address.issuer, account: account, on: platform)
    }

    /// The sensor, as it is counted for the live enrolment.
    func countedSensor(_ policy: UnlockPolicy) async throws(Failure) -> CountedSensor {
        CountedSensor(try await liveName(of: .biometric), on: platform, under: policy)
    }

    nonisolated var moment: Moment { platform.moment }

    /// Notes that a prompt found no sensor.
    nonisolated func noteSensorIsOut() { sensorIsOut.withLock { $0 = true } }
}
