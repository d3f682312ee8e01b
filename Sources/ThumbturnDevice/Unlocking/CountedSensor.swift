import ThumbturnCore

/// The sensor in front of one enrolment's biometric key, with every attempt written into the ledger before the prompt.
struct CountedSensor: Sendable {
    private let ledger: LedgerFile<BiometricLedger>
    private let delays: MismatchDelays

    init(_ name: KeyName, on platform: DevicePlatform, under delays: MismatchDelays) {
        precondition(name.kind == .biometric, "only a biometric key has a ledger of the sensor")
        self.delays = delays
        ledger = LedgerFile(name: Self.ledgerName(name), platform: platform, server: name.server) {
            $0.anchored(at: $1, under: delays)
        }
    }

    /// Writes an empty ledger, before the key is made: a key without a ledger would be paused.
    func createLedger() async throws(Failure) { try await ledger.write(BiometricLedger()) }

    /// Starts the longest pause now, with one attempt after it, whatever was counted.
    func slowDown() async throws(Failure) {
        try await serialised { () async throws(Failure) in try await ledger.write(.replacingDamaged(at: ledger.now)) }
    }

    /// The state of a sensor that the system calls ready, as far as the ledger allows it.
    func state() async throws(Failure) -> BiometryState {
        try await serialised { () async throws(Failure) in
            try await ledger.read().standing(at: ledger.now, under: delays).state
        }
    }

    /// Shows the prompt if the ledger allows it. A mismatch that begins a pause is reported as that pause.
    ///
    /// - Parameter prompt: shows the prompt; nil means that it was dismissed.
    func attempt(_ prompt: () async -> PromptAnswer?) async -> PromptAnswer? {
        let attempt: Attempt
        do throws(Failure) {
            attempt = try await begin()
        } catch {
            return .failed(error)
        }
        switch await prompt() {
        case .matched(let presence):
            if let refusal = await settleMatch() { return .failed(refusal) }
            return .matched(presence)
        case .notMatched:
            await settleMismatch(attempt)
            return obstacle(in: attempt.during).map { .failed($0) } ?? .notMatched
        case .failed(let failure):
            await withdraw(attempt)
            return .failed(failure)
        case nil:
            await withdraw(attempt)
            return nil
        }
    }

    /// Switches the sensor off until `forgive`.
    func turnOff() async throws(Failure) {
        try await serialised { () async throws(Failure) in try await ledger.write(try await ledger.read().turnedOff()) }
    }

    /// Empties the ledger, because a stronger rung has succeeded.
    func forgive() async {
        // Where this cannot be written the sensor stays slow, which is the safe side.
        try? await serialised { () async throws(Failure) in
            if try await ledger.read() != BiometricLedger() { try await ledger.write(BiometricLedger()) }
        }
    }

    static func delete(_ name: KeyName, on platform: DevicePlatform) async throws(Failure) {
        try await platform.secrets.delete(ledgerName(name))
    }

    static func ledgerName(_ name: KeyName) -> String { "biometric ledger \(name.server) \(name.account) \(name.enrolment)" }
}

// MARK: - Attempts

extension CountedSensor {
    /// The ledger before an attempt, and with the attempt counted as a mismatch.
    private struct Attempt {
        var before: BiometricLedger
        var during: BiometricLedger
    }

    /// Writes an attempt down as a mismatch, until it is settled.
    private func begin() async throws(Failure) -> Attempt {
        try await serialised { () async throws(Failure) in
            let before = try await ledger.read()
            if let obstacle = obstacle(in: before) { throw obstacle }
            let during = before.attempting(at: ledger.now, under: delays)
            try await ledger.write(during)
            return Attempt(before: before, during: during)
        }
    }

    /// Empties the ledger after a match.
    ///
    /// - Returns: why the match unlocks nothing: the sensor was switched off while the prompt was up, which no match
    ///   undoes, or the ledger cannot be read, so that this is not known.
    private func settleMatch() async -> Failure? {
        let isOff = try? await serialised { () async throws(Failure) in
            guard try await !ledger.read().isOff else { return true }
            // Where this cannot be written the attempt stays counted, which is the safe side.
            try? await ledger.write(BiometricLedger())
            return false
        }
        return isOff ?? true ? BiometricLedger.Standing.off.state.obstacle : nil
    }

    /// Leaves the mismatch counted. Where another flow has settled its own attempt meanwhile, this one is counted on
    /// top.
    private func settleMismatch(_ attempt: Attempt) async {
        // Where this cannot be written, what stands there counts the attempt or a later one.
        try? await serialised { () async throws(Failure) in
            let current = try await ledger.read()
            if current != attempt.during { try await ledger.write(current.attempting(at: ledger.now, under: delays)) }
        }
    }

    /// Takes an attempt without a verdict out of the ledger.
    private func withdraw(_ attempt: Attempt) async {
        // Where this cannot be written the attempt stays counted, which is the safe side.
        try? await serialised { () async throws(Failure) in
            if try await ledger.read() == attempt.during { try await ledger.write(attempt.before) }
        }
    }

    private func obstacle(in ledger: BiometricLedger) -> Failure? {
        ledger.standing(at: self.ledger.now, under: delays).state.obstacle
    }

    /// Keeps reads and writes of the ledger from crossing each other; prompts wait outside.
    private func serialised<Result>(_ body: () async throws(Failure) -> Result) async throws(Failure) -> Result {
        try await ledger.platform.ledgers.serialised(body)
    }
}

extension BiometricLedger.Standing {
    /// The state of a sensor that the system calls ready.
    fileprivate var state: BiometryState {
        switch self {
        case .open: .ready
        case .paused(let duration): .paused(for: duration)
        case .off: .lockedOut(.untilStrongerRung)
        }
    }
}
