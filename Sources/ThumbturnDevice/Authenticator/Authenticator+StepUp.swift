public import ThumbturnCore
import ThumbturnMessages

extension Authenticator {
    /// Proves that the person is present for one action, and returns an access token whose `auth_time` shows it (RFC
    /// 9470).
    ///
    /// The session of the last sign-in goes on beside it; the token is not refreshed, and expires within five minutes.
    /// Two things stand in for a new prompt within the action's maximum age, if they are of this enrolment and this boot, and
    /// by a rung that the policy has:
    ///
    /// - the last step-up for the same action and amount, with liveness evidence where that is demanded now, until the next
    ///   sign-in or step-up;
    /// - the unlock that opened the session, where the action (`StepUpAction.takesUnlock`) and the server's rule both take
    ///   one, and no further proof is demanded.
    ///
    /// A maximum age of zero always asks. The age is counted on monotonic time from when the challenge was asked for, and
    /// goes on while the app is in the background. Two step-ups never share one prompt.
    ///
    /// Where the server's table demands more than this policy gives, it refuses: nothing here weakens what is demanded
    /// there.
    ///
    /// - Parameters:
    ///   - action: what the person wants to do, and how old the proof of their presence may be.
    ///   - amount: the amount, where the action is about money. The keys sign it too; another amount needs another
    ///     step-up.
    ///   - reason: shown in the system's prompt; an empty one throws `reasonMissing`.
    ///   - policy: which rungs are asked. The keys of its `additionalRungs` sign the one challenge as well.
    ///   - liveness: runs before the prompt, with the challenge. Its evidence goes to the server unread; a server that
    ///     cannot judge it refuses the request.
    /// - Throws: what `authenticate` throws; what the check throws; `timedOut` where the check left too little time to
    ///   answer the challenge; `policyDenies` for a policy with a `reuse`.
    public func stepUp(
        for action: StepUpAction, amount: Money? = nil, reason: String, policy: UnlockPolicy = .highRisk,
        liveness: (any LivenessCheck)? = nil
    ) async throws(Failure) -> Grant {
        let demand = try stepUpDemand(for: action, amount: amount, reason: reason, policy: policy, liveness: liveness)
        return try await stepUp(demand, mayReuse: true)
    }

    /// Checks a demand before a camera is opened or the server is asked.
    func stepUpDemand(
        for action: StepUpAction, amount: Money?, reason: String, policy: UnlockPolicy, liveness: (any LivenessCheck)?
    ) throws(Failure) -> StepUpDemand {
        guard let ask = ActionAsk(action.name, amount: amount) else {
            throw Failure(.policyDenies, hint: "An action's name is 1 to 64 of a to z, 0 to 9 and -.")
        }
        try UnlockRequest.check(reason: reason, on: platform)
        return StepUpDemand(action: action, ask: ask, reason: reason, policy: policy, liveness: liveness)
    }

    /// - Parameter mayReuse: false where the server has just refused the token of a step-up.
    func stepUp(_ demand: StepUpDemand, mayReuse: Bool) async throws(Failure) -> Grant {
        guard demand.policy.reuse == .zero else {
            throw Failure(.policyDenies, hint: "A step-up reuses no unlock: its policy cannot have a reuse.")
        }
        let request = request(demand.reason, demand.policy, .stepUp)
        return try await platform.prompts.ask(request, on: platform, telling: observe) { (ask) async throws(Failure) in
            if mayReuse, let grant = try await self.reusableStepUp(for: demand) { return grant }
            if mayReuse, let grant = try await self.unlockStandingIn(for: demand, ask) { return grant }
            let evidence = EvidenceCollector(demand.liveness, for: demand.action, on: self.platform)
            let answer = try await self.answer(ask, challenge: self.challenge(for: demand.ask, collecting: evidence)) {
                (proofs, challenge) async throws(Failure) in
                guard let entry = evidence[challenge] else {
                    preconditionFailure("only challenges that were asked for here are signed")
                }
                return (try await self.redeem(proofs, for: demand.ask, with: entry.evidence), entry.since)
            }
            let (session, since) = answer.redeemed
            await self.remember(StepUp(demand: demand, answered: answer.answered, session: session, since: since))
            await self.beginSettling()
            try ask.check()
            return Grant(answered: answer.answered, session: session)
        }
    }

    /// The last step-up, where it stands in for this one.
    func reusableStepUp(for demand: StepUpDemand) async throws(Failure) -> Grant? {
        guard demand.policy.problem == nil, let lastStepUp, lastStepUp.satisfies(demand, at: moment),
            lastStepUp.session.expiresAt > platform.clock.civilTime, await lastStepUp.answered.act.counts(for: .samePlace)
        else { return nil }
        return Grant(answered: lastStepUp.answered.reused, session: lastStepUp.session)
    }

    /// The unlock that opened the session, where the app and the server both take it for this action. The age at the server
    /// is the session's own; where it refuses, the person is asked.
    private func unlockStandingIn(for demand: StepUpDemand, _ ask: RunningAsk) async throws(Failure) -> Grant? {
        guard demand.action.takesUnlock, demand.policy.problem == nil, demand.policy.additionalRungs.isEmpty,
            demand.liveness == nil, let unlock = sessionUnlock, unlock.answered.rung != .fullCredentials,
            demand.takes(unlock.answered.rung, since: unlock.answered.at, at: moment),
            await unlock.answered.act.counts(for: .samePlace)
        else { return nil }
        let session: DeviceSession
        do throws(Failure) {
            session = try await exchange(unlock.session, for: demand.ask)
        } catch {
            // A server whose rules take no unlock does not know such a request.
            guard [.refused, .sessionOver, .notEnrolled, .unexpectedAnswer].contains(error.code) else { throw error }
            return nil
        }
        // The server may have been slow, and the person dismissed meanwhile, or signed in anew.
        guard await unlock.answered.act.counts(for: .samePlace) else { return nil }
        try ask.check()
        lastStepUp = StepUp(
            demand: demand, answered: unlock.answered, session: session, since: unlock.answered.at, isByUnlock: true)
        return Grant(answered: unlock.answered.reused, session: session)
    }

    /// Forgets the unlock that a step-up stands on, because a resource refused its token; false where the person has signed.
    func forgetUnlock(behind session: DeviceSession) -> Bool {
        guard let lastStepUp, lastStepUp.isByUnlock, lastStepUp.session.accessToken == session.accessToken
        else { return false }
        (self.lastStepUp, sessionUnlock) = (nil, nil)
        return true
    }

    private nonisolated func challenge(for ask: ActionAsk, collecting evidence: EvidenceCollector) -> ChallengeRequester {
        { [connection] (kids, session) async throws(Failure) in
            let since = self.moment
            let challenge = try await connection.challenge(.stepUp, act: ask.text, for: kids, key: session)
            try await evidence.collect(for: challenge, askedAt: since)
            return challenge
        }
    }
}

/// A step-up that an app asks for.
struct StepUpDemand: Sendable {
    var action: StepUpAction
    /// The action and the amount, as they are signed.
    var ask: ActionAsk
    var reason: String
    var policy: UnlockPolicy
    var liveness: (any LivenessCheck)?

    /// Whether a proof by this rung, of this time, is young enough and by a rung of the policy.
    func takes(_ rung: Rung, since: Moment, at now: Moment) -> Bool {
        guard let age = since.elapsed(until: now) else { return false }
        return age < action.maximumAge && policy.ladder.contains(rung)
    }
}

/// A step-up that succeeded.
struct StepUp: Sendable {
    let demand: StepUpDemand
    let answered: AnsweredAsk
    let session: DeviceSession
    /// When its challenge was asked for.
    let since: Moment
    /// Whether an unlock stood in for it.
    var isByUnlock = false

    /// Whether it proves as much as a demand asks for, and is young enough.
    func satisfies(_ other: StepUpDemand, at now: Moment) -> Bool {
        guard !isByUnlock || other.action.takesUnlock else { return false }
        return other.takes(answered.rung, since: since, at: now) && demand.ask == other.ask
            && Set(demand.policy.additionalRungs).isSuperset(of: other.policy.additionalRungs)
            && (demand.liveness != nil || other.liveness == nil)
    }
}
