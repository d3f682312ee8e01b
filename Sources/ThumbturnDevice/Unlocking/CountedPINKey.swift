import ThumbturnCore
import ThumbturnMessages

/// The PIN key of one enrolment, with every guess written into the ledger before it is made.
struct CountedPINKey: Sendable {
    let name: KeyName
    fileprivate let pin: PINSupport
    fileprivate let ledger: LedgerFile<PINLedger>
    /// Lets one guess at this key through at a time in this process. A guess that the server judges waits for that server,
    /// and no guess at another key waits with it.
    fileprivate let gate: SerialGate

    /// Nil where the platform has no PIN.
    init?(_ name: KeyName, on platform: DevicePlatform) {
        precondition(name.kind == .pin, "only a PIN key has a PIN ledger")
        guard let pin = platform.pin else { return nil }
        self.name = name
        self.pin = pin
        ledger = LedgerFile(
            name: Self.ledgerName(name), platform: platform, server: name.server, anchor: { $0.anchored(at: $1) },
            key: { await pin.key.state(of: name) })
        gate = platform.shared.gates[ledger.name]
    }

    /// The app's PIN screen.
    var entry: any PINEntry { pin.entry }

    /// Who can tell whether a PIN is right.
    var judge: PINJudge { pin.key.judge }

    /// Makes the key, with an empty ledger beside it.
    func create(_ chosen: PIN) async throws(Failure) -> PublicKey {
        try await ledger.create()
        return try await pin.key.create(name, pin: chosen)
    }

    /// The key's own state or the ledger's, whichever is worse.
    func state() async -> KeyState {
        let own = await pin.key.state(of: name)
        // A key that is used up is deleted; its ledger says why it is gone.
        if own == .missing, await isUsedUp() { return .invalidated(.wrongPINs) }
        guard own.isAlive else { return own }
        let counted: KeyState
        do throws(Failure) {
            counted = try await ledger.current().standing(at: ledger.now).state
        } catch {
            return .notYetReadable
        }
        return switch (own, counted) {
        case (_, .usable): own
        case (.paused(let one), .paused(let other)): .paused(for: max(one, other))
        default: counted
        }
    }

    /// How many wrong PINs in a row there were, to show on the PIN screen.
    func wrongInARow() async -> Int { (try? await ledger.current().wrongInARow) ?? 0 }

    /// Begins a guess: writes it into the ledger as a wrong one, before any key is asked. Other guesses of this process
    /// wait until it is settled; those of other processes are counted beside it.
    ///
    /// - Throws: `paused` or `keyInvalidated` where the ledger allows no guess now.
    func beginGuess() async throws(Failure) -> PINGuess {
        await gate.enter()
        let lock = lock()
        do throws(Failure) {
            let begun = try await ledger.change { before, now in
                let standing = before.standing(at: now)
                let during = standing == .open ? before.guessing(at: now) : before
                return (during, (standing: standing, before: before, during: during))
            }
            if begun.standing == .exhausted, lock != nil { await destroy() }
            if let obstacle = begun.standing.state.obstacle { throw obstacle }
            return PINGuess(key: self, lock: lock, before: begun.before, during: begun.during)
        } catch {
            gate.leave()
            throw error
        }
    }

    /// Signs as one counted guess, with a key that can tell a wrong PIN.
    ///
    /// - Throws: `notMatched` for a wrong PIN; `paused` or `keyInvalidated` where it was one too many, or where the
    ///   ledger allows no guess now.
    func sign(_ message: [UInt8], with entered: PIN) async throws(Failure) -> [UInt8] {
        let guess = try await beginGuess()
        let signature: [UInt8]
        do throws(Failure) {
            signature = try await signUncounted(message, with: entered)
        } catch {
            throw await guess.failed(error)
        }
        await guess.succeeded()
        return signature
    }

    /// Signs without counting: in a guess that has begun, or with a PIN that was chosen just now.
    func signUncounted(_ message: [UInt8], with entered: PIN) async throws(Failure) -> [UInt8] {
        try await pin.key.sign(message, with: name, pin: entered)
    }

    /// Deletes the key where its ledger allows no guess any more: the app was killed between the last wrong PIN and the
    /// deletion.
    func deleteIfUsedUp() async {
        guard await isUsedUp() else { return }
        // A guess that is under way is in the ledger as a wrong one, and may be right.
        await gate.enter()
        defer { gate.leave() }
        guard let lock = lock() else { return }
        defer { lock.release() }
        if await isUsedUp(), await pin.key.state(of: name).isAlive { await destroy() }
    }

    /// Tells other processes that a guess is under way. Nil where one of them guesses, or where that cannot be told: the
    /// ledger counts both.
    private func lock() -> PlaceLock? { try? ledger.platform.tryLock(ledger.name) }

    private func isUsedUp() async -> Bool { (try? await ledger.peek())?.standing(at: ledger.now) == .exhausted }

    /// Deletes the key after the last wrong PIN, so that no older ledger that is put back brings it back. The ledger stays
    /// and says why. Where the key cannot be deleted now, the ledger refuses every guess.
    fileprivate func destroy() async { try? await pin.key.delete(name) }

    /// Deletes key and ledger; the ledger also where the platform no longer has a PIN.
    static func delete(_ name: KeyName, on platform: DevicePlatform) async throws(Failure) {
        try await platform.pin?.key.delete(name)
        try await platform.secrets.delete(ledgerName(name))
    }

    static func ledgerName(_ name: KeyName) -> String { "pin ledger \(name.server) \(name.account) \(name.enrolment)" }
}

/// A guess at a PIN that is in the ledger and has no verdict yet.
///
/// A guess that is never settled stays counted as a wrong one, which is the safe side.
struct PINGuess: ~Copyable, Sendable {
    fileprivate let key: CountedPINKey
    fileprivate let lock: PlaceLock?
    fileprivate let before: PINLedger
    fileprivate let during: PINLedger

    deinit {
        lock?.release()
        key.gate.leave()
    }

    /// The PIN was right: the count starts again.
    consuming func succeeded() async {
        // Where this cannot be written the guess stays counted, which is the safe side.
        try? await key.ledger.change { [during] ledger, _ in (ledger.right(during), ()) }
    }

    /// There is no signature, or no server took it. `notMatched` means a wrong PIN, `keyInvalidated` that no PIN is
    /// accepted any more; any other failure is no verdict, and the guess is not counted.
    ///
    /// - Returns: the failure to throw: after a wrong PIN, the pause that it began.
    consuming func failed(_ failure: Failure) async -> Failure {
        switch failure.code {
        case .notMatched:
            // Where this cannot be written, what stands there counts the guess or a later one.
            let counted = try? await key.ledger.change { [during] ledger, now in
                let wrong = ledger.wrong(during, at: now)
                return (wrong, wrong)
            }
            let standing = (counted ?? during).standing(at: key.ledger.now)
            if standing == .exhausted { await key.destroy() }
            return standing.state.obstacle?.afterMismatch ?? failure
        case .keyInvalidated:
            // A platform may call a key invalidated because of the PIN that it was given, so the guess stays counted.
            // Hardware remembers by itself that a key is used up; the server's answer is remembered only here.
            if key.judge == .server {
                try? await key.ledger.change { _, now in (.exhausted(at: now), ()) }
                await key.destroy()
            }
            return failure
        default:
            try? await key.ledger.change { [before, during] ledger, _ in (ledger.withdrawn(during, before: before), ()) }
            return failure
        }
    }
}
