import Foundation
import ThumbturnCore
import ThumbturnMessages

/// The PIN key of one enrolment, with every guess written into the ledger before it is made.
struct CountedPINKey: Sendable {
    let pin: PINSupport
    let name: KeyName
    private let platform: DevicePlatform

    /// Nil where the platform has no PIN.
    init?(_ name: KeyName, on platform: DevicePlatform) {
        precondition(name.kind == .pin, "only a PIN key has a ledger")
        guard let pin = platform.pin else { return nil }
        self.pin = pin
        self.name = name
        self.platform = platform
    }

    /// Makes the key, with an empty ledger beside it.
    func create(_ chosen: PIN) async throws(Failure) -> PublicKey {
        // The ledger first: a key without one would be paused.
        try await keep(PINLedger())
        return try await pin.key.create(name, pin: chosen)
    }

    /// What the key says and what the ledger says, whichever is worse.
    func state() async -> KeyState {
        let own = await pin.key.state(of: name)
        let least: Duration
        switch own {
        case .usable: least = .zero
        case .paused(let duration): least = duration
        case .missing, .invalidated, .notYetReadable: return own
        }
        do throws(Failure) {
            switch try await ledger().standing(at: now) {
            case .open: return own
            case .paused(let duration): return .paused(for: max(duration, least))
            case .exhausted: return .invalidated(.wrongPINs)
            }
        } catch {
            return .notYetReadable
        }
    }

    /// How many wrong PINs there were in a row, for the person to see.
    func wrongInARow() async -> Int { (try? await ledger().wrongInARow) ?? 0 }

    /// Signs if the PIN is right. A wrong one throws `notMatched`, or `paused` or `keyInvalidated` where it was one too many; while
    /// the rung pauses, no guess is made at all.
    func sign(_ message: [UInt8], with entered: PIN) async throws(Failure) -> [UInt8] {
        try await sign(message, with: entered) { signature in signature }
    }

    /// Signs, and has the signature judged before the guess is settled: by the server, where the key itself cannot tell.
    ///
    /// - Parameter judge: throws `notMatched` for a wrong PIN, and `keyInvalidated` where no PIN is taken any more. Any other failure
    ///   is no verdict.
    func sign<Verdict>(
        _ message: [UInt8], with entered: PIN, judge: ([UInt8]) async throws(Failure) -> Verdict
    ) async throws(Failure) -> Verdict {
        await pin.turnstile.enter()
        defer { pin.turnstile.leave() }
        let before = try await ledger()
        if let obstacle = obstacle(in: before) { throw obstacle }
        let during = before.guessing(at: now)
        try await keep(during)
        do throws(Failure) {
            let verdict = try await judge(try await pin.key.sign(message, with: name, pin: entered))
            // Where this cannot be written the guess stays counted, which is the safe side.
            try? await keep(PINLedger())
            return verdict
        } catch {
            if error.code == .notMatched { throw obstacle(in: during) ?? error }
            // Hardware remembers by itself that a key is used up; of the server's word there is only what is written here.
            let isUsedUp = error.code == .keyInvalidated && pin.key.judge == .server
            try? await keep(isUsedUp ? .exhausted(at: now) : before)
            throw error
        }
    }

    /// Deletes key and ledger; the ledger also where the platform no longer has a PIN.
    static func delete(_ name: KeyName, on platform: DevicePlatform) async throws(Failure) {
        try await platform.pin?.key.delete(name)
        try await platform.secrets.delete(ledgerName(name))
    }

    private func obstacle(in ledger: PINLedger) -> Failure? {
        switch ledger.standing(at: now) {
        case .open: nil
        case .paused(let duration): Failure(.paused, recovery: .wait(duration))
        case .exhausted: Failure(.keyInvalidated)
        }
    }

    /// The ledger as it counts now. One that is damaged or gone, and one whose time cannot be told, is written anew, so that its
    /// pause can end.
    private func ledger() async throws(Failure) -> PINLedger {
        let now = now
        let bytes = try await platform.secrets.read(Self.ledgerName(name))
        let kept = bytes.flatMap { try? JSONDecoder().decode(PINLedger.self, from: Data($0)) }
        let ledger = kept?.anchored(at: now) ?? .replacingDamaged(at: now)
        if ledger != kept { try await keep(ledger) }
        return ledger
    }

    private func keep(_ ledger: PINLedger) async throws(Failure) {
        try await platform.secrets.write(Signing.encode(ledger), as: Self.ledgerName(name))
    }

    private var now: Moment { platform.moment(for: name.server) }

    static func ledgerName(_ name: KeyName) -> String { "pin ledger \(name.server) \(name.account) \(name.enrolment)" }
}
