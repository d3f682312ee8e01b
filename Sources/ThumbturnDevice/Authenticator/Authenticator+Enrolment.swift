import Foundation
public import ThumbturnCore
import ThumbturnMessages

extension Authenticator {
    /// What to do when this device is already enrolled.
    public enum IfExists: Sendable {
        /// Leave it as it is, if it has a usable key for every rung of the policy that this device can offer, and the sensor does not
        /// wait for a stronger rung; otherwise enrol anew.
        case keep
        /// Enrol anew.
        case replace
        /// Throw `alreadyEnrolled`.
        case fail
    }

    /// Makes the keys that the policy's ladder needs and registers them, with at most one prompt of the system. Where the ladder and
    /// the platform have a PIN, the person chooses one before that prompt.
    ///
    /// The new keys are made beside the live ones. Only when the server has them all does the enrolment change over, and the old
    /// keys are deleted; whatever fails before, a wrong password or a crash, leaves the live enrolment as it was. The passcode
    /// key is registered under the biometric key's proof and becomes active when it first signs. While the account has other
    /// devices, a new one cools off on the server, also when it replaces itself.
    ///
    /// - Parameters:
    ///   - signIn: the person's first login; asked before any prompt.
    ///   - policy: its ladder says which keys are made.
    ///   - deviceName: how the person will recognise this device in a list, 1 to 64 characters.
    ///   - reason: shown in the system's prompt.
    ///   - ifExists: what to do when this device is already enrolled.
    /// - Returns: the server's record; nil where `keep` left an enrolment alone.
    /// - Throws: `alreadyEnrolled`; `superseded` while another enrolment is running; what this device lacks
    ///   (`biometryUnavailable`, `biometryNotEnrolled`, `permissionDenied`,
    ///   `lockedOut`); `refused` for a wrong password; `pinEasilyGuessed` for a PIN that a thief tries first; what `authenticate`
    ///   throws.
    @discardableResult
    public func enrol(
        with signIn: some PrimarySignIn, policy: UnlockPolicy = .unlock, deviceName: String = "This device",
        reason: String = "Set up signing in on this device", ifExists: IfExists = .keep
    ) async throws(Failure) -> EnrolledDevice? {
        let rungs = try await rungsToEnrol(policy)
        let readiness = await readiness(for: policy)
        // A device that has not been unlocked yet is for later: its keys cannot be read, and they may be good.
        if readiness.keys.values.contains(.notYetReadable) { throw Failure(.notYetReadable) }
        switch ifExists {
        case .keep
        where rungs.allSatisfy { readiness.hasUsableKey(for: $0) } && readiness.biometry != .lockedOut(.untilStrongerRung):
            return nil
        case .fail where readiness.isEnrolled: throw Failure(.alreadyEnrolled)
        case .keep, .fail, .replace: break
        }
        guard platform.journals.open(enrolmentsName) else { throw Failure(.superseded) }
        defer { platform.journals.close(enrolmentsName) }

        // What an earlier attempt left behind, because the app was killed, goes first. A number is never used twice, so
        // nothing that fails can reach the keys of another enrolment.
        var marks = try await undoWhatWasBegun()
        let (old, oldNumbers, new) = (marks.live, marks.numbers, Int.random(in: 1...Int.max))
        marks.begun.append(new)
        try await keep(marks)
        let record: DeviceRecord
        do throws(Failure) {
            let (request, key, handle) = try await register(rungs, policy, as: new, signIn, deviceName, reason)
            // From here on the server may know it, also when no answer comes.
            marks.sent.append(new)
            try await keep(marks)
            record = try await connection.send("POST", "/v1/devices", request, key: key, expecting: DeviceRecord.self)
            // The change-over: before this write the old enrolment is live, after it the new one.
            marks.takeUp(new, handle, [.session] + rungs.compactMap(\.key))
            marks.begun = marks.begun.filter { $0 != new } + oldNumbers
            marks.sent = marks.sent.filter { $0 != new } + (old.map { [$0] } ?? [])
            try await keep(marks)
            await keepEnrolmentMark()
        } catch {
            // What the journal says counts: a write that failed may have been done all the same.
            _ = try? await undoWhatWasBegun()
            throw error
        }
        // The old record goes too, now or later; what is left of it can never sign in again.
        _ = try? await undoWhatWasBegun()
        return EnrolledDevice(record)
    }

    /// Undoes what an enrolment left behind when the app was killed, or when the server's answer was lost: keys of the device, and
    /// the record at the server. Call it when the app starts. `enrol` begins with it and `authenticate` ends with it, so nothing
    /// depends on that call. Silent: it never prompts and never throws. What the server cannot be told now waits for the next time.
    public func settle() async {
        guard platform.journals.open(enrolmentsName) else { return }
        defer { platform.journals.close(enrolmentsName) }
        _ = try? await undoWhatWasBegun()
        _ = try? await settleChange()
    }

    /// Only the holder of the journal calls it.
    ///
    /// - Returns: the journal afterwards.
    private func undoWhatWasBegun() async throws(Failure) -> Enrolments {
        let before = try await enrolments()
        var after = before
        for begun in before.begun where begun != before.live {
            guard try await isForgottenByServer(begun, in: before) else {
                // Its session key stays, because it alone can end the record.
                try await deleteKeys(of: begun, but: .session)
                continue
            }
            try await deleteKeys(of: begun)
            after.begun.removeAll { $0 == begun }
            after.sent.removeAll { $0 == begun }
        }
        if after != before { try await keep(after) }
        return after
    }

    private func isForgottenByServer(_ enrolment: Int, in marks: Enrolments) async throws(Failure) -> Bool {
        // Without that key nobody can ask, and nobody could sign in.
        guard marks.sent.contains(enrolment), await platform.keys.state(of: name(of: .session, in: enrolment)) == .usable else {
            return true
        }
        do throws(Failure) {
            try await endOnServer(enrolment)
            return true
        } catch {
            return false
        }
    }

    /// Ends this device's enrolment on the server and deletes its keys. Never prompts, and needs no session.
    ///
    /// The keys go in any case. Where the server cannot be told, the failure is thrown after that: the record that is left
    /// there can never sign in again, and another device can delete it.
    public func revoke() async throws(Failure) {
        guard let live = try await liveEnrolment() else { throw Failure(.notEnrolled) }
        let told: Failure?
        do throws(Failure) {
            try await endOnServer(live)
            told = nil
        } catch {
            told = error
        }
        var marks = try await enrolments()
        let numbers = marks.numbers
        marks.takeUp(nil, nil)
        marks.begun += numbers
        try await keep(marks)
        for number in numbers { try await deleteKeys(of: number) }
        if let told { throw told }
    }

    /// Tells the server, by the session key alone. A device that it does not know is gone already.
    private func endOnServer(_ enrolment: Int) async throws(Failure) {
        do throws(Failure) {
            try await connection.send("DELETE", "/v1/devices/current", key: name(of: .session, in: enrolment))
        } catch {
            guard error.status == Failure.PlatformStatus(domain: "HTTP", code: 404) else { throw error }
        }
    }

    /// The rungs of the policy that this device can offer now; at least one.
    private func rungsToEnrol(_ policy: UnlockPolicy) async throws(Failure) -> [Rung] {
        let biometry = await platform.sensor.biometry()
        let hasPasscode = await platform.sensor.isPasscodeSet()
        let isDeclined = try await biometricOffer().isDeclined
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

    /// Makes the keys and their proofs.
    ///
    /// - Returns: what to send, with which session key, and the handle of the PIN key where there is one.
    private func register(
        _ rungs: [Rung], _ policy: UnlockPolicy, as enrolment: Int, _ signIn: some PrimarySignIn, _ deviceName: String,
        _ reason: String
    ) async throws(Failure) -> (ServerConnection.Body, session: KeyName, pinHandle: String?) {
        let typed = try await signIn.credentials()
        let sessionName = name(of: .session, in: enrolment)
        let sessionKey = try await platform.keys.create(sessionName)
        var publicKeys: [Rung: PublicKey] = [:]
        var signers: [Rung: Signer] = [:]
        for rung in rungs where rung != .appPIN {
            guard let kind = rung.key else { continue }
            let key = name(of: kind, in: enrolment)
            if kind == .biometric { try await CountedSensor(key, on: platform, under: policy.delays).begin() }
            let publicKey = try await platform.keys.create(key)
            publicKeys[rung] = publicKey
            signers[rung] = Signer(key: key, kid: Signing.thumbprint(of: publicKey))
        }
        let sessionKid = Signing.thumbprint(of: sessionKey)
        let kids = rungs.compactMap { $0 == .appPIN ? PINHandle.placeholder : signers[$0]?.kid }
        let challenge = try await connection.challenge(.enrol, for: [sessionKid] + kids, key: sessionName)
        // After the challenge, because the nonce comes with it: the password travels once.
        let ticket = try await connection.send(
            "POST", typed.path, .json(typed.body), key: sessionName, expecting: EnrolmentTicket.self
        ).ticket

        let input = Signing.proofInput(challenge: challenge.text, kid: sessionKid)
        let signature = try await platform.keys.sign(input, with: sessionName, presence: nil)
        let sessionProof = CompactJWS.compact(signingInput: input, signature: signature)
        var registrations = [KeyRegistration(kind: .session, jwk: JWK(sessionKey), proof: sessionProof)]
        if rungs.contains(.appPIN) { registrations.append(try await registerPIN(challenge, as: enrolment)) }

        // One prompt: the first rung answers for itself, and for a passcode key beside it. A PIN key has answered already.
        if let asked = rungs.first(where: { $0 != .appPIN }) {
            var first = policy
            (first.ladder, first.also) = ([asked], [])
            let fresh = Readiness(
                biometry: await platform.sensor.biometry(), keys: [.session: .usable, .biometric: .usable, .passcode: .usable],
                ladder: first.ladder
            )
            let (policy, asked) = (first, signers)
            let (prover, proof) = try await platform.prompts.inTurn(ask(reason, first), mayShare: false, on: platform) {
                () async throws(Failure) in
                try await self.prove(challenge, asked, reason, policy, readiness: { fresh }) { proofs, _ in proofs[0] }
            }
            for rung in rungs {
                guard let kind = rung.key, let publicKey = publicKeys[rung] else { continue }
                registrations.append(KeyRegistration(kind: kind, jwk: JWK(publicKey), proof: rung == prover ? proof.jws : nil))
            }
        }
        let request = EnrolRequest(ticket: ticket, name: deviceName, keys: registrations)
        return (.json(Signing.encode(request)), sessionName, challenge.newHandle)
    }

    private func deleteKeys(of enrolment: Int, but kept: KeyKind? = nil) async throws(Failure) {
        try await forgetSession(of: enrolment)
        for kind in KeyKind.allCases where kind != kept { try await deleteKey(name(of: kind, in: enrolment)) }
    }

    /// Deletes a key, and the ledger beside it.
    func deleteKey(_ key: KeyName) async throws(Failure) {
        guard key.kind != .pin else { return try await CountedPINKey.delete(key, on: platform) }
        try await platform.keys.delete(key)
        if key.kind == .biometric { try await CountedSensor.delete(key, on: platform) }
    }
}

extension Readiness {
    /// Whether a rung and the session have keys that work, whatever the state of the sensor, now or after a pause.
    fileprivate func hasUsableKey(for rung: Rung) -> Bool {
        guard let kind = rung.key else { return true }
        return state(of: .session) == .usable && state(of: kind).isAlive
    }
}
