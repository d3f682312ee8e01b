import ThumbturnCore
import ThumbturnMessages

/// Redeems proofs at the server, the proof of the ladder's key first.
typealias Redeemer<Redeemed> = @Sendable ([Proof], CheckedChallenge) async throws(Failure) -> Redeemed

/// A key that may answer for a rung, and the id under which the server knows it.
struct Signer: Sendable {
    var key: KeyName
    var kid: String
}

/// The keys that may answer for the rungs of a flow, and the challenge that they sign.
struct Signers: Sendable {
    var keys: [Rung: Signer]
    var challenge: ChallengeSource
    /// Whether all keys sign one challenge, and their proofs are redeemed together; otherwise each key signs a
    /// challenge of its own.
    var shareChallenge = true
}

/// The keys of an account in one flow: they sign the server's challenge, and their proofs are redeemed.
///
/// A wrong PIN that only the server can tell has to be known while the flow is running, so that the person may try
/// again. So the proof of such a key is redeemed as soon as the key has signed; all others are redeemed when the flow
/// has ended.
actor ProofKeys<Redeemed: Sendable>: RungKeys {
    /// A signature over a challenge.
    struct Use: KeyUse {
        var key: KeyName
        var message: [UInt8]
        var challenge: CheckedChallenge
    }

    /// A proof that waits for the end of the flow, or what a proof or the credentials were redeemed for already.
    enum Output: Sendable {
        case proof(Proof, over: CheckedChallenge)
        case redeemed(Redeemed)
    }

    private let signers: Signers?
    private let additionalRungs: [Rung]
    private let platform: DevicePlatform
    private let redeemer: Redeemer<Redeemed>
    /// The proofs over the shared challenge so far, the ladder's key first.
    private var signed: (challenge: String, proofs: [Proof])?

    /// - Parameter signers: nil where no key can answer; then the flow ends with the reason.
    init(_ signers: Signers?, for policy: UnlockPolicy, on platform: DevicePlatform, redeem: @escaping Redeemer<Redeemed>) {
        self.signers = signers
        additionalRungs = policy.additionalRungs
        self.platform = platform
        redeemer = redeem
    }

    func isFresh() async -> Bool { await signers?.challenge.isFresh ?? true }

    func refresh() async throws(Failure) { try await signers?.challenge.refresh() }

    /// The server is asked in the flow where only it can judge the PIN.
    nonisolated func asksTheServer(_ rung: Rung) -> Bool { rung == .appPIN && platform.pin?.key.judge == .server }

    func use(for rung: Rung) async throws(Failure) -> Use? {
        guard let signers, let signer = signers.keys[rung] else { return nil }
        let challenge = await signers.challenge.current
        // All keys sign one challenge. Where it was consumed by a wrong PIN, or has grown too old, the first key has to
        // sign anew.
        if signers.shareChallenge, additionalRungs.contains(rung), signed?.challenge != challenge.text {
            throw Failure(.timedOut)
        }
        let message = Signing.proofInput(challenge: challenge.text, kid: signer.kid)
        return Use(key: signer.key, message: message, challenge: challenge)
    }

    func unlock(_ rung: Rung, _ use: Use, with permit: Permit) async throws(Failure) -> Output {
        switch permit {
        case .presence(let presence):
            let signature = try await platform.keys.sign(use.message, with: use.key, presence: presence)
            return await output(of: rung, use, signature: signature)
        case .pin(let pin):
            guard let key = CountedPINKey(use.key, on: platform) else {
                preconditionFailure("a PIN is entered only where the platform has one")
            }
            switch key.judge {
            case .key: return await output(of: rung, use, signature: try await key.sign(use.message, with: pin))
            case .server: return try await redeemAtOnce(rung, use, key, with: pin)
            }
        }
    }

    /// Redeems what is not redeemed yet, after the flow was granted.
    func redeem(_ first: Output, additional: [Output]) async throws(Failure) -> Redeemed {
        var (proofs, latest): ([(Proof, over: CheckedChallenge)], Redeemed?) = ([], nil)
        for output in [first] + additional {
            switch output {
            case .proof(let proof, let challenge): proofs.append((proof, over: challenge))
            // With a shared challenge it is the last one, and was redeemed together with those before it.
            case .redeemed(let redeemed): latest = redeemed
            }
        }
        guard signers?.shareChallenge == false else {
            if let latest { return latest }
            return try await redeemer(proofs.map(\.0), proofs[0].over)
        }
        for (proof, challenge) in proofs { latest = try await redeemer([proof], challenge) }
        guard let latest else { preconditionFailure("each proof is redeemed, in the flow or here") }
        return latest
    }
}

// MARK: - Signatures

extension ProofKeys {
    /// Signs with a PIN that only the server can judge, and redeems the proof: the server's answer is the verdict on
    /// the guess.
    private func redeemAtOnce(
        _ rung: Rung, _ use: Use, _ key: CountedPINKey, with pin: PIN
    ) async throws(Failure) -> Output {
        let sharesChallenge = signers?.shareChallenge ?? true
        // The server judges it together with all the others, so it comes last.
        guard !sharesChallenge || additionalRungs.isEmpty || additionalRungs.last == rung else { throw Failure(.policyDenies) }
        let earlier = sharesChallenge && !additionalRungs.isEmpty ? signed?.proofs ?? [] : []
        let guess = try await key.beginGuess()
        let output: Output
        do throws(Failure) {
            let proof = Proof(message: use.message, signature: try await key.signUncounted(use.message, with: pin))
            await signers?.challenge.consume()
            let redeemed = try await redeemer(earlier + [proof], use.challenge)
            output = .redeemed(redeemed)
        } catch {
            throw await guess.failed(error)
        }
        await guess.succeeded()
        return output
    }

    /// Notes a proof that is redeemed when the flow has ended.
    private func output(of rung: Rung, _ use: Use, signature: [UInt8]) async -> Output {
        let proof = Proof(message: use.message, signature: signature)
        if signers?.shareChallenge ?? true {
            let earlier = additionalRungs.contains(rung) ? signed?.proofs ?? [] : []
            signed = (use.challenge.text, earlier + [proof])
        } else if !additionalRungs.isEmpty {
            // This challenge takes one proof: an additional key signs a challenge of its own.
            await signers?.challenge.consume()
        }
        return .proof(proof, over: use.challenge)
    }
}

extension Proof {
    fileprivate init(message: [UInt8], signature: [UInt8]) {
        self.init(jws: CompactJWS.compact(signingInput: message, signature: signature))
    }
}
