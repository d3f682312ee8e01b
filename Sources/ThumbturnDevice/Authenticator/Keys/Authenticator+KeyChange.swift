import Synchronization
public import ThumbturnCore
import ThumbturnMessages

/// Changes of single keys of a live enrolment.
///
/// Each of them is a transaction with a journal. The new key is made beside the old one, under a number of its own, and
/// written down before the server hears of it; the server exchanges one for the other in one step; then the old key is
/// deleted. An app that is killed in between finds out at the next unlock which of the two the server has. All of them
/// throw `superseded` while another enrolment or change is running, or where another process has revoked the device
/// meanwhile; `platform` where the place cannot be locked; what `authenticate` throws where a key has to sign; and
/// `refused` where the server does not allow the change. A lock, an absence or a dismissal before the server may have the
/// change ends it with `cancelledByApp`.
extension Authenticator {
    /// Sets a PIN on a device that has none, authorised by the sensor or the device passcode.
    ///
    /// - Throws: `alreadyEnrolled` where there is a PIN; `pinEasilyGuessed` for one that an attacker would try first.
    public func setPIN(_ reason: String = "Set your PIN", policy: UnlockPolicy = .unlock) async throws(Failure) {
        try await change(.setPIN, reason, authorisedBy: .keys(of: [.biometric, .devicePasscode], policy))
    }

    /// Replaces the PIN, authorised by the old PIN or the sensor, in the order of the policy's ladder.
    ///
    /// - Throws: `notEnrolled` where there is no PIN; `pinEasilyGuessed` for one that an attacker would try first.
    public func changePIN(_ reason: String = "Change your PIN", policy: UnlockPolicy = .unlock) async throws(Failure) {
        try await change(.changePIN, reason, authorisedBy: .keys(of: [.appPIN, .biometric], policy))
    }

    /// Sets a new PIN where the old one was forgotten or is used up. It is authorised only by the full sign-in, never
    /// by the device passcode: otherwise the passcode would be enough to have the PIN too.
    ///
    /// - Throws: `refused` for a wrong password, before a PIN is chosen; `pinEasilyGuessed` for one that an attacker
    ///   would try first.
    public func resetPIN(with signIn: some PrimarySignIn) async throws(Failure) {
        try await change(.resetPIN, "Set a new PIN", authorisedBy: .credentials(signIn))
    }

    /// Removes the PIN, authorised by the PIN itself or the sensor, because another PIN could be set afterwards.
    ///
    /// - Throws: `notEnrolled` where there is no PIN.
    public func removePIN(_ reason: String = "Remove your PIN", policy: UnlockPolicy = .unlock) async throws(Failure) {
        try await change(.removePIN, reason, authorisedBy: .keys(of: [.appPIN, .biometric], policy))
    }

    /// Makes a new biometric key after the enrolled faces or fingers changed, or after biometrics were turned off,
    /// authorised by the full sign-in.
    ///
    /// - Throws: what this device lacks (`biometryUnavailable`, `biometryNotEnrolled`, `permissionDenied`,
    ///   `lockedOut`); `refused` for a wrong password.
    public func replaceBiometricKey(
        _ reason: String = "Use the sensor again", with signIn: some PrimarySignIn, policy: UnlockPolicy = .unlock
    ) async throws(Failure) {
        try await change(.replaceBiometric, reason, authorisedBy: .credentials(signIn), newKeyFor: policy)
    }

    /// Makes a new biometric key, authorised by the device passcode. A server allows that only where its operator has
    /// configured it, and it records that the passcode authorised the key.
    ///
    /// - Throws: what this device lacks, as with the full sign-in.
    public func replaceBiometricKey(
        _ reason: String = "Use the sensor again", policy: UnlockPolicy = .unlock
    ) async throws(Failure) {
        try await change(
            .replaceBiometric, reason, authorisedBy: .keys(of: [.devicePasscode], policy), newKeyFor: policy
        )
    }

    /// Turns biometrics off. Turning them on again is `replaceBiometricKey`, with the authorisation that it needs after
    /// a change of the enrolled faces and fingers: switching off and on is no way around that.
    ///
    /// - Throws: `notEnrolled` where there is no biometric key.
    public func removeBiometricKey(
        _ reason: String = "Turn off the sensor", policy: UnlockPolicy = .unlock
    ) async throws(Failure) {
        try await change(
            .removeBiometric, reason, authorisedBy: .keys(of: [.biometric, .devicePasscode, .appPIN], policy)
        )
    }
}

// MARK: - The transaction

/// What authorises a change.
private enum Authorisation {
    case keys(of: Set<Rung>, UnlockPolicy)
    case credentials(any PrimarySignIn)
}

/// A change of a key that is being made.
private struct RunningChange: Sendable {
    let change: KeyChange
    /// The session key, in whose name the server is asked.
    let session: KeyName
    let reason: String
    /// The policy of a new biometric key.
    let policy: UnlockPolicy
    /// The new key; nil where the key is removed.
    let newKey: NewKey?
    /// What the person began it by.
    var maker: PersonAct

    /// The id of the new key in the challenge.
    var newKids: [String] {
        switch newKey {
        case .biometric(_, _, let kid, number: _, madeFor: _): [kid]
        case .pin: [PINHandle.placeholder]
        case nil: []
        }
    }
}

/// A key that the server does not know yet.
private enum NewKey: Sendable {
    case biometric(KeyName, PublicKey, kid: String, number: Int, madeFor: MakingChallenge?)
    /// It is made once the person has chosen the PIN.
    case pin(ChosenPIN, number: Int)
}

extension Authenticator {
    private func change(
        _ change: KeyChange, _ reason: String, authorisedBy authorisation: Authorisation,
        newKeyFor policy: UnlockPolicy = .unlock
    ) async throws(Failure) {
        try await AskKind.keyChange.told(to: observe) { () async throws(Failure) in
            try await transact(change, reason, authorisedBy: authorisation, newKeyFor: policy)
        }
    }

    private func transact(
        _ change: KeyChange, _ reason: String, authorisedBy authorisation: Authorisation, newKeyFor policy: UnlockPolicy
    ) async throws(Failure) {
        await stopSettling()
        guard let lock = try platform.tryLock(enrolmentsName) else { throw Failure(.superseded) }
        defer { lock.release() }
        let maker = try await act()
        try await settleChange()
        let session = try await liveName(of: .session)
        try await check(change)
        // A number is never used twice, so no failure can reach the keys of another change.
        let number = change.bringsKey ? Int.random(in: 1...Int.max) : nil
        let pending = PlaceJournal.PendingChange(kind: change.kind, number: number)
        do throws(Failure) {
            let newKey = try await begin(change, pending, policy, in: session)
            let running = RunningChange(
                change: change, session: session, reason: reason, policy: policy, newKey: newKey, maker: maker)
            switch authorisation {
            case .credentials(let signIn): try await make(running, with: signIn)
            case .keys(let rungs, let policy): try await make(running, withKeysOf: rungs, policy)
            }
        } catch {
            // The server may have made the change all the same; where it does not answer, that is found out at the next
            // unlock.
            guard (try? await settle(pending, after: error)) == true else { throw error }
        }
        try await edit { (journal) throws(Failure) in try journal.finish(pending) }
        // A new biometric key needs what a stronger rung needs; one that was asked for before a dismissal lifts nothing.
        if change == .replaceBiometric { await sensorSwitch.lift(askedAt: maker.mark.dismissals) }
        _ = try? await settleChange()
        // A revocation does not wait for this change to its end.
        guard try await liveEnrolment() == session.enrolment else { throw Failure(.superseded) }
    }

    /// Checks what can be known before the person or the server is asked.
    private func check(_ change: KeyChange) async throws(Failure) {
        let hasPIN = try await livePINHandle() != nil
        switch change {
        case .setPIN where hasPIN: throw Failure(.alreadyEnrolled)
        case .changePIN where !hasPIN, .removePIN where !hasPIN: throw Failure(.notEnrolled, recovery: .report)
        case .setPIN, .changePIN, .resetPIN:
            guard platform.pin != nil else { throw Failure(.policyDenies) }
        case .replaceBiometric:
            if let obstacle = await platform.sensor.biometry().obstacle { throw obstacle }
        case .removeBiometric:
            if try await state(of: liveName(of: .biometric)) != .missing { break }
            // The key was declined, or deleted by the system: the server may still list it.
            guard try await serverRecord().keys.contains(where: { $0.kind == .biometric }) else {
                throw Failure(.notEnrolled, recovery: .report)
            }
        case .removePIN: break
        }
    }

    /// Writes the change down, and makes a biometric key where it brings one.
    private func begin(
        _ change: KeyChange, _ pending: PlaceJournal.PendingChange, _ policy: UnlockPolicy, in session: KeyName
    ) async throws(Failure) -> NewKey? {
        try await edit { (journal) throws(Failure) in try journal.change(pending) }
        guard let number = pending.number else { return nil }
        guard change == .replaceBiometric else { return .pin(ChosenPIN(), number: number) }
        let key = name(of: .biometric, in: number)
        try await CountedSensor(key, on: platform, under: policy).createLedger()
        let making = try await makingChallenge(for: session)
        let publicKey = try await platform.keys.create(key, attesting: making?.value)
        return .biometric(key, publicKey, kid: Signing.thumbprint(of: publicKey), number: number, madeFor: making)
    }

    /// Writes the id of the new key down.
    private func journal(_ change: KeyChange, number: Int, kid: String?) async throws(Failure) {
        try await edit { (journal) throws(Failure) in
            try journal.change(.init(kind: change.kind, number: number, kid: kid))
        }
    }

    /// After a failure. A change that the server refused is not made; where its answer was lost, it is asked. A request
    /// that was cancelled may have arrived.
    ///
    /// - Returns: whether the server has made the change.
    private func settle(
        _ pending: PlaceJournal.PendingChange, after failure: Failure
    ) async throws(Failure) -> Bool {
        let mayBeMade: [Failure.Code] = [.unreachable, .unexpectedAnswer, .cancelledByApp]
        if !mayBeMade.contains(failure.code) { try await edit { $0.undo(pending) } }
        return try await settleChange()
    }
}

// MARK: - Authorisation

extension Authenticator {
    /// Makes a change that the person's full sign-in authorises.
    private func make(_ change: RunningChange, with signIn: any PrimarySignIn) async throws(Failure) {
        let purpose: SignInRequest.Purpose = change.change.kind == .pin ? .newPIN : .newBiometricKey
        let owner = try await enrolments().owner
        let answer = try await credentials(from: signIn, for: change.session, purpose, change.reason, owner)
        var present = change
        present.maker = try change.maker.withCredentials()
        let running = present
        let challenge = try await challenge(for: running, authorisedBy: [])
        let ticket = try await ticket(for: answer, key: running.session)
        // The server refuses another person's ticket for these keys; nothing is asked of the person then.
        guard ticket.account == owner.account else { throw Failure(.refused) }
        let request = request(running.reason, running.policy, .keyChange)
        let registration = try await platform.prompts.ask(request, on: platform, telling: nil) {
            (ask) async throws(Failure) in
            try await running.maker.check(for: .samePlace)
            let registration = try await self.register(running, challenge, for: ask)
            try ask.check()
            return registration
        }
        guard let registration else { preconditionFailure("the full sign-in authorises only changes that bring a key") }
        var change = KeyChangeRequest(key: registration, ticket: ticket.text)
        change.evidence = try await evidence(for: running, challenge)
        try await running.maker.check(for: .samePlace)
        try await send(change, for: running)
    }

    /// Makes a change that a key of one of these rungs authorises.
    private func make(
        _ running: RunningChange, withKeysOf rungs: Set<Rung>, _ policy: UnlockPolicy
    ) async throws(Failure) {
        var policy = policy
        policy.ladder.removeAll { !rungs.contains($0) }
        let readiness = await readiness(for: policy)
        let signers = try await signers(for: policy.ladder, readiness) { (kids, _) async throws(Failure) in
            try await self.challenge(for: running, authorisedBy: kids)
        }
        let request = request(running.reason, policy, .keyChange)
        try await platform.prompts.ask(request, on: platform, telling: nil) { (ask) async throws(Failure) in
            try await running.maker.check(for: .samePlace)
            _ = try await self.prove(ask, with: signers, readiness: { readiness }) {
                (proofs, challenge) async throws(Failure) in
                let registration = try await self.register(running, challenge, for: ask)
                var change = KeyChangeRequest(key: registration, proof: proofs[0].jws)
                change.evidence = try await self.evidence(for: running, challenge)
                try await running.maker.check(for: .samePlace)
                try ask.beginSending()
                try await self.send(change, for: running)
            }
        }
    }

    private func challenge(
        for running: RunningChange, authorisedBy kids: [String]
    ) async throws(Failure) -> CheckedChallenge {
        try await connection.challenge(
            .manage, act: running.change.rawValue, for: running.newKids + kids, key: running.session
        )
    }

    private func send(_ request: KeyChangeRequest, for running: RunningChange) async throws(Failure) {
        try await connection.send(
            "POST", to: "/v1/devices/current/keys", body: .json(Signing.encode(request)), key: running.session
        )
    }
}

// MARK: - The new key

extension Authenticator {
    /// Has the new key sign for itself; nil where the change brings none. Its id is written down before the server
    /// hears of it.
    private func register(
        _ running: RunningChange, _ challenge: CheckedChallenge, for ask: RunningAsk
    ) async throws(Failure) -> KeyRegistration? {
        switch running.newKey {
        case nil: return nil
        case .biometric(let name, let publicKey, let kid, let number, madeFor: _):
            let signer = Signer(key: name, kid: kid)
            let proof = try await proveNewKey(signer, of: .biometric, ask, running.policy, challenge)
            try await journal(running.change, number: number, kid: kid)
            return KeyRegistration(kind: .biometric, jwk: JWK(publicKey), proof: proof.jws)
        case .pin(let chosen, let number):
            // The person chooses once, even if the old PIN has to be typed again.
            let pin = try await chosen.pin { () async throws(Failure) in try await self.choosePIN(for: ask) }
            try await journal(running.change, number: number, kid: challenge.newHandle)
            return try await registerPIN(pin, challenge: challenge, as: number)
        }
    }
}

extension Authenticator {
    /// Evidence of a new key; nil for a PIN key, which has none.
    private func evidence(for running: RunningChange, _ challenge: CheckedChallenge) async throws(Failure) -> KeyEvidence? {
        guard case .biometric(let name, let publicKey, kid: _, number: _, madeFor: let making) = running.newKey else {
            return nil
        }
        return try await keyEvidence(
            for: challenge, [name: publicKey], madeFor: making, inTheNameOf: running.session)
    }
}

/// The new PIN, once the person has chosen it.
private final class ChosenPIN: Sendable {
    private let chosen = Mutex<PIN?>(nil)

    func pin(_ choose: () async throws(Failure) -> PIN) async throws(Failure) -> PIN {
        if let pin = chosen.withLock({ $0 }) { return pin }
        let pin = try await choose()
        chosen.withLock { $0 = pin }
        return pin
    }
}
