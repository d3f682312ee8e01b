public import Foundation
import Synchronization
public import ThumbturnCore
import ThumbturnMessages

/// Signs a person in with the keys of this device: the front door of the device library.
///
/// One authenticator serves one server and one account. It stores no "enabled" flag: what is possible is read from the keys.
///
///     let auth = try Authenticator(server: url, platform: platform)
///     try await auth.enrol(with: PasswordSignIn(account: name, password: password))
///     let grant = try await auth.authenticate("Unlock Acme", policy: .unlock)
public actor Authenticator {
    package nonisolated let platform: DevicePlatform
    package nonisolated let connection: ServerConnection
    private nonisolated let address: ServerAddress
    private nonisolated let account: String
    private let observe: @Sendable (UnlockNews) -> Void
    /// Reaches the flow that is running.
    private var choose: AsyncStream<PromptChoice>.Continuation?
    /// A prompt said that there is no sensor, though the system had called it ready: it is not asked again before the system says
    /// something else.
    private nonisolated let sensorIsOut = Mutex(false)
    /// The last unlock, for policies that let one stand for the next.
    private var lastUnlock: (rung: Rung, at: Moment)?
    /// The last step-up, until somebody signs in or steps up again.
    var lastStepUp: StepUp?
    /// How often somebody wanted to be forgotten.
    private var farewells = 0

    /// An authenticator for one server and account.
    ///
    /// - Parameters:
    ///   - server: https, or http to this machine itself; anything else throws `insecureServer`.
    ///   - account: the app's own label, where it keeps several accounts on one device.
    ///   - platform: what comes from outside: sensor, keys, disk, time, network.
    ///   - observe: hears hints, moves along the ladder and telemetry.
    public init(
        server: URL, account: String = "default", platform: DevicePlatform,
        observe: @escaping @Sendable (UnlockNews) -> Void = { _ in }
    ) throws(Failure) {
        address = try ServerAddress(server)
        self.account = account
        self.platform = platform
        self.observe = observe
        connection = ServerConnection(address: address, platform: platform)
    }

    /// What can be done now. Silent: it never prompts and never throws.
    public func readiness(for policy: UnlockPolicy = .unlock) async -> Readiness {
        var keys: [KeyKind: KeyState] = [:]
        var biometry = await platform.sensor.biometry()
        let isOut = sensorIsOut.withLock { isOut in
            if biometry != .ready { isOut = false }
            return isOut
        }
        if isOut { biometry = .unavailable }
        var enrolment = EnrolmentMark.Change.unknown
        do throws(Failure) {
            let marks = try await enrolments()
            if marks.live != nil {
                keys = try await keyStates(marks)
                enrolment = await enrolmentChange()
                if biometry == .ready, enrolment == .afterUpgrade { biometry = .unconfirmed }
                if biometry == .ready, keys[.biometric] == .usable { biometry = try await countedSensor(policy).state() }
            }
        } catch {
            for kind in KeyKind.allCases { keys[kind] = .notYetReadable }
        }
        return Readiness(biometry: biometry, keys: keys, ladder: policy.ladder, enrolment: enrolment)
    }

    /// Walks the ladder until a key has signed the server's challenge, and exchanges the proof for tokens.
    ///
    /// One prompt lives at a time in the process, and none while the app is not in front: a call waits until then. While a call
    /// runs, another one for the same account with the same reason and policy joins it and has the same outcome; all others wait
    /// their turn.
    ///
    /// - Parameters:
    ///   - reason: shown in the system's prompt; an empty one throws `reasonMissing`.
    ///   - policy: which rungs are asked, in which order, and its numbers.
    ///   - start: whether the prompt comes at once, or as the policy says for a screen that appeared. A tap also ends the waiting of
    ///     such a screen, because nobody taps twice.
    /// - Returns: which rung answered, and the tokens.
    /// - Throws: one of the four cancels; what stood in the way of the last rung, with `signInAgain`; `keyInvalidated` with
    ///   `reEnrol`; `paused` with the time to wait, after too many mismatches or wrong PINs; `refused`, `unreachable` or
    ///   `unexpectedAnswer` from the server. Cancelling the task dismisses the prompt and throws `cancelledByApp`.
    ///
    /// A policy that demands two keys has both sign the one challenge.
    public func authenticate(
        _ reason: String, policy: UnlockPolicy = .unlock, by start: UnlockFlow.Start = .tap
    ) async throws(Failure) -> Grant {
        if start == .tap { prompt() }
        return try await platform.prompts.inTurn(ask(reason, policy), mayShare: true, on: platform) { () async throws(Failure) in
            if let grant = try await self.reusable(policy) { return grant }
            let (rung, session, farewells) = try await self.answer(reason, policy, by: start, ask: self.signInChallenge) {
                (proofs, _) async throws(Failure) in
                try await self.redeem(proofs)
            }
            await self.remember(rung, since: farewells)
            await self.settle()
            return Grant(rung: rung, session: session)
        }
    }

    /// What this account wants the person to be asked.
    func ask(_ reason: String, _ policy: UnlockPolicy) -> PromptAsk {
        PromptAsk(asker: "\(address.issuer) \(account)", reason: reason, policy: policy)
    }

    /// The person asks for another way, for example by the hint: the running flow moves to the next rung.
    public func useAnotherWay() {
        choose?.yield(.anotherWay)
    }

    /// The person asks for the prompt, where the running flow waits for that.
    public func prompt() {
        choose?.yield(.prompt)
    }

    /// The rung that the person likes to be asked first; nil for the policy's order. It counts where the policy has that rung.
    public func prefer(_ rung: Rung?) async throws(Failure) {
        try await habits.prefer(rung)
    }

    private var habits: Habits { Habits(asker: "\(address.issuer) \(account)", platform: platform) }

    /// The last unlock, where the policy lets it stand for this one: the app has not been started again, the time is not over, and its
    /// session lives.
    private func reusable(_ policy: UnlockPolicy) async throws(Failure) -> Grant? {
        guard policy.problem == nil, let lastUnlock, policy.ladder.contains(lastUnlock.rung),
            let elapsed = lastUnlock.at.elapsed(until: moment), elapsed < policy.reuse
        else { return nil }
        return try await grant(of: lastUnlock.rung)
    }

    /// The session that lives, for somebody who was there before; nil where there is none any more.
    func grant(of rung: Rung) async throws(Failure) -> Grant? {
        do throws(Failure) {
            return Grant(rung: rung, session: try await refresh())
        } catch {
            guard error.code == .sessionOver || error.code == .notEnrolled else { throw error }
            return nil
        }
    }

    /// - Parameter farewells: how many there were when the key had signed. After another one nobody was there.
    func remember(_ rung: Rung, since farewells: Int) {
        if farewells == self.farewells { lastUnlock = (rung, moment) }
    }

    func remember(_ stepUp: StepUp, since farewells: Int) {
        if farewells == self.farewells { lastStepUp = stepUp }
        remember(stepUp.rung, since: farewells)
    }

    /// From here on nobody was there: neither an unlock nor a step-up of before, nor one whose proof is on its way to the server, stands
    /// for a later one. Call it where the app is locked, if one of its policies lets an unlock stand for the next.
    public func forgetWhoWasThere() {
        (lastUnlock, lastStepUp) = (nil, nil)
        farewells += 1
    }

    nonisolated var moment: Moment { platform.moment }

    /// The first half of signing in: a proof that is not redeemed yet. A PIN that only the server judges makes none.
    package func proof(_ reason: String, policy: UnlockPolicy) async throws(Failure) -> (Rung, Proof) {
        var policy = policy
        if platform.pin?.key.judge == .server { policy.ladder.removeAll { $0 == .appPIN } }
        let (rung, proof, _) = try await answer(reason, policy, ask: signInChallenge) { proofs, _ in proofs[0] }
        return (rung, proof)
    }

    /// Asks the server for a challenge that keys of these ids may answer, in the name of a session key.
    typealias Asking = @Sendable (_ kids: [String], _ session: KeyName) async throws(Failure) -> CheckedChallenge

    private nonisolated var signInChallenge: Asking {
        { [connection] (kids, session) async throws(Failure) in try await connection.challenge(.signIn, for: kids, key: session) }
    }

    /// Asks for a challenge, has a key sign it, and spends the proof.
    ///
    /// - Returns: also how many farewells there were when the key had signed.
    func answer<Spent: Sendable>(
        _ reason: String, _ policy: UnlockPolicy, by start: UnlockFlow.Start = .tap, sharesChallenge: Bool = true,
        ask challenge: @escaping Asking, spend: @escaping Spending<Spent>
    ) async throws(Failure) -> (Rung, Spent, farewells: Int) {
        let spend: Spending<(Spent, farewells: Int)> = { (proofs, challenge) async throws(Failure) in
            let farewells = await self.farewells
            return (try await spend(proofs, challenge), farewells)
        }
        try await settleInterruptedChange()
        let readiness = await readiness(for: policy)
        let signers = try await signers(for: policy.ladder + policy.also, readiness)
        guard !signers.isEmpty else {
            // With nothing to sign there is nothing to ask the server; the flow says why.
            let (rung, spent) = try await prove(
                .nothing, [:], reason, policy, by: start, readiness: { readiness }, spend: spend
            )
            return (rung, spent.0, spent.farewells)
        }
        let kids = (policy.ladder + policy.also).compactMap { signers[$0]?.kid }
        let session = try await liveName(of: .session)
        let ask: @Sendable () async throws(Failure) -> CheckedChallenge = { () async throws(Failure) in
            try await challenge(kids, session)
        }
        // The challenge comes before the first prompt, so that the network's time is not the person's.
        let (rung, spent) = try await prove(
            try await ask(), signers, reason, policy, by: start, readiness: { await self.readiness(for: policy) }, renew: ask,
            sharesChallenge: sharesChallenge, spend: spend
        )
        if rung != .biometric {
            // A sensor that was switched off since then stays off.
            if spent.farewells == farewells { try? await countedSensor(policy).forgive() }
            await keepEnrolmentMark()
        }
        return (rung, spent.0, spent.farewells)
    }

    /// The keys of the live enrolment that may answer for these rungs, where one of them may do so now: also the key of a sensor that
    /// cannot be asked yet, because a lid may be opened while somebody is asked.
    func signers(for rungs: [Rung], _ readiness: Readiness) async throws(Failure) -> [Rung: Signer] {
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

    package nonisolated func name(of kind: KeyKind, in enrolment: Int) -> KeyName {
        KeyName(server: address.issuer, account: account, enrolment: enrolment, kind: kind)
    }

    /// The sensor, as it is counted for the live enrolment.
    func countedSensor(_ policy: UnlockPolicy) async throws(Failure) -> CountedSensor {
        CountedSensor(try await liveName(of: .biometric), on: platform, under: policy.delays)
    }

    /// Nobody is asked without being told why.
    nonisolated func check(_ reason: String) throws(Failure) {
        guard reason.contains(where: { !$0.isWhitespace }) else { throw Failure(.reasonMissing) }
    }

    /// A key that may answer for a rung.
    struct Signer: Sendable {
        var key: KeyName
        var kid: String
    }

    /// Takes the proofs, the first of the ladder's key, to where they are good for something.
    typealias Spending<Spent> = @Sendable ([Proof], CheckedChallenge) async throws(Failure) -> Spent

    /// Runs the flow until the keys that the policy demands have signed, and spends their proofs. Returned is what the last one gave.
    ///
    /// A PIN that only the server can judge is spent within the flow: then the flow hears of a wrong one, and the person may try
    /// again. The challenge is used up by then, so there is a new one for whatever comes next.
    ///
    /// - Parameters:
    ///   - renew: asks for the same challenge anew; nil where no such PIN is asked for.
    ///   - sharesChallenge: whether all keys sign the one challenge and their proofs are spent together; otherwise each signs one of its
    ///     own.
    func prove<Spent: Sendable>(
        _ challenge: CheckedChallenge, _ signers: [Rung: Signer], _ reason: String, _ policy: UnlockPolicy,
        by start: UnlockFlow.Start = .tap, readiness: @escaping @Sendable () async -> Readiness,
        renew: (@Sendable () async throws(Failure) -> CheckedChallenge)? = nil, sharesChallenge: Bool = true,
        spend: @escaping Spending<Spent>
    ) async throws(Failure) -> (Rung, Spent) {
        try check(reason)
        let (platform, observe) = (platform, observe)
        let challenges = FreshChallenge(challenge, clock: platform.clock, renew: renew)
        let also = policy.also
        let signed = Signed()
        let (choices, choose) = AsyncStream.makeStream(of: PromptChoice.self)
        self.choose = choose
        let driver = UnlockDriver<Answered<Spent>>(
            platform: platform, reason: reason, habits: habits, readiness: readiness,
            request: { rung async throws(Failure) in
                guard let signer = signers[rung] else { return nil }
                let challenge = try await challenges.get()
                // All keys sign one challenge. Where it was spent on a wrong PIN, or has grown too old, the first key has to sign anew.
                if sharesChallenge, also.contains(rung), signed.challenge != challenge.text {
                    throw Failure(.timedOut)
                }
                let message = Signing.proofInput(challenge: challenge.text, kid: signer.kid)
                return Signable(key: signer.key, message: message, challenge: challenge)
            },
            unlock: { (rung, permit, signable) async throws(Failure) in
                guard let challenge = signable.challenge else { preconditionFailure("a server's keys sign challenges") }
                guard case .pin(let pin) = permit, let counted = CountedPINKey(signable.key, on: platform),
                    counted.pin.key.judge == .server, renew != nil
                else {
                    let signature = try await permit.sign(signable.message, with: signable.key, on: platform)
                    let proof = Proof(signable.message, signature)
                    if sharesChallenge {
                        signed.note(proof, over: challenge.text, isFurther: also.contains(rung))
                    } else if !also.isEmpty {
                        // Its challenge is good for one proof: a further key signs one of its own.
                        await challenges.spend()
                    }
                    return Answered(receipt: proof, challenge: challenge, spent: nil)
                }
                // The server judges it with all the others, so it comes last.
                guard !sharesChallenge || also.isEmpty || also.last == rung else {
                    throw Failure(.policyDenies)
                }
                let earlier = sharesChallenge && !also.isEmpty ? signed.proofs : []
                return try await counted.sign(signable.message, with: pin) { (signature) async throws(Failure) in
                    let proof = Proof(signable.message, signature)
                    await challenges.spend()
                    return Answered(receipt: proof, challenge: challenge, spent: try await spend(earlier + [proof], challenge))
                }
            },
            observe: { news in
                if case .telemetry(.sensorAnswered(Failure.Code.biometryUnavailable.name, after: _)) = news {
                    self.sensorIsOut.withLock { $0 = true }
                }
                observe(news)
            },
            choices: choices
        )
        switch await driver.run(policy, by: start) {
        case .failed(let failure): throw failure
        case .granted(let rung, let first, also: let further):
            let all = [first] + further
            guard !sharesChallenge else {
                if let spent = all[all.count - 1].spent { return (rung, spent) }
                return (rung, try await spend(all.map(\.receipt), first.challenge))
            }
            var last = first.spent
            for answered in all where answered.spent == nil {
                last = try await spend([answered.receipt], answered.challenge)
            }
            guard let last else { preconditionFailure("what the flow has not spent is spent here") }
            return (rung, last)
        }
    }
}

/// A proof, the challenge that it is over, and what it paid for where that was found out at once.
private struct Answered<Spent: Sendable>: Unlocking {
    var receipt: Proof
    var challenge: CheckedChallenge
    var spent: Spent?
}

/// What the keys of one flow have signed so far, the ladder's key first.
private final class Signed: Sendable {
    private let state = Mutex<(challenge: String?, proofs: [Proof])>((nil, []))

    var challenge: String? { state.withLock { $0.challenge } }
    var proofs: [Proof] { state.withLock { $0.proofs } }

    func note(_ proof: Proof, over challenge: String, isFurther: Bool) {
        state.withLock { $0 = (challenge, (isFurther ? $0.proofs : []) + [proof]) }
    }
}

extension Proof {
    fileprivate init(_ message: [UInt8], _ signature: [UInt8]) {
        self.init(jws: CompactJWS.compact(signingInput: message, signature: signature))
    }
}

/// What an authentication gave.
public struct Grant: Sendable {
    /// The rung whose key answered.
    public let rung: Rung
    /// The tokens. After a step-up there is an access token alone, and the session goes on beside it.
    public let session: DeviceSession
}
