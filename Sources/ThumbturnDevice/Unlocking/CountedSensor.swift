import Foundation
import ThumbturnCore

/// The sensor before one enrolment's biometric key, with every attempt written into the ledger before the prompt.
struct CountedSensor: Sendable {
    private let name: KeyName
    private let platform: DevicePlatform
    private let delays: MismatchDelays

    init(_ name: KeyName, on platform: DevicePlatform, under delays: MismatchDelays) {
        precondition(name.kind == .biometric, "only a biometric key has a ledger of the sensor")
        self.name = name
        self.platform = platform
        self.delays = delays
    }

    /// Starts the count, before the key is made: a key without a ledger would be paused.
    func begin() async throws(Failure) { try await keep(BiometricLedger()) }

    /// The longest pause from now on and one attempt after it, whatever was counted.
    func slowDown() async throws(Failure) {
        try await alone { () async throws(Failure) in try await keep(.replacingDamaged(at: now)) }
    }

    /// What the ledger makes of a sensor that is ready.
    func state() async throws(Failure) -> BiometryState {
        try await alone { () async throws(Failure) in
            switch try await ledger().standing(at: now, under: delays) {
            case .open: .ready
            case .paused(let duration): .paused(for: duration)
            case .off: .lockedOut(.untilStrongerRung)
            }
        }
    }

    /// Asks, if the ledger allows it. A mismatch that makes a delay due is told as that delay.
    ///
    /// - Parameter ask: shows the prompt; nil says that it was dismissed.
    func attempt(_ ask: () async -> PromptAnswer?) async -> PromptAnswer? {
        let (before, during): (BiometricLedger, BiometricLedger)
        do throws(Failure) {
            (before, during) = try await alone { () async throws(Failure) in
                let before = try await ledger()
                if let obstacle = obstacle(in: before) { throw obstacle }
                let during = before.attempting(at: now, under: delays)
                try await keep(during)
                return (before, during)
            }
        } catch {
            return .failed(error)
        }
        let answer = await ask()
        // Where this cannot be written the attempt stays counted, which is the safe side.
        var refusal: Failure?
        try? await alone { () async throws(Failure) in
            switch answer {
            case .matched:
                // Switched off while the prompt was up: the sensor does not undo that, and nothing is unlocked. Nor is it where that
                // cannot be read.
                refusal = BiometryState.lockedOut(.untilStrongerRung).obstacle
                guard try await !ledger().isOff else { return }
                refusal = nil
                try await keep(BiometricLedger())
            case .notMatched:
                // Another flow has settled its own attempt in between: this one is counted on top.
                let kept = try await ledger()
                if kept != during { try await keep(kept.attempting(at: now, under: delays)) }
            case .failed, nil:
                if try await ledger() == during { try await keep(before) }
            }
        }
        if let refusal { return .failed(refusal) }
        if case .notMatched = answer, let obstacle = obstacle(in: during) { return .failed(obstacle) }
        return answer
    }

    /// Nothing is asked of the sensor any more until `forgive`.
    func turnOff() async throws(Failure) {
        try await alone { () async throws(Failure) in try await keep(try await ledger().turnedOff()) }
    }

    /// A stronger rung has succeeded: the person is there, so the mismatches are forgiven.
    func forgive() async {
        // Where this cannot be written the sensor stays slow, which is the safe side.
        try? await alone { () async throws(Failure) in
            if try await ledger() != BiometricLedger() { try await keep(BiometricLedger()) }
        }
    }

    static func delete(_ name: KeyName, on platform: DevicePlatform) async throws(Failure) {
        try await platform.secrets.delete(ledgerName(name))
    }

    private func obstacle(in ledger: BiometricLedger) -> Failure? {
        switch ledger.standing(at: now, under: delays) {
        case .open: nil
        case .paused(let duration): BiometryState.paused(for: duration).obstacle
        case .off: BiometryState.lockedOut(.untilStrongerRung).obstacle
        }
    }

    /// Reads and writes of the ledger do not cross each other; prompts wait outside.
    private func alone<Result>(_ body: () async throws(Failure) -> Result) async throws(Failure) -> Result {
        await platform.ledgers.enter()
        defer { platform.ledgers.leave() }
        return try await body()
    }

    /// The ledger as it counts now. One that is damaged or gone, and one whose time cannot be told, is written anew, so that its
    /// delay can end.
    private func ledger() async throws(Failure) -> BiometricLedger {
        let now = now
        let bytes = try await platform.secrets.read(Self.ledgerName(name))
        let kept = bytes.flatMap { try? JSONDecoder().decode(BiometricLedger.self, from: Data($0)) }
        let ledger = kept?.anchored(at: now, under: delays) ?? .replacingDamaged(at: now)
        if ledger != kept { try await keep(ledger) }
        return ledger
    }

    private func keep(_ ledger: BiometricLedger) async throws(Failure) {
        try await platform.secrets.write(Signing.encode(ledger), as: Self.ledgerName(name))
    }

    private var now: Moment { platform.moment(for: name.server) }

    static func ledgerName(_ name: KeyName) -> String { "biometric ledger \(name.server) \(name.account) \(name.enrolment)" }
}
