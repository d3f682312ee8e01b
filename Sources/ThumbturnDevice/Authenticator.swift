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
        connection = ServerConnection(
            address: address, platform: platform,
            sessionKey: KeyName(server: address.issuer, account: account, kind: .session)
        )
    }

    /// What can be done now. Silent: it never prompts and never throws.
    public func readiness(for policy: UnlockPolicy = .unlock) async -> Readiness {
        var keys: [KeyKind: KeyState] = [:]
        for kind in KeyKind.allCases { keys[kind] = await platform.keys.state(of: name(of: kind)) }
        return Readiness(biometry: await platform.sensor.biometry(), keys: keys, ladder: policy.ladder)
    }

    /// Walks the ladder until a key has signed the server's challenge, and exchanges the proof for tokens.
    ///
    /// - Parameter reason: shown in the system's prompt; an empty one throws `reasonMissing`.
    /// - Returns: which rung answered, and the tokens. Cancelling the task dismisses the prompt and throws `cancelledByApp`.
    public func authenticate(_ reason: String, policy: UnlockPolicy = .unlock) async throws(Failure) -> Grant {
        let (rung, proof) = try await proof(reason, policy: policy)
        return Grant(rung: rung, session: try await redeem(proof))
    }

    /// The first half of signing in: a proof that is not redeemed yet.
    package func proof(_ reason: String, policy: UnlockPolicy) async throws(Failure) -> (Rung, Proof) {
        let readiness = await readiness(for: policy)
        let rungs = policy.ladder.filter { $0.key != nil && readiness.isUsable($0) }
        let kids = try await thumbprints(of: rungs)
        // With nothing to sign there is nothing to ask the server; the flow then says why.
        let challenge = rungs.isEmpty ? "" : try await connection.challenge(.signIn, for: rungs.compactMap { kids[$0] })
        return try await prove(challenge, kids, reason, policy, readiness)
    }

    package nonisolated func name(of kind: KeyKind) -> KeyName { KeyName(server: address.issuer, account: account, kind: kind) }

    func thumbprints(of rungs: [Rung]) async throws(Failure) -> [Rung: String] {
        var kids: [Rung: String] = [:]
        for rung in rungs {
            guard let kind = rung.key else { continue }
            kids[rung] = Signing.thumbprint(of: try await platform.keys.publicKey(of: name(of: kind)))
        }
        return kids
    }

    /// Runs the flow until one of the keys has signed the challenge.
    func prove(
        _ challenge: String, _ kids: [Rung: String], _ reason: String, _ policy: UnlockPolicy, _ readiness: Readiness
    ) async throws(Failure) -> (Rung, Proof) {
        guard reason.contains(where: { !$0.isWhitespace }) else { throw Failure(.reasonMissing, recovery: .report) }
        let names = Dictionary(uniqueKeysWithValues: KeyKind.allCases.map { ($0, name(of: $0)) })
        let keys = platform.keys
        let request: @Sendable (Rung) -> (key: KeyName, message: [UInt8])? = { rung in
            guard let kind = rung.key, let key = names[kind], let kid = kids[rung] else { return nil }
            return (key, Signing.proofInput(challenge: challenge, kid: kid))
        }
        let driver = UnlockDriver(
            platform: platform, reason: reason, request: request,
            makeProof: { (rung, presence) async throws(Failure) in
                guard let (key, message) = request(rung) else { throw Failure(.notEnrolled, recovery: .signInAgain) }
                let signature = try await keys.sign(message, with: key, presence: presence)
                return Proof(jws: CompactJWS.compact(signingInput: message, signature: signature))
            },
            observe: observe
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
    public let session: Session
}
