public import ThumbturnCore

extension Authenticator {
    /// What to do when this device is already enrolled.
    public enum IfExists: Sendable {
        /// Leave it as it is; nothing is asked.
        case keep
        /// Delete the keys and enrol anew.
        case replace
        /// Throw `alreadyEnrolled`.
        case fail
    }

    /// Makes the keys that the policy's ladder needs and registers them, with at most one prompt.
    ///
    /// If any step fails, the new keys are deleted again. The passcode key is registered under the biometric key's proof and
    /// becomes active when it first signs.
    ///
    /// - Parameters:
    ///   - signIn: the person's first login; asked before any prompt.
    ///   - deviceName: how the person will recognise this device in a list.
    /// - Returns: the server's record; nil where `keep` left an enrolment alone.
    @discardableResult
    public func enrol(
        with signIn: some PrimarySignIn, policy: UnlockPolicy = .unlock, deviceName: String = "This device",
        reason: String = "Set up signing in on this device", ifExists: IfExists = .keep
    ) async throws(Failure) -> DeviceRecord? {
        if await readiness().isEnrolled {
            switch ifExists {
            case .keep: return nil
            case .fail: throw Failure(.alreadyEnrolled, recovery: .retry)
            case .replace: break
            }
        }
        let rungs = try await rungsToEnrol(policy)
        do throws(Failure) {
            try await deleteKeys()
            return try await register(rungs, signIn, deviceName, reason)
        } catch {
            // A key without a registration is of no use and would look like an enrolment.
            try? await deleteKeys()
            throw error
        }
    }

    /// Ends this device's enrolment on the server and deletes its keys. Never prompts.
    ///
    /// The keys go in any case. Where the server cannot be told, the failure is thrown after that: the record that is left
    /// there can never sign in again, and another device can delete it.
    public func revoke() async throws(Failure) {
        let told: Failure?
        do throws(Failure) {
            _ = try await send("DELETE", "/v1/devices/current")
            told = nil
        } catch {
            told = error
        }
        try await deleteKeys()
        if let told { throw told }
    }

    private func rungsToEnrol(_ policy: UnlockPolicy) async throws(Failure) -> [Rung] {
        let biometry = await platform.sensor.biometry()
        let hasPasscode = await platform.sensor.isPasscodeSet()
        let rungs = policy.ladder.filter { rung in
            switch rung {
            case .biometric: biometry == .ready
            case .devicePasscode: hasPasscode
            case .appPIN, .fullCredentials: false
            }
        }
        guard rungs.isEmpty else { return rungs }
        guard hasPasscode else { throw Failure(.biometryUnavailable, recovery: .setPasscode) }
        throw switch biometry {
        case .permissionDenied: Failure(.permissionDenied, recovery: .openSettings)
        case .lockedOut: Failure(.lockedOut, recovery: .fallBack(.devicePasscode))
        case .ready, .notEnrolled: Failure(.biometryNotEnrolled, recovery: .openSettings)
        case .unavailable: Failure(.biometryUnavailable, recovery: .report)
        }
    }

    private func register(
        _ rungs: [Rung], _ signIn: some PrimarySignIn, _ deviceName: String, _ reason: String
    ) async throws(Failure) -> DeviceRecord {
        let typed = try await signIn.credentials()
        let sessionKey = try await platform.keys.create(name(of: .session))
        let ticket = try await connection.send(
            "POST", "/v1/accounts/sign-in",
            .json(Signing.encode(PasswordSignInRequest(account: typed.account, password: typed.password))),
            expecting: EnrolmentTicket.self
        ).ticket

        var publicKeys: [Rung: JWK] = [:]
        for rung in rungs {
            guard let kind = rung.key else { continue }
            publicKeys[rung] = try await platform.keys.create(name(of: kind))
        }
        let kids = publicKeys.mapValues(Signing.thumbprint)
        let sessionKid = Signing.thumbprint(of: sessionKey)
        let challenge = try await connection.challenge(.enrol, for: [sessionKid] + rungs.compactMap { kids[$0] })

        // One prompt: the first rung answers for itself, and for a passcode key beside it.
        let (prover, proof) = try await prove(
            challenge, kids, reason, UnlockPolicy(ladder: [rungs[0], .fullCredentials]), await readiness()
        )
        let input = Signing.proofInput(challenge: challenge, kid: sessionKid)
        let signature = try await platform.keys.sign(input, with: name(of: .session), presence: nil)
        let sessionProof = CompactJWS.compact(signingInput: input, signature: signature)

        var registrations = [KeyRegistration(kind: .session, jwk: sessionKey, proof: sessionProof)]
        for rung in rungs {
            guard let kind = rung.key, let jwk = publicKeys[rung] else { continue }
            registrations.append(KeyRegistration(kind: kind, jwk: jwk, proof: rung == prover ? proof.jws : nil))
        }
        let request = EnrolRequest(ticket: ticket, name: deviceName, keys: registrations)
        return try await connection.send("POST", "/v1/devices", .json(Signing.encode(request)), expecting: DeviceRecord.self)
    }

    private func deleteKeys() async throws(Failure) {
        try await forgetSession()
        for kind in KeyKind.allCases { try await platform.keys.delete(name(of: kind)) }
    }
}
