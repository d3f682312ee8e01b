import Synchronization
import ThumbturnCore

/// The sensor in front of one enrolment's biometric key, with every attempt written into the ledger before the prompt.
struct CountedSensor: Sendable {
    private let ledger: LedgerFile<SensorLedger>
    private let rules: SensorRules
    /// The account's or the vault's switch.
    let sensorSwitch: SensorSwitchFile

    init(_ name: KeyName, on platform: DevicePlatform, under policy: UnlockPolicy) {
        precondition(name.kind == .biometric, "only a biometric key has a ledger of the sensor")
        rules = SensorRules(policy)
        sensorSwitch = SensorSwitchFile(server: name.server, account: name.account, on: platform)
        ledger = LedgerFile(
            name: Self.ledgerName(name), platform: platform, server: name.server,
            anchor: { [rules] in $0.anchored(at: $1, under: rules) }, key: { await Self.state(of: name, on: platform) })
    }

    /// Writes an empty ledger, before the key is made.
    func createLedger() async throws(Failure) { try await ledger.create() }

    /// Switches the sensor on, and starts the longest pause now, with one attempt after it, whatever was counted.
    func slowDown() async throws(Failure) {
        try await sensorSwitch.turnOn()
        try await ledger.change { _, now in (.slowed(at: now), ()) }
    }

    /// The state of a sensor that the system calls ready, as far as the switch and the ledger allow it.
    func state() async throws(Failure) -> BiometryState {
        guard try await !sensorSwitch.read().isOff else { return BiometricLedger.Standing.off.state }
        return try await ledger.current().standing(at: ledger.now, under: rules).state
    }

    /// Shows the prompt if the switch and the ledger allow it. A mismatch that begins a pause is reported as that pause.
    ///
    /// Where a prompt stays after a mismatch, the mismatch is counted and the next attempt is written before anything else of the
    /// prompt is judged. Where the mismatch begins a pause, the prompt goes, and a match that comes meanwhile opens nothing.
    ///
    /// - Parameters:
    ///   - isNewKey: whether the match lets a new key sign for itself, which opens nothing: it may be made while the
    ///     sensor is switched off.
    ///   - prompt: shows the prompt; nil means that it was dismissed. It calls its argument at each mismatch after which the
    ///     prompt stays.
    ///   - staying: what follows such a mismatch once it is counted.
    func attempt(
        isNewKey: Bool = false, _ prompt: (_ mismatched: @escaping @Sendable () -> Void) async -> PromptAnswer?,
        staying: @escaping @Sendable (Staying) -> Void = { _ in }
    ) async -> PromptAnswer? {
        let first: Attempt
        do throws(Failure) {
            if !isNewKey, let off = await switchedOff() { throw off }
            first = try await begin()
        } catch {
            return .failed(error)
        }
        let heard = Tally()
        let (mismatches, mailbox) = AsyncStream.makeStream(of: Void.self)
        async let counting = count(mismatches, since: first, staying)
        let answer = await prompt {
            heard.add()
            mailbox.yield()
        }
        mailbox.finish()
        let counted = await counting
        let attempt = counted.attempt
        // A prompt whose flow is over, or that has to go, stays for a moment: what its sensor still told counts too.
        let late = heard.count - counted.mismatches
        for number in 0..<late { await settleMismatch(counted.end == nil && number == 0 ? attempt : nil) }
        if let end = counted.end {
            // The mismatch that began our pause may have locked the sensor, too, which matters more.
            if case .failed(let failure) = answer, failure.code == .lockedOut { return .failed(failure.afterMismatch) }
            return .failed(end)
        }
        switch answer {
        case .matched(let presence):
            // The sensor may have been switched off while the prompt was up, which no match undoes.
            if !isNewKey, let off = await switchedOff() { return .failed(off) }
            await settleMatch()
            return .matched(presence)
        case .notMatched:
            await settleMismatch(attempt)
            return obstacle(in: attempt.during).map { .failed($0.afterMismatch) } ?? .notMatched
        case .failed(let failure):
            if late == 0 { await withdraw(attempt) }
            return .failed(failure)
        case nil:
            if late == 0 { await withdraw(attempt) }
            return nil
        }
    }

    /// Empties the counts that a stronger rung lifts and switches the sensor on, because that rung has succeeded.
    ///
    /// - Parameters:
    ///   - rung: the stronger rung.
    ///   - dismissals: the switch's count when that rung was asked for.
    func forgive(by rung: Rung, askedAt dismissals: Int) async {
        await sensorSwitch.lift(askedAt: dismissals)
        // Where this cannot be written the sensor stays slow, which is the safe side.
        try? await ledger.change { ledger, _ in (ledger.lifted(by: rung), ()) }
    }

    /// The state of an enrolment's key, or of a vault's.
    private static func state(of name: KeyName, on platform: DevicePlatform) async -> KeyState {
        guard name.server == KeyName.vaults else { return await platform.keys.state(of: name) }
        return await platform.vaults?.state(of: name) ?? .missing
    }

    static func delete(_ name: KeyName, on platform: DevicePlatform) async throws(Failure) {
        try await platform.secrets.delete(ledgerName(name))
    }

    static func ledgerName(_ name: KeyName) -> String { "biometric ledger \(name.server) \(name.account) \(name.enrolment)" }
}

// MARK: - Attempts

extension CountedSensor {
    /// What follows a mismatch after which the prompt stays.
    enum Staying: Sendable {
        /// The sensor may be tried again.
        case asksAgain
        /// The prompt has to go.
        case ends
    }

    /// The mismatches of one prompt that stayed.
    private struct Counted {
        /// The attempt that is under way.
        var attempt: Attempt
        /// How many mismatches are counted.
        var mismatches = 0
        /// Why no further attempt may be; nil where one is under way.
        var end: Failure?
    }

    /// Counts the mismatches after which the prompt stays, each as an attempt of its own.
    private func count(
        _ mismatches: AsyncStream<Void>, since first: Attempt, _ staying: @Sendable (Staying) -> Void
    ) async -> Counted {
        var counted = Counted(attempt: first)
        for await _ in mismatches {
            counted.mismatches += 1
            await settleMismatch(counted.attempt)
            do throws(Failure) {
                if let obstacle = obstacle(in: counted.attempt.during) { throw obstacle }
                counted.attempt = try await begin()
            } catch {
                counted.end = error.afterMismatch
                staying(.ends)
                return counted
            }
            staying(.asksAgain)
        }
        return counted
    }

    /// A count that several tasks add to.
    private final class Tally: Sendable {
        private let number = Atomic(0)
        func add() { number.add(1, ordering: .relaxed) }
        var count: Int { number.load(ordering: .relaxed) }
    }

    /// The ledger before an attempt, and with the attempt counted as a mismatch.
    private struct Attempt {
        var before: SensorLedger
        var during: SensorLedger
    }

    /// Writes an attempt down as a mismatch, until it is settled.
    private func begin() async throws(Failure) -> Attempt {
        let begun = try await ledger.change { before, now in
            let obstacle = before.standing(at: now, under: rules).state.obstacle
            let during = obstacle == nil ? before.attempting(at: now, under: rules) : before
            return (during, (obstacle: obstacle, attempt: Attempt(before: before, during: during)))
        }
        if let obstacle = begun.obstacle { throw obstacle }
        return begun.attempt
    }

    /// Why the sensor opens nothing although it may match: it is switched off, or that cannot be read.
    private func switchedOff() async -> Failure? {
        (try? await sensorSwitch.read().isOff) == false ? nil : BiometricLedger.Standing.off.state.obstacle
    }

    /// Empties the counts that a match under this policy empties.
    private func settleMatch() async {
        // Where this cannot be written the attempt stays counted, which is the safe side.
        try? await ledger.change { ledger, _ in (ledger.matched(under: rules), ()) }
    }

    /// Leaves the mismatch counted. Where another flow has settled its own attempt meanwhile, or none was written before it,
    /// it is counted on top.
    private func settleMismatch(_ attempt: Attempt?) async {
        // Where this cannot be written, what stands there counts the attempt or a later one.
        try? await ledger.change { ledger, now in
            (ledger == attempt?.during ? ledger : ledger.attempting(at: now, under: rules), ())
        }
    }

    /// Takes an attempt without a verdict out of the ledger.
    private func withdraw(_ attempt: Attempt) async {
        // Where this cannot be written the attempt stays counted, which is the safe side.
        try? await ledger.change { ledger, _ in (ledger == attempt.during ? attempt.before : ledger, ()) }
    }

    private func obstacle(in ledger: SensorLedger) -> Failure? {
        ledger.standing(at: self.ledger.now, under: rules).state.obstacle
    }
}
