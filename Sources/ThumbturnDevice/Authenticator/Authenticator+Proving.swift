import ThumbturnCore
import ThumbturnMessages

/// What a person's keys were redeemed for.
struct ProofAnswer<Redeemed: Sendable>: Sendable {
    /// The success, with the rung of the ladder that answered.
    var answered: AnsweredAsk
    var redeemed: Redeemed
}

/// Throws where an ask is worth nothing any more.
typealias AskCheck = @Sendable () async throws(Failure) -> Void

/// The full sign-in as a rung of an ask.
typealias FullSignInOf<Redeemed: Sendable> =
    @Sendable (RunningAsk, PlaceMark, _ check: @escaping AskCheck) -> FullSignIn<Redeemed>

extension Authenticator {
    /// Asks the server for a challenge that keys of these ids may answer, in the name of a session key.
    typealias ChallengeRequester = @Sendable (_ kids: [String], _ session: KeyName) async throws(Failure) -> CheckedChallenge

    /// Asks for a challenge, has the keys of the live enrolment sign it, and redeems their proofs.
    ///
    /// - Parameters:
    ///   - sharesChallenge: whether all keys that the policy demands sign one challenge; otherwise each signs one of
    ///     its own.
    ///   - signIn: the full sign-in as a rung; nil where there is none.
    ///   - challenge: asks for a challenge; also for a new one where the first was consumed or grew old.
    ///   - redeem: redeems the proofs, and keeps nothing.
    ///   - keep: keeps what keys were redeemed for, once the success counts. It calls the check after it wrote something, and takes
    ///     that back if the check throws. What a full sign-in opened is kept already.
    func answer<Redeemed: Sendable>(
        _ ask: RunningAsk, by start: UnlockFlow.Start = .tap, sharesChallenge: Bool = true,
        signIn: FullSignInOf<Redeemed>? = nil, challenge: @escaping ChallengeRequester,
        redeem: @escaping Redeemer<Redeemed>,
        keep: (Redeemed, _ answered: AnsweredAsk, _ check: AskCheck) async throws(Failure) -> Void = { _, _, _ in }
    ) async throws(Failure) -> ProofAnswer<Redeemed> {
        try ask.request.check(on: platform)
        var mark = try await placeMark()
        try await settleInterruptedChange()
        let policy = ask.request.policy
        let readinessNow = { @Sendable () async in
            var readiness = await self.readiness(for: policy)
            readiness.canSignIn = signIn != nil
            return readiness
        }
        let readiness = await readinessNow()
        let signers = try await signers(
            for: policy.ladder + policy.additionalRungs, readiness, sharesChallenge: sharesChallenge, challenge: challenge)
        let stillCounts: AskCheck = { [mark] () async throws(Failure) in try await self.check(ask, on: mark) }
        let redeemAndNote: Redeemer<(Redeemed, openedAt: Moment)> = { (proofs, challenge) async throws(Failure) in
            // The server never sees the proof of an ask that is worth nothing any more.
            try await stillCounts()
            try ask.beginSending()
            let openedAt = self.moment
            return (try await redeem(proofs, challenge), openedAt)
        }
        let (rung, (redeemed, openedAt)) = try await prove(
            ask, by: start, with: signers, signIn: signIn.map { $0(ask, mark, stillCounts).noting { self.moment } },
            readiness: { signers == nil ? readiness : await readinessNow() }, redeem: redeemAndNote
        )
        var (isStale, problem) = (false, Failure?.none)
        if rung == .fullCredentials {
            // It may have made its person the owner.
            mark.person = offer?.act.mark.person
            (isStale, problem) = (offer?.isFresh != true, offer == nil ? .stale("auth_time") : offer?.lockProblem)
        }
        // Its callers have heard of their cancellation: a success that comes after it changes nothing.
        guard !Task.isCancelled else { throw Failure(.cancelledByApp) }
        // An approval is with the server already.
        if ask.request.kind != .approval { try await check(ask, on: mark) }
        var answered = ask.answered(by: rung, at: openedAt, on: mark, reading: placeMark)
        answered.lockProblem = problem
        if rung != .fullCredentials { try await keep(redeemed, answered, stillCounts) }
        // A sensor that was switched off since the ask began stays off.
        if rung != .biometric, !isStale, ask.isLive {
            try? await countedSensor(policy).forgive(by: rung, askedAt: mark.dismissals)
            await enrolmentMark.keep()
        }
        return ProofAnswer(answered: answered, redeemed: redeemed)
    }

    /// Throws `cancelledByApp` where an ask was voided, or the place has another mark than when it began: another process that
    /// dismisses the person voids nothing here.
    private func check(_ ask: RunningAsk, on mark: PlaceMark) async throws(Failure) {
        try await ask.act(on: mark, reading: placeMark).check(for: .samePlace)
        try ask.check()
    }

    /// Runs the flow until the keys that the policy demands have signed, and redeems their proofs.
    ///
    /// - Parameters:
    ///   - policy: the ask's own, where there is no other.
    ///   - signers: nil where no key can answer; then the flow ends with the reason, or with the full sign-in.
    ///   - signIn: the full sign-in as a rung; nil where there is none.
    ///   - isNewKey: whether a new key signs for itself.
    ///   - readiness: what the device can do, now.
    ///   - redeem: redeems the proofs.
    /// - Returns: the rung that answered, and what the last redemption gave.
    func prove<Redeemed: Sendable>(
        _ ask: RunningAsk, under policy: UnlockPolicy? = nil, by start: UnlockFlow.Start = .tap, with signers: Signers?,
        signIn: FullSignIn<Redeemed>? = nil, isNewKey: Bool = false,
        readiness: @escaping @Sendable () async -> Readiness, redeem: @escaping Redeemer<Redeemed>
    ) async throws(Failure) -> (Rung, Redeemed) {
        try UnlockRequest.check(reason: ask.request.reason, on: platform)
        let policy = policy ?? ask.request.policy
        let keys = ProofKeys(signers, for: policy, on: platform, redeem: redeem)
        let driver = UnlockDriver(
            platform: platform, ask: ask, policy: policy, history: history, keys: keys, readiness: readiness,
            observe: observe, fullSignIn: signIn?.asOutput(of: keys), isNewKey: isNewKey,
            sensorWasUnavailable: { self.noteSensorIsOut() }
        )
        switch await driver.run(by: start) {
        case .failed(let failure): throw failure
        case .granted(let rung, let first, let additional): return (rung, try await keys.redeem(first, additional: additional))
        }
    }

    /// Has one new key sign for itself, with one prompt.
    func proveNewKey(
        _ signer: Signer, of rung: Rung, _ ask: RunningAsk, _ policy: UnlockPolicy, _ challenge: CheckedChallenge
    ) async throws(Failure) -> Proof {
        var policy = policy
        (policy.ladder, policy.additionalRungs) = ([rung], [])
        let fresh = Readiness(
            biometry: await platform.sensor.biometry(), keys: [.session: .usable, signer.key.kind: .usable],
            ladder: policy.ladder
        )
        let signers = Signers(keys: [rung: signer], challenge: ChallengeSource(challenge, clock: platform.clock))
        return try await prove(ask, under: policy, with: signers, isNewKey: true, readiness: { fresh }) {
            proofs, _ in proofs[0]
        }.1
    }

    /// The keys that may answer for these rungs, with a challenge for them; nil where none can answer: with nothing to
    /// sign there is nothing to ask the server.
    func signers(
        for rungs: [Rung], _ readiness: Readiness, sharesChallenge: Bool = true, challenge: @escaping ChallengeRequester
    ) async throws(Failure) -> Signers? {
        let keys = try await signingKeys(for: rungs, readiness)
        guard !keys.isEmpty else { return nil }
        let (kids, session) = (rungs.compactMap { keys[$0]?.kid }, try await liveName(of: .session))
        let renew = { @Sendable () async throws(Failure) in try await challenge(kids, session) }
        // The challenge comes before the first prompt, so that the person does not wait for the network after it.
        let source = ChallengeSource(try await renew(), clock: platform.clock, renew: renew)
        return Signers(keys: keys, challenge: source, shareChallenge: sharesChallenge)
    }

    /// The keys of the live enrolment that may answer for these rungs; none where no rung of them is usable now. A key
    /// whose sensor cannot be used yet is among them, because a lid may be opened during the prompt.
    private func signingKeys(for rungs: [Rung], _ readiness: Readiness) async throws(Failure) -> [Rung: Signer] {
        var signers: [Rung: Signer] = [:]
        guard try await liveEnrolment() != nil, rungs.contains(where: { $0.key != nil && readiness.isUsable($0) }) else {
            return signers
        }
        for rung in rungs {
            guard let kind = rung.key, readiness.state(of: kind) == .usable else { continue }
            let key = try await liveName(of: kind)
            signers[rung] = Signer(key: key, kid: try await kid(of: key))
        }
        return signers
    }
}

extension FullSignIn {
    /// The same, with the moment at which the credentials were given to be judged.
    fileprivate func noting(_ moment: @escaping @Sendable () -> Moment) -> FullSignIn<(Output, openedAt: Moment)> {
        FullSignIn<(Output, openedAt: Moment)>(ask: ask) { (given) async throws(Failure) in
            let openedAt = moment()
            return (try await judge(given), openedAt)
        }
    }

    /// The same, for a flow over these keys.
    fileprivate func asOutput(of keys: ProofKeys<Output>) -> FullSignIn<ProofKeys<Output>.Output> {
        FullSignIn<ProofKeys<Output>.Output>(ask: ask) { (given) async throws(Failure) in .redeemed(try await judge(given)) }
    }
}
