public import ThumbturnCore
import ThumbturnMessages

extension Authenticator {
    /// What `enrol` does when this device is already enrolled.
    public enum IfExists: Sendable {
        /// Leaves the enrolment as it is, if it belongs to the account that signed in, has a usable key for every rung of
        /// the policy that this device can offer, the sensor does not wait for a stronger rung, and the server still
        /// knows it; otherwise enrols anew.
        case keep
        /// Enrols anew.
        case replace
        /// Throws `alreadyEnrolled`, before the credentials are asked for.
        case fail
    }

    /// Signs the person in with their credentials, makes the keys that the policy's ladder needs and registers them,
    /// with at most one prompt of the system. Where the ladder and the platform have a PIN, the person chooses one
    /// before that prompt.
    ///
    /// The server always judges the credentials first, also on a device that is enrolled and stays so: a wrong password
    /// always throws. An enrolment belongs to the account that signed in. Another person's right password enrols them,
    /// and ends the enrolment that was here before.
    ///
    /// The new keys are made beside the live ones. Only when the server has them all does the new enrolment become the
    /// live one, and the old keys are deleted; a failure before that, such as a wrong password or a crash, leaves the
    /// live enrolment as it was. The passcode key is registered under the biometric key's proof and becomes active when
    /// it first signs. While the account has other devices, a new one cools off on the server, also when it replaces
    /// itself.
    ///
    /// A lock, an absence or a dismissal after the credentials ends it with `cancelledByApp`, and so does a dismissal while
    /// the person gives them: a dismissed person is not enrolled. What the person of an earlier enrolment answered and
    /// preferred goes with that enrolment.
    ///
    /// - Parameters:
    ///   - signIn: the person's first login; asked before any prompt.
    ///   - policy: its ladder determines which keys are made.
    ///   - deviceName: the name of this device in a list, 1 to 64 characters; nil for the one that the platform tells.
    ///   - reason: shown in the system's prompt.
    ///   - ifExists: what to do when this device is already enrolled.
    ///   - liveness: runs a liveness check, where the server demands its evidence for each enrolment. It comes after the
    ///     credentials and before any prompt; its action is `StepUpAction.enrolDevice`.
    /// - Returns: the server's record of the new enrolment, or of the one that `keep` left as it was.
    ///
    /// - Throws: `alreadyEnrolled`; `superseded` while another enrolment is running; `platform` where the place cannot be
    ///   locked, such as on a full disk; what this device lacks (`biometryUnavailable`, `biometryNotEnrolled`,
    ///   `permissionDenied`, `lockedOut`); `refused` for a wrong password; `pinEasilyGuessed` for a PIN that an attacker
    ///   would try first; what `authenticate` throws.
    @discardableResult
    public func enrol(
        with signIn: some PrimarySignIn, policy: UnlockPolicy = .unlock, deviceName: String? = nil,
        reason: String = "Set up signing in on this device", ifExists: IfExists = .keep,
        liveness: (any LivenessCheck)? = nil
    ) async throws(Failure) -> EnrolledDevice {
        try await AskKind.enrolment.told(to: observe) { () async throws(Failure) in
            try await enrol(by: .signIn(signIn), policy, deviceName, reason, ifExists, liveness)
        }
    }

    /// Enrols this device for the person who has just signed in with their credentials, as `enrol` does, and without asking
    /// for them again: so an app can explain first what it is for.
    ///
    ///     try await auth.signIn(with: login)
    ///     // … “Next time, sign in with Face ID?” …
    ///     try await auth.addBiometrics()
    ///
    /// It works once for each `signIn(with:)`, within five minutes of it, in the process that made it, and for the person who
    /// made it: a lock, an absence or a dismissal since then ends the right to it. The session goes on until a key opens the next
    /// one.
    ///
    /// - Parameters:
    ///   - policy: its ladder determines which keys are made.
    ///   - deviceName: the name of this device in a list, 1 to 64 characters; nil for the one that the platform tells.
    ///   - reason: shown in the system's prompt.
    ///   - liveness: as in `enrol`.
    /// - Returns: the server's record of the enrolment.
    /// - Throws: `sessionOver` with `signInAgain` where no full sign-in was made, it is too long ago, or the app was locked or the
    ///   person dismissed since; what `enrol` throws.
    @discardableResult
    public func addBiometrics(
        policy: UnlockPolicy = .unlock, deviceName: String? = nil, reason: String = "Set up signing in on this device",
        liveness: (any LivenessCheck)? = nil
    ) async throws(Failure) -> EnrolledDevice {
        try await AskKind.enrolment.told(to: observe) { () async throws(Failure) in
            guard let offer = await liveOffer() else { throw Self.signInAgain }
            return try await enrol(by: .visit(offer), policy, deviceName, reason, .keep, liveness)
        }
    }

    private func enrol(
        by right: EnrolmentRight, _ policy: UnlockPolicy, _ deviceName: String?, _ reason: String, _ ifExists: IfExists,
        _ liveness: (any LivenessCheck)?
    ) async throws(Failure) -> EnrolledDevice {
        // Several asks and the network lie between the person's act and their keys, and a void stops only asks: so whether the act
        // still counts is checked at each step.
        var maker =
            switch right {
            case .signIn: try await act()
            case .visit(let offer): offer.act
            }
        // A device that has nothing to offer says so before the person gives their credentials. Which rungs it is will be
        // known after them: one person may have declined biometrics, and another one not.
        _ = try await rungsToEnrol(policy)
        let readiness = await readiness(for: policy)
        // The keys of a device that has not been unlocked yet cannot be read, and may be good: this has to wait.
        if readiness.keys.values.contains(.notYetReadable) { throw Failure(.notYetReadable) }
        if ifExists == .fail, readiness.isEnrolled { throw Failure(.alreadyEnrolled) }
        await stopSettling()
        guard let lock = try platform.tryLock(enrolmentsName) else { throw Failure(.superseded) }
        defer { lock.release() }

        // What an earlier attempt left behind when the app was killed goes first. A number is never used twice, so no
        // failure can reach the keys of another enrolment.
        if ifExists != .fail { _ = try await deleteDamagedJournal() }
        try await undoUnfinishedEnrolments()
        let new = Int.random(in: 1...Int.max)
        let beginning = try await edit { $0.begin(new) }
        let record: DeviceRecord
        var isSent = false
        do throws(Failure) {
            let key = try await platform.keys.create(name(of: .session, in: new))
            let ticket: JudgedTicket
            switch right {
            case .signIn(let signIn):
                let session = name(of: .session, in: new)
                let answer = try await credentials(from: signIn, for: session, .enrolment, reason, beginning.owner)
                maker = try maker.withCredentials()
                ticket = try await self.ticket(for: answer, key: session)
                if case .enrolment = beginning.owner, !ticket.isFresh { throw Failure.stale("auth_time") }
            case .visit(let offer): ticket = try await self.ticket(of: offer, for: key)
            }
            let isAnother = try await enrolments().owner.differs(from: ticket.account)
            let isDeclined = isAnother ? false : try await biometricOffer().isDeclined
            let rungs = try await rungsToEnrol(policy, isDeclined: isDeclined)
            if ifExists == .keep, let complete = try await completeEnrolment(of: ticket.account, rungs, policy) {
                try await maker.check(for: .samePerson)
                // The session key that signed in is not needed.
                _ = try? await undoUnfinishedEnrolments()
                return EnrolledDevice(complete)
            }
            let plan = EnrolmentPlan(
                number: new, rungs: rungs, policy: policy, deviceName: await platform.name(given: deviceName),
                reason: reason, maker: maker, liveness: liveness)
            let (request, pinHandle) = try await register(plan, with: ticket.text)
            try await maker.check(for: .samePerson)
            // From here on the server may know the enrolment, even if no answer comes.
            try await edit { (journal) throws(Failure) in try journal.sent(new) }
            isSent = true
            record = try await connection.send(
                "POST", to: "/v1/devices", body: .json(Signing.encode(request)), key: name(of: .session, in: new),
                expecting: DeviceRecord.self
            )
            // The server may have been slow, and the person dismissed meanwhile.
            try await maker.check(for: .samePerson)
            if isAnother { try await forgetAnswers() }
            // Before this write the old enrolment is live, after it the new one. What was another account's is over with it.
            let kinds = [.session] + rungs.compactMap(\.key)
            try await edit { [maker] (journal) throws(Failure) in
                guard maker.isLive else { throw Failure(.cancelledByApp) }
                try journal.goLive(new, pinHandle: pinHandle, kinds: kinds, account: ticket.account, since: beginning)
            }
            // What was proved for another account stands in for nothing of this one.
            if isAnother { forgetRecentAuthentication() }
            // The full sign-in is the strongest rung; one that is stale, or began before a dismissal, lifts nothing.
            if ticket.isFresh { await sensorSwitch.lift(askedAt: maker.mark.dismissals) }
            await enrolmentMark.keep()
        } catch {
            throw await undo(new, isSent: isSent) ? Failure(.superseded) : error
        }
        // The old record goes too, now or later; no key that is left of it can sign in.
        _ = try? await undoUnfinishedEnrolments()
        // The server may have been slow, and this enrolment revoked meanwhile.
        guard try await liveEnrolment() == new else { throw Failure(.superseded) }
        return EnrolledDevice(record)
    }
}

// MARK: - Registration

/// What gives the right to enrol.
private enum EnrolmentRight {
    /// The person's credentials.
    case signIn(any PrimarySignIn)
    /// The visit that the person's credentials have just opened.
    case visit(EnrolmentOffer)
}

/// An enrolment that is being made.
private struct EnrolmentPlan: Sendable {
    /// The number that its keys have in their names.
    var number: Int
    var rungs: [Rung]
    var policy: UnlockPolicy
    var deviceName: String
    var reason: String
    /// What the person began it by.
    var maker: PersonAct
    var liveness: (any LivenessCheck)?
}

/// The keys of a new enrolment, without the session key and the PIN key.
private struct NewKeys: Sendable {
    var publicKeys: [Rung: PublicKey] = [:]
    var signers: [Rung: Signer] = [:]
}

extension Authenticator {
    /// The rungs of the policy that this device can offer now; at least one.
    ///
    /// - Parameter isDeclined: whether the person declined biometrics.
    private func rungsToEnrol(_ policy: UnlockPolicy, isDeclined: Bool = false) async throws(Failure) -> [Rung] {
        let biometry = await platform.sensor.biometry()
        let hasPasscode = await platform.sensor.isPasscodeSet()
        let rungs = policy.ladder.filter { rung in
            switch rung {
            case .biometric: biometry == .ready && !isDeclined
            case .devicePasscode: hasPasscode
            case .appPIN: platform.pin != nil
            case .fullCredentials: false
            }
        }
        guard rungs.isEmpty else { return rungs }
        if policy.ladder.contains(.devicePasscode), !hasPasscode { throw Failure(.passcodeNotSet) }
        throw biometry.obstacle ?? Failure(.policyDenies)
    }

    /// The server's record of the live enrolment; nil where it has to be made anew for this account.
    private func completeEnrolment(
        of account: String, _ rungs: [Rung], _ policy: UnlockPolicy
    ) async throws(Failure) -> DeviceRecord? {
        let journal = try await enrolments()
        guard journal.live != nil, !journal.owner.differs(from: account) else { return nil }
        let readiness = await readiness(for: policy)
        guard rungs.allSatisfy({ readiness.hasUsableKey(for: $0) }), readiness.biometry != .lockedOut(.untilStrongerRung)
        else { return nil }
        let record: DeviceRecord
        do throws(Failure) {
            record = try await serverRecord()
        } catch {
            guard error.status == .notFound else { throw error }
            return nil
        }
        // The server may have been slow, and the enrolment revoked meanwhile.
        guard try await liveEnrolment() == journal.live else { throw Failure(.superseded) }
        return record
    }

    /// Makes the keys that verify the person, and the proofs of all keys.
    ///
    /// - Returns: the request for the server, and the handle of the PIN key where there is one.
    private func register(
        _ plan: EnrolmentPlan, with ticket: String
    ) async throws(Failure) -> (EnrolRequest, pinHandle: String?) {
        let sessionName = name(of: .session, in: plan.number)
        let sessionKey = try await platform.keys.publicKey(of: sessionName)
        let sessionKid = Signing.thumbprint(of: sessionKey)
        let making = try await makingChallenge(for: sessionName)
        let new = try await makeKeys(plan, for: making)
        let kids = plan.rungs.compactMap { $0 == .appPIN ? PINHandle.placeholder : new.signers[$0]?.kid }
        let asked = moment
        let challenge = try await connection.challenge(.enrol, for: [sessionKid] + kids, key: sessionName)

        let evidence = EvidenceCollector(plan.liveness, for: .enrolDevice, on: platform)
        try await evidence.collect(for: challenge, askedAt: asked)
        // The person may have been dismissed while the camera looked.
        try await plan.maker.check(for: .samePerson)
        let input = Signing.proofInput(challenge: challenge.text, kid: sessionKid)
        let signature = try await platform.keys.sign(input, with: sessionName, presence: nil)
        let sessionProof = CompactJWS.compact(signingInput: input, signature: signature)
        var registrations = [KeyRegistration(kind: .session, jwk: JWK(sessionKey), proof: sessionProof)]
        var named = [sessionName: sessionKey]
        for (rung, signer) in new.signers { named[signer.key] = new.publicKeys[rung] }
        let keyEvidence = try await keyEvidence(for: challenge, named, madeFor: making, inTheNameOf: sessionName)
        if plan.rungs.contains(.appPIN) {
            let chosen = try await platform.prompts.ask(request(plan), on: platform, telling: nil) {
                (ask) async throws(Failure) in
                try await plan.maker.check(for: .samePerson)
                return try await self.choosePIN(for: ask)
            }
            registrations.append(try await registerPIN(chosen, challenge: challenge, as: plan.number))
        }
        registrations += try await prove(plan, new, challenge)
        let request = EnrolRequest(
            ticket: ticket, name: plan.deviceName, keys: registrations, liveness: evidence[challenge]?.evidence?.jws,
            evidence: keyEvidence)
        return (request, challenge.newHandle)
    }

    private nonisolated func request(_ plan: EnrolmentPlan) -> UnlockRequest {
        request(plan.reason, plan.policy, .enrolment)
    }

    private func makeKeys(_ plan: EnrolmentPlan, for making: MakingChallenge?) async throws(Failure) -> NewKeys {
        var new = NewKeys()
        for rung in plan.rungs where rung != .appPIN {
            guard let kind = rung.key else { continue }
            let key = name(of: kind, in: plan.number)
            if kind == .biometric { try await CountedSensor(key, on: platform, under: plan.policy).createLedger() }
            let publicKey = try await platform.keys.create(key, attesting: making?.value)
            new.publicKeys[rung] = publicKey
            new.signers[rung] = Signer(key: key, kid: Signing.thumbprint(of: publicKey))
        }
        return new
    }

    /// Shows one prompt: the first rung's key signs for itself, and a passcode key beside it is registered under that
    /// proof. A PIN key has signed already.
    private func prove(
        _ plan: EnrolmentPlan, _ new: NewKeys, _ challenge: CheckedChallenge
    ) async throws(Failure) -> [KeyRegistration] {
        guard let first = plan.rungs.first(where: { $0 != .appPIN }), let signer = new.signers[first] else { return [] }
        let proof = try await platform.prompts.ask(request(plan), on: platform, telling: nil) { (ask) async throws(Failure) in
            try await plan.maker.check(for: .samePerson)
            let proof = try await self.proveNewKey(signer, of: first, ask, plan.policy, challenge)
            try ask.check()
            return proof
        }
        return plan.rungs.compactMap { rung in
            guard let kind = rung.key, let publicKey = new.publicKeys[rung] else { return nil }
            return KeyRegistration(kind: kind, jwk: JWK(publicKey), proof: rung == first ? proof.jws : nil)
        }
    }
}

extension Readiness {
    /// Whether a rung and the session have keys that work, whatever the state of the sensor, now or after a pause.
    fileprivate func hasUsableKey(for rung: Rung) -> Bool {
        guard let kind = rung.key else { return true }
        return state(of: .session) == .usable && state(of: kind).isAlive
    }
}

extension Failure.PlatformStatus {
    /// The server knows no such thing.
    static let notFound = Failure.PlatformStatus(domain: "HTTP", code: 404)
}

extension Authenticator.IfExists: CustomStringConvertible {
    /// The choice in words.
    public var description: String {
        switch self {
        case .keep: "keep"
        case .replace: "replace"
        case .fail: "fail"
        }
    }
}
