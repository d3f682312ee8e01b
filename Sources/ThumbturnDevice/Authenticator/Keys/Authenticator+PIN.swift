import ThumbturnCore
import ThumbturnMessages

extension Authenticator {
    /// The state of a key of the live enrolment. A PIN key counts only with the handle under which the server knows it.
    func state(of key: KeyName) async throws(Failure) -> KeyState {
        guard key.kind == .pin else { return await platform.keys.state(of: key) }
        guard let counted = CountedPINKey(key, on: platform), try await livePINHandle() != nil else { return .missing }
        return await counted.state()
    }

    /// The states of all keys of an enrolment. A key that was enrolled and is missing is gone for good: systems delete
    /// keys that died, and backups bring back everything but keys.
    func keyStates(_ marks: PlaceJournal) async throws(Failure) -> [KeyKind: KeyState] {
        var states: [KeyKind: KeyState] = [:]
        for kind in KeyKind.allCases {
            guard let number = marks.number(of: kind) else { continue }
            states[kind] = try await state(of: name(of: kind, in: number))
        }
        let isRestored = states[.session] == .missing
        for kind in marks.kinds where states[kind] == .missing && (kind != .pin || platform.pin != nil) {
            let loss: KeyLoss =
                switch kind {
                case _ where isRestored: .restored
                case .biometric: .enrolmentChanged
                case .passcode: .passcodeRemoved
                case .pin, .session: .unknown
                }
            states[kind] = .invalidated(loss)
        }
        return states
    }

    /// The id under which the server knows a key of the live enrolment.
    func kid(of key: KeyName) async throws(Failure) -> String {
        guard key.kind == .pin else { return Signing.thumbprint(of: try await platform.keys.publicKey(of: key)) }
        guard let handle = try await livePINHandle() else { throw Failure(.notEnrolled) }
        return handle
    }

    /// Deletes a PIN key that accepts no PIN any more, where an app that was killed had no time to.
    func deleteUsedUpPINKey() async {
        guard let number = (try? await enrolments())?.number(of: .pin) else { return }
        await CountedPINKey(name(of: .pin, in: number), on: platform)?.deleteIfUsedUp()
    }

    /// Asks the person for a new PIN, when no other prompt and no other PIN screen is up.
    func choosePIN(for ask: RunningAsk) async throws(Failure) -> PIN {
        guard let pin = platform.pin else {
            throw Failure(.policyDenies, hint: "The DevicePlatform has no PIN: pass a PINEntry.")
        }
        let screen = try await ask.screen(on: platform)
        defer { screen.release() }
        switch await pin.entry.choose() {
        case .failed(let failure): throw failure
        case .entered(let chosen):
            guard !chosen.isEasilyGuessed else { throw Failure(.pinEasilyGuessed) }
            return chosen
        }
    }

    /// Makes the key of a new PIN under a number, and has it sign for itself at once, so that the person does not enter
    /// the PIN again.
    func registerPIN(
        _ chosen: PIN, challenge: CheckedChallenge, as number: Int
    ) async throws(Failure) -> KeyRegistration {
        guard let key = CountedPINKey(name(of: .pin, in: number), on: platform), let handle = challenge.newHandle else {
            preconditionFailure("a PIN is enrolled only where the platform has one, under a handle that was asked for")
        }
        let publicKey = try await key.create(chosen)
        let input = Signing.proofInput(challenge: challenge.text, kid: handle)
        // This is no guess, so nothing is counted; a guess at the old PIN may hold the gate.
        let signature = try await key.signUncounted(input, with: chosen)
        return KeyRegistration(
            kind: .pin, jwk: JWK(publicKey), proof: CompactJWS.compact(signingInput: input, signature: signature))
    }
}
