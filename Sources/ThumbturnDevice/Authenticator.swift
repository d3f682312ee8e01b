public import Foundation
import Synchronization
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
            let marks = try await enrolments()
            if marks.live != nil {
                for kind in KeyKind.allCases {
                    guard let number = marks.number(of: kind) else { continue }
                    keys[kind] = try await state(of: name(of: kind, in: number))
                }
                if biometry == .ready, keys[.biometric] == .usable { biometry = try await countedSensor(policy).state() }
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
            let (rung, session) = try await self.answer(reason, policy) { (proof, _) async throws(Failure) in
                try await self.redeem(proof)
            }
            await self.settle()
            return Grant(rung: rung, session: session)
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

    /// The first half of signing in: a proof that is not redeemed yet. A PIN that only the server judges makes none.
    package func proof(_ reason: String, policy: UnlockPolicy) async throws(Failure) -> (Rung, Proof) {
        var policy = policy
        if platform.pin?.key.judge == .server { policy.ladder.removeAll { $0 == .appPIN } }
        return try await answer(reason, policy) { proof, _ in proof }
    }

    /// Asks for a challenge, has a key sign it, and spends the proof.
    private func answer<Spent: Sendable>(
        _ reason: String, _ policy: UnlockPolicy, spend: @escaping Spending<Spent>
    ) async throws(Failure) -> (Rung, Spent) {
        try await settleInterruptedChange()
        let readiness = await readiness(for: policy)
        let signers = try await signers(for: policy.ladder, readiness)
        guard !signers.isEmpty else {
            // With nothing to sign there is nothing to ask the server; the flow says why.
            return try await prove(.nothing, [:], reason, policy, readiness, spend: spend)
        }
        let kids = policy.ladder.compactMap { signers[$0]?.kid }
        let connection = connection
        let session = try await liveName(of: .session)
        let ask: @Sendable () async throws(Failure) -> CheckedChallenge = { () async throws(Failure) in
            try await connection.challenge(.signIn, for: kids, key: session)
        }
        let answered = try await prove(try await ask(), signers, reason, policy, readiness, renew: ask, spend: spend)
        if answered.0 != .biometric { try? await countedSensor(policy).forgive() }
        return answered
    }

    /// The keys of the live enrolment that may answer for these rungs now.
    func signers(for rungs: [Rung], _ readiness: Readiness) async throws(Failure) -> [Rung: Signer] {
        var signers: [Rung: Signer] = [:]
        guard try await liveEnrolment() != nil else { return signers }
        for rung in rungs where readiness.isUsable(rung) {
            guard let kind = rung.key else { continue }
            let key = try await liveName(of: kind)
            signers[rung] = Signer(key: key, kid: try await kid(of: key))
        }
        return signers
    }

    package nonisolated func name(of kind: KeyKind, in enrolment: Int) -> KeyName {
        KeyName(server: address.issuer, account: account, enrolment: enrolment, kind: kind)
    }

    /// The sensor, as it is counted for the live enrolment.
    func countedSensor(_ policy: UnlockPolicy) async throws(Failure) -> CountedSensor {
        CountedSensor(try await liveName(of: .biometric), on: platform, under: policy.delays)
    }

    /// A key that may answer for a rung.
    struct Signer: Sendable {
        var key: KeyName
        var kid: String
    }

    /// Takes a proof to where it is good for something.
    typealias Spending<Spent> = @Sendable (Proof, CheckedChallenge) async throws(Failure) -> Spent

    /// Runs the flow until one of the keys has signed the challenge, and spends the proof.
    ///
    /// A PIN that only the server can judge is spent within the flow: then the flow hears of a wrong one, and the person may try
    /// again. The challenge is used up by then, so there is a new one for whatever comes next.
    ///
    /// - Parameter renew: asks for the same challenge anew; nil where no such PIN is asked for.
    func prove<Spent: Sendable>(
        _ challenge: CheckedChallenge, _ signers: [Rung: Signer], _ reason: String, _ policy: UnlockPolicy,
        _ readiness: Readiness, renew: (@Sendable () async throws(Failure) -> CheckedChallenge)? = nil,
        spend: @escaping Spending<Spent>
    ) async throws(Failure) -> (Rung, Spent) {
        guard reason.contains(where: { !$0.isWhitespace }) else { throw Failure(.reasonMissing, recovery: .report) }
        let platform = platform
        let current = Current(challenge)
        let request: @Sendable (Rung) -> (key: KeyName, message: [UInt8])? = { rung in
            signers[rung].map { ($0.key, Signing.proofInput(challenge: current.challenge.text, kid: $0.kid)) }
        }
        let (choices, choose) = AsyncStream.makeStream(of: Void.self)
        self.choose = choose
        let driver = UnlockDriver<Answered<Spent>>(
            platform: platform, reason: reason, request: request,
            unlock: { (rung, permit) async throws(Failure) in
                let challenge = current.challenge
                guard let (key, message) = request(rung) else { throw Failure(.notEnrolled, recovery: .signInAgain) }
                guard case .pin(let pin) = permit, let counted = CountedPINKey(key, on: platform),
                    counted.pin.key.judge == .server,
                    let renew
                else {
                    let signature = try await permit.sign(message, with: key, on: platform)
                    return Answered(receipt: Proof(message, signature), challenge: challenge, spent: nil)
                }
                do throws(Failure) {
                    return try await counted.sign(message, with: pin) { (signature) async throws(Failure) in
                        let proof = Proof(message, signature)
                        current.isUsedUp = true
                        return Answered(receipt: proof, challenge: challenge, spent: try await spend(proof, challenge))
                    }
                } catch {
                    if current.isUsedUp { current.challenge = try await renew() }
                    throw error
                }
            },
            observe: observe, choices: choices
        )
        switch await driver.run(policy, readiness) {
        case .failed(let failure): throw failure
        case .granted(let rung, let answered):
            if let spent = answered.spent { return (rung, spent) }
            return (rung, try await spend(answered.receipt, answered.challenge))
        }
    }
}

/// A proof, the challenge that it is over, and what it paid for where that was found out at once.
private struct Answered<Spent: Sendable>: Unlocking {
    var receipt: Proof
    var challenge: CheckedChallenge
    var spent: Spent?
}

/// The challenge that a running flow has its keys sign.
private final class Current: Sendable {
    private let state: Mutex<(challenge: CheckedChallenge, isUsedUp: Bool)>

    init(_ challenge: CheckedChallenge) { state = Mutex((challenge, false)) }

    var challenge: CheckedChallenge {
        get { state.withLock { $0.challenge } }
        set { state.withLock { $0 = (newValue, false) } }
    }
    var isUsedUp: Bool {
        get { state.withLock { $0.isUsedUp } }
        set { state.withLock { $0.isUsedUp = newValue } }
    }
}

extension Proof {
    fileprivate init(_ message: [UInt8], _ signature: [UInt8]) {
        self.init(jws: CompactJWS.compact(signingInput: message, signature: signature))
    }
}

/// What an authentication gave.
public struct Grant: Sendable {
    /// The rung whose key answered.
    public let rung: Rung
    /// The tokens.
    public let session: Session
}
