public import Foundation
public import ThumbturnCore

/// Signs a person in with the keys of this device: the front door of the device library.
///
/// One authenticator serves one server and one account. It stores no "enabled" flag: what is possible is read from the keys.
///
///     let auth = try Authenticator(server: url, platform: platform)
///     try await auth.enrol(with: PasswordSignIn(account: name, password: password))
///     let grant = try await auth.authenticate("Unlock Acme", policy: .unlock)
public actor Authenticator {
    package nonisolated let platform: Platform
    package nonisolated let connection: ServerConnection
    private nonisolated let address: ServerAddress
    private nonisolated let account: String
    private let observe: @Sendable (UnlockNews) -> Void
    /// Reaches the flow that is running.
    private var choose: AsyncStream<Void>.Continuation?

    /// An authenticator for one server and account.
    ///
    /// - Parameters:
    ///   - server: https, or http to this machine itself; anything else throws `insecureServer`.
    ///   - account: the app's own label, where it keeps several accounts on one device.
    ///   - observe: hears hints, moves along the ladder and telemetry.
    public init(
        server: URL, account: String = "default", platform: Platform,
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
        do throws(Failure) {
            if let live = try await liveEnrolment() {
                for kind in KeyKind.allCases { keys[kind] = try await state(of: name(of: kind, in: live)) }
                if biometry == .ready, keys[.biometric] == .usable {
                    biometry = try await countedSensor(in: live, policy).state()
                }
            }
        } catch {
            for kind in KeyKind.allCases { keys[kind] = .notYetReadable }
        }
        return Readiness(biometry: biometry, keys: keys, ladder: policy.ladder)
    }

    /// Walks the ladder until a key has signed the server's challenge, and exchanges the proof for tokens.
    ///
    /// One prompt lives at a time in the process, and none while the app is not in front: a call waits until then. While a call
    /// runs, another one for the same account with the same reason and policy joins it and has the same outcome; all others wait
    /// their turn.
    ///
    /// - Parameter reason: shown in the system's prompt; an empty one throws `reasonMissing`.
    /// - Returns: which rung answered, and the tokens.
    /// - Throws: one of the four cancels; what stood in the way of the last rung, with `signInAgain`; `keyInvalidated` with
    ///   `reEnrol`; `paused` with the time to wait, after too many mismatches or wrong PINs; `refused`, `unreachable` or `unexpectedAnswer` from the server. Cancelling the task dismisses the prompt and
    ///   throws `cancelledByApp`.
    public func authenticate(_ reason: String, policy: UnlockPolicy = .unlock) async throws(Failure) -> Grant {
        try await platform.prompts.inTurn(ask(reason, policy), mayShare: true, on: platform) { () async throws(Failure) in
            let (rung, proof) = try await self.proof(reason, policy: policy)
            let grant = Grant(rung: rung, session: try await self.redeem(proof))
            await self.settle()
            return grant
        }
    }

    /// What this account wants the person to be asked.
    func ask(_ reason: String, _ policy: UnlockPolicy) -> PromptAsk {
        PromptAsk(asker: "\(address.issuer) \(account)", reason: reason, policy: policy)
    }

    /// The person asks for another way, for example by the hint: the running flow moves to the next rung.
    public func useAnotherWay() {
        choose?.yield()
    }

    /// The first half of signing in: a proof that is not redeemed yet.
    package func proof(_ reason: String, policy: UnlockPolicy) async throws(Failure) -> (Rung, Proof) {
        let readiness = await readiness(for: policy)
        let rungs = policy.ladder.filter { $0.key != nil && readiness.isUsable($0) }
        guard let live = try await liveEnrolment(), !rungs.isEmpty else {
            // With nothing to sign there is nothing to ask the server; the flow says why.
            return try await prove("", [:], reason, policy, readiness)
        }
        var signers: [Rung: Signer] = [:]
        for rung in rungs {
            guard let kind = rung.key else { continue }
            let key = name(of: kind, in: live)
            signers[rung] = Signer(key: key, kid: try await kid(of: key))
        }
        let challenge = try await connection.challenge(
            .signIn, for: rungs.compactMap { signers[$0]?.kid }, key: name(of: .session, in: live)
        )
        let (rung, proof) = try await prove(challenge.text, signers, reason, policy, readiness)
        if rung != .biometric { await countedSensor(in: live, policy).forgive() }
        return (rung, proof)
    }

    package nonisolated func name(of kind: KeyKind, in enrolment: Int) -> KeyName {
        KeyName(server: address.issuer, account: account, enrolment: enrolment, kind: kind)
    }

    /// The sensor, as it is counted for an enrolment.
    func countedSensor(in enrolment: Int, _ policy: UnlockPolicy) -> CountedSensor {
        CountedSensor(name(of: .biometric, in: enrolment), on: platform, under: policy.delays)
    }

    /// A key that may answer for a rung.
    struct Signer: Sendable {
        var key: KeyName
        var kid: String
    }

    /// Runs the flow until one of the keys has signed the challenge.
    func prove(
        _ challenge: String, _ signers: [Rung: Signer], _ reason: String, _ policy: UnlockPolicy, _ readiness: Readiness
    ) async throws(Failure) -> (Rung, Proof) {
        guard reason.contains(where: { !$0.isWhitespace }) else { throw Failure(.reasonMissing, recovery: .report) }
        let platform = platform
        let request: @Sendable (Rung) -> (key: KeyName, message: [UInt8])? = { rung in
            signers[rung].map { ($0.key, Signing.proofInput(challenge: challenge, kid: $0.kid)) }
        }
        let (choices, choose) = AsyncStream.makeStream(of: Void.self)
        self.choose = choose
        let driver = UnlockDriver(
            platform: platform, reason: reason, request: request,
            unlock: { (rung, permit) async throws(Failure) in
                guard let (key, message) = request(rung) else { throw Failure(.notEnrolled, recovery: .signInAgain) }
                let signature = try await permit.sign(message, with: key, on: platform)
                return Proof(jws: CompactJWS.compact(signingInput: message, signature: signature))
            },
            observe: observe, choices: choices
        )
        switch await driver.run(policy, readiness) {
        case .granted(let rung, let proof): return (rung, proof)
        case .failed(let failure): throw failure
        }
    }
}

/// What an authentication gave.
public struct Grant: Sendable {
    /// The rung whose key answered.
    public let rung: Rung
    /// The tokens.
    public let session: Session
}
