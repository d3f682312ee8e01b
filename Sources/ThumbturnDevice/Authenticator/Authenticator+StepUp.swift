import Synchronization
public import ThumbturnCore
import ThumbturnMessages

extension Authenticator {
    /// Proves that the person is there for one action, and returns an access token whose `auth_time` says so (RFC 9470). The session of the
    /// last sign-in goes on beside it; the token is not refreshed, and ends within five minutes.
    ///
    /// An unlock never stands for it. Only the last step-up for the same action does, within the action's maximum age: of this enrolment
    /// and this boot, by a rung that the policy has, with liveness evidence where that is demanded now, and until anybody signs in or
    /// steps up again. A maximum age of zero always asks. The age is counted on monotonic time from when the challenge was asked for,
    /// and goes on while the app is in the back. Nobody who asks the same at the same time shares the answer.
    ///
    /// Where the server's table asks for more than this policy gives, it refuses: nothing here weakens what is demanded there.
    ///
    /// - Parameters:
    ///   - action: what the person wants to do, and how old their presence may be for it.
    ///   - amount: what the action is about, where it is about money; the keys sign it too, and another amount is asked anew.
    ///   - policy: with `also` the further keys sign the one challenge as well.
    ///   - reason: shown in the system's prompt; an empty one throws `reasonMissing`.
    ///   - liveness: runs before the prompt, with the challenge. Its evidence goes to the server unread; a server that cannot judge it
    ///     refuses the request.
    /// - Throws: what `authenticate` throws; what the check throws; `timedOut` where the check left too little time to answer the
    ///   challenge. A policy that lets one unlock stand for the next throws `policyDenies`.
    public func stepUp(
        for action: StepUpAction, amount: Money? = nil, _ reason: String, policy: UnlockPolicy = .highRisk,
        liveness: (any LivenessCheck)? = nil
    ) async throws(Failure) -> Grant {
        try await stepUp(for: action, amount, reason, policy, liveness, mayReuse: true)
    }

    /// - Parameter mayReuse: false where the server has just said that what there is does not do.
    func stepUp(
        for action: StepUpAction, _ amount: Money?, _ reason: String, _ policy: UnlockPolicy, _ liveness: (any LivenessCheck)?,
        mayReuse: Bool
    ) async throws(Failure) -> Grant {
        guard policy.reuse == .zero, let ask = ActionAsk(action.name, amount: amount) else {
            throw Failure(.policyDenies)
        }
        // Before a camera is opened.
        try check(reason)
        return try await platform.prompts.inTurn(self.ask(reason, policy), mayShare: false, on: platform) {
            () async throws(Failure) in
            if mayReuse, let grant = try await self.reusable(for: action, ask, policy, withLiveness: liveness != nil) {
                return grant
            }
            let asked = Asked()
            let (rung, (session, since), farewells) = try await self.answer(
                reason, policy, ask: self.challenge(for: action, ask, liveness, notingIn: asked)
            ) { (proofs, challenge) async throws(Failure) in
                guard let (since, evidence) = asked[challenge.text] else {
                    preconditionFailure("only what was asked for is signed")
                }
                return (try await self.redeem(proofs, for: ask, with: evidence), since)
            }
            if let enrolment = try await self.liveEnrolment() {
                let stepUp = StepUp(
                    ask: ask, session: session, rung: rung, also: policy.also, hadLiveness: liveness != nil, enrolment: enrolment,
                    since: since
                )
                await self.remember(stepUp, since: farewells)
            }
            await self.settle()
            return Grant(rung: rung, session: session)
        }
    }

    /// The last step-up, where it stands for this one.
    func reusable(
        for action: StepUpAction, _ ask: ActionAsk?, _ policy: UnlockPolicy, withLiveness: Bool
    ) async throws(Failure) -> Grant? {
        guard policy.problem == nil, let lastStepUp, lastStepUp.ask == ask, Set(lastStepUp.also).isSuperset(of: policy.also),
            policy.ladder.contains(lastStepUp.rung),
            lastStepUp.hadLiveness || !withLiveness, let age = lastStepUp.since.elapsed(until: moment), age < action.maximumAge,
            lastStepUp.session.expiresAt > platform.clock.civilTime, try await liveEnrolment() == lastStepUp.enrolment
        else { return nil }
        return Grant(rung: lastStepUp.rung, session: lastStepUp.session)
    }

    /// The challenge comes first, because the evidence has to name it; a challenge that is asked for anew has its own.
    private nonisolated func challenge(
        for action: StepUpAction, _ ask: ActionAsk, _ liveness: (any LivenessCheck)?, notingIn asked: Asked
    ) -> Asking {
        { [connection] (kids, session) async throws(Failure) in
            let since = self.moment
            let challenge = try await connection.challenge(.stepUp, act: ask.text, for: kids, key: session)
            let evidence = try await liveness?.evidence(for: challenge.text, action: action)
            // The person still has to answer the prompt.
            guard let elapsed = since.elapsed(until: self.moment), elapsed <= challenge.lifetime - .seconds(60) else {
                throw Failure(.timedOut)
            }
            asked.note(challenge.text, since, evidence)
            return challenge
        }
    }
}

/// A step-up that succeeded.
struct StepUp: Sendable {
    var ask: ActionAsk
    /// Its token.
    var session: DeviceSession
    var rung: Rung
    /// The further keys that signed.
    var also: [Rung]
    var hadLiveness: Bool
    var enrolment: Int
    /// When its challenge was asked for.
    var since: Moment
}

/// When each challenge of a step-up was asked for, and the evidence that goes with it.
private final class Asked: Sendable {
    private let noted = Mutex<[String: (since: Moment, evidence: LivenessEvidence?)]>([:])

    subscript(challenge: String) -> (since: Moment, evidence: LivenessEvidence?)? { noted.withLock { $0[challenge] } }

    func note(_ challenge: String, _ since: Moment, _ evidence: LivenessEvidence?) {
        noted.withLock { $0[challenge] = (since, evidence) }
    }
}
