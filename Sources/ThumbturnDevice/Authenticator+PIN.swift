import ThumbturnCore

extension Authenticator {
    /// The state of a key of the live enrolment. A PIN key counts only with the handle under which the server knows it.
    func state(of key: KeyName) async throws(Failure) -> KeyState {
        guard key.kind == .pin else { return await platform.keys.state(of: key) }
        guard let counted = CountedPINKey(key, on: platform), try await livePINHandle() != nil else { return .missing }
        return await counted.state()
    }

    /// The id under which the server knows a key of the live enrolment.
    func kid(of key: KeyName) async throws(Failure) -> String {
        guard key.kind == .pin else { return Signing.thumbprint(of: try await platform.keys.publicKey(of: key)) }
        guard let handle = try await livePINHandle() else { throw Failure(.notEnrolled, recovery: .signInAgain) }
        return handle
    }

    /// Has the person choose a PIN, makes its key, and lets the key sign for itself at once: nobody enters a new PIN twice here.
    func registerPIN(_ challenge: CheckedChallenge, as enrolment: Int) async throws(Failure) -> KeyRegistration {
        guard let key = CountedPINKey(name(of: .pin, in: enrolment), on: platform), let handle = challenge.pinHandle else {
            preconditionFailure("a PIN is enrolled only where the platform has one, under a handle that was asked for")
        }
        let chosen: PIN
        switch await key.pin.entry.choose() {
        case .entered(let pin): chosen = pin
        case .failed(let failure): throw failure
        }
        guard !chosen.isEasilyGuessed else { throw Failure(.pinEasilyGuessed, recovery: .retry) }
        let jwk = try await key.create(chosen)
        let input = Signing.proofInput(challenge: challenge.text, kid: handle)
        let signature = try await key.sign(input, with: chosen)
        return KeyRegistration(kind: .pin, jwk: jwk, proof: CompactJWS.compact(signingInput: input, signature: signature))
    }
}
