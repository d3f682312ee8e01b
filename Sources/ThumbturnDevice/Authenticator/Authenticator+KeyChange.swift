import Synchronization
public import ThumbturnCore
import ThumbturnMessages

/// Changes of the keys of an enrolment that goes on living.
///
/// All of them are transactions with a journal. The new key is made beside the old one, under a number of its own, and written down
/// before the server hears of it; the server exchanges one for the other at once; then the old key is deleted. An app that is killed
/// in between finds out at the next unlock which of the two the server has. All of them throw `superseded` while another enrolment or
/// change is running, what `authenticate` throws where a key has to sign, and `refused` where the server does not allow it.
extension Authenticator {
    /// Gives this device a PIN where it has none. The sensor or the device passcode shows that it is its owner who does it.
    ///
    /// - Throws: `alreadyEnrolled` where there is a PIN; `pinEasilyGuessed` for one that a thief tries first.
    public func setPIN(_ reason: String = "Set your PIN", policy: UnlockPolicy = .unlock) async throws(Failure) {
        try await change(.setPIN, reason, .key(of: [.biometric, .devicePasscode], policy))
    }

    /// Exchanges the PIN for another one. The old PIN or the sensor pays, in the order of the policy's ladder.
    ///
    /// - Throws: `notEnrolled` where there is no PIN; `pinEasilyGuessed` for one that a thief tries first.
    public func changePIN(_ reason: String = "Change your PIN", policy: UnlockPolicy = .unlock) async throws(Failure) {
        try await change(.changePIN, reason, .key(of: [.appPIN, .biometric], policy))
    }

    /// Gives this device a new PIN for somebody who forgot the old one, or whose PIN is used up. Only the full sign-in pays, never the
    /// device passcode: whoever knows that would have the PIN too.
    ///
    /// - Throws: `refused` for a wrong password, before a PIN is chosen; `pinEasilyGuessed` for one that a thief tries first.
    public func resetPIN(with signIn: some PrimarySignIn) async throws(Failure) {
        try await change(.resetPIN, "Set a new PIN", .credentials(signIn))
    }

    /// Takes the PIN away. The PIN itself or the sensor pays, because another PIN could be set afterwards.
    ///
    /// - Throws: `notEnrolled` where there is no PIN.
    public func removePIN(_ reason: String = "Remove your PIN", policy: UnlockPolicy = .unlock) async throws(Failure) {
        try await change(.removePIN, reason, .key(of: [.appPIN, .biometric], policy))
    }

    /// Makes a new biometric key after a changed face or finger, or after biometrics were turned off, with the full sign-in.
    ///
    /// - Throws: what this device lacks (`biometryUnavailable`, `biometryNotEnrolled`, `permissionDenied`, `lockedOut`); `refused`
    ///   for a wrong password.
    public func replaceBiometricKey(
        _ reason: String = "Use the sensor again", with signIn: some PrimarySignIn, policy: UnlockPolicy = .unlock
    ) async throws(Failure) {
        try await change(.replaceBiometric, reason, .credentials(signIn), policy)
    }

    /// Makes a new biometric key with the device passcode, where the server allows that; it does not unless its operator said so. The
    /// server remembers of such a key that the passcode brought it.
    ///
    /// - Throws: what this device lacks, as with the full sign-in.
    public func replaceBiometricKey(
        _ reason: String = "Use the sensor again", policy: UnlockPolicy = .unlock
    ) async throws(Failure) {
        try await change(.replaceBiometric, reason, .key(of: [.devicePasscode], policy), policy)
    }

    /// Turns biometrics off. Turning them on again is `replaceBiometricKey`, which costs what it costs after a new face: the switch is
    /// no way around that.
    ///
    /// - Throws: `notEnrolled` where there is no biometric key.
    public func removeBiometricKey(
        _ reason: String = "Turn off the sensor", policy: UnlockPolicy = .unlock
    ) async throws(Failure) {
        try await change(.removeBiometric, reason, .key(of: [.biometric, .devicePasscode, .appPIN], policy))
    }

    /// Who pays.
    private enum Payment {
        case key(of: Set<Rung>, UnlockPolicy)
        case credentials(any PrimarySignIn)
    }

    private func change(
        _ change: KeyChange, _ reason: String, _ payment: Payment, _ policy: UnlockPolicy = .unlock
    ) async throws(Failure) {
        guard platform.journals.open(enrolmentsName) else { throw Failure(.superseded) }
        defer { platform.journals.close(enrolmentsName) }
        try await settleChange()
        let session = try await liveName(of: .session)
        try await check(change)
        let number = change.bringsKey ? Int.random(in: 1...Int.max) : nil
        do throws(Failure) {
            try await journal(change, number, kid: nil)
            let made = change == .replaceBiometric ? try await makeBiometricKey(under: number, policy) : nil
            let new = change.bringsKey ? [made?.kid ?? PINHandle.placeholder] : []
            let (connection, chosen) = (connection, ChosenPIN())
            let challenges: @Sendable ([String]) async throws(Failure) -> CheckedChallenge = { (payers) async throws(Failure) in
                try await connection.challenge(.manage, act: change.rawValue, for: new + payers, key: session)
            }
            let register: @Sendable (CheckedChallenge) async throws(Failure) -> KeyRegistration? = {
                (challenge) async throws(Failure) in
                try await self.register(change, number, made, challenge, chosen, reason, policy)
            }
            let send: @Sendable (KeyChangeRequest) async throws(Failure) -> Void = { (request) async throws(Failure) in
                try await connection.send("POST", "/v1/devices/current/keys", .json(Signing.encode(request)), key: session)
            }

            switch payment {
            case .credentials(let signIn):
                let typed = try await signIn.credentials()
                // The challenge first, because the nonce comes with it: the password travels once.
                let challenge = try await challenges([])
                let ticket = try await connection.send(
                    "POST", typed.path, .json(typed.body), key: session, expecting: EnrolmentTicket.self
                ).ticket
                let registered = try await platform.prompts.inTurn(ask(reason, policy), mayShare: false, on: platform) {
                    () async throws(Failure) in try await register(challenge)
                }
                guard let key = registered else { preconditionFailure("the full sign-in pays for new keys") }
                try await send(KeyChangeRequest(key: key, ticket: ticket))
            case .key(let rungs, var policy):
                policy.ladder.removeAll { !rungs.contains($0) }
                let readiness = await readiness(for: policy)
                let signers = try await signers(for: policy.ladder, readiness)
                let kids = policy.ladder.compactMap { signers[$0]?.kid }
                // With nothing to sign there is nothing to ask the server; the flow says why.
                let challenge = signers.isEmpty ? .nothing : try await challenges(kids)
                let ladder = policy
                try await platform.prompts.inTurn(self.ask(reason, policy), mayShare: false, on: platform) {
                    () async throws(Failure) in
                    _ = try await self.prove(
                        challenge, signers, reason, ladder, readiness: { readiness },
                        renew: { () async throws(Failure) in try await challenges(kids) },
                        spend: { (proofs, challenge) async throws(Failure) in
                            try await send(KeyChangeRequest(key: try await register(challenge), proof: proofs[0].jws))
                        }
                    )
                }
            }
        } catch {
            // The server may have made the change all the same, or it will be found out at the next unlock.
            if (try? await settleChange(refused: error)) == true { return }
            throw error
        }
        var marks = try await enrolments()
        if let made = marks.change { marks.finish(made) }
        try await keep(marks)
        _ = try? await settleChange()
    }

    /// What can be told without asking anybody.
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
            // Declined, or deleted by the system: the server may still list it.
            guard try await serverKeys().contains(where: { $0.kind == .biometric }) else {
                throw Failure(.notEnrolled, recovery: .report)
            }
        case .removePIN: break
        }
    }

    private func journal(_ change: KeyChange, _ number: Int?, kid: String?) async throws(Failure) {
        var marks = try await enrolments()
        marks.change = Enrolments.PendingChange(kind: change.kind, number: number, kid: kid)
        try await keep(marks)
    }

    private func makeBiometricKey(under number: Int?, _ policy: UnlockPolicy) async throws(Failure) -> NewKey {
        guard let number else { preconditionFailure("a new key has a number") }
        let key = name(of: .biometric, in: number)
        try await CountedSensor(key, on: platform, under: policy.delays).begin()
        let publicKey = try await platform.keys.create(key)
        return NewKey(name: key, publicKey: publicKey, kid: Signing.thumbprint(of: publicKey))
    }

    /// Has the new key sign for itself; nil where the change brings none. Its id is written down before the server hears of it.
    private func register(
        _ change: KeyChange, _ number: Int?, _ made: NewKey?, _ challenge: CheckedChallenge, _ chosen: ChosenPIN,
        _ reason: String, _ policy: UnlockPolicy
    ) async throws(Failure) -> KeyRegistration? {
        guard let number else { return nil }
        if let made {
            var alone = policy
            alone.ladder = [.biometric]
            let fresh = Readiness(
                biometry: await platform.sensor.biometry(), keys: [.session: .usable, .biometric: .usable], ladder: alone.ladder
            )
            let signers = [Rung.biometric: Signer(key: made.name, kid: made.kid)]
            let (_, proof) = try await prove(challenge, signers, reason, alone, readiness: { fresh }) { proofs, _ in proofs[0] }
            try await journal(change, number, kid: made.kid)
            return KeyRegistration(kind: .biometric, jwk: JWK(made.publicKey), proof: proof.jws)
        }
        // The person chooses once, also when the old PIN has to be typed again.
        let pin = try await chosen.pin { () async throws(Failure) in try await self.choosePIN() }
        try await journal(change, number, kid: challenge.newHandle)
        return try await registerPIN(pin, challenge, as: number)
    }

    /// After a failure: what the server refused it has not made. Where its answer was lost, it is asked.
    private func settleChange(refused failure: Failure) async throws(Failure) -> Bool {
        if failure.code != .unreachable, failure.code != .unexpectedAnswer {
            var marks = try await enrolments()
            if let change = marks.change { marks.undo(change) }
            try await keep(marks)
        }
        return try await settleChange()
    }
}

/// A biometric key that no server knows yet.
private struct NewKey: Sendable {
    var name: KeyName
    var publicKey: PublicKey
    var kid: String
}

/// The new PIN, once it is chosen.
private final class ChosenPIN: Sendable {
    private let chosen = Mutex<PIN?>(nil)

    func pin(_ choose: () async throws(Failure) -> PIN) async throws(Failure) -> PIN {
        if let pin = chosen.withLock({ $0 }) { return pin }
        let pin = try await choose()
        chosen.withLock { $0 = pin }
        return pin
    }
}
