#if LinuxDevice && os(Linux)
import Crypto
import Foundation
import Synchronization
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice

/// The matcher's durable state: its key, and for each user of the machine the enrolment counter and the throttle.
final class MatcherState: Sendable {
    private let files: PrivateFiles
    private let tcti: String
    private let prints: EnrolledPrints
    let key: P256.Signing.PrivateKey
    /// The total time spent in the TPM since the start, for the log.
    let spentInTPM = Mutex(Duration.zero)
    /// Held while a record is read, changed and written.
    private let writing = Mutex(())

    init(folder: String, tcti: String, prints: EnrolledPrints) throws(Failure) {
        files = PrivateFiles(folder: folder)
        self.tcti = tcti
        self.prints = prints
        if let kept = try files.read("matcher.key") {
            guard let key = try? P256.Signing.PrivateKey(rawRepresentation: kept) else {
                throw Failure(.platform)
            }
            self.key = key
        } else {
            key = P256.Signing.PrivateKey()
            try files.write(Array(key.rawRepresentation), to: "matcher.key")
        }
    }

    /// A user of the machine, by the kernel's id and the name in the user database.
    struct User: Hashable, Sendable {
        var id: UInt32
        var name: String
    }

    /// The matcher's identity for a user, with the counter's current value. The first call for a user creates the
    /// counter.
    func identity(of user: User) throws(MatcherRefusal) -> MatcherIdentity {
        try identity(of: user, changed: { () throws(MatcherRefusal) in })
    }

    /// Returns the same identity, but throws `enrolmentChanged` if the enrolment has changed since the last check. The
    /// counter is raised then, so every biometric key of this user that was created before is invalidated.
    func unchangedIdentity(of user: User) throws(MatcherRefusal) -> MatcherIdentity {
        try identity(of: user, changed: { () throws(MatcherRefusal) in throw .enrolmentChanged })
    }

    /// Throws unless the folder holds prints of this user. A finger that matched has a print somewhere, and a change of
    /// prints that are elsewhere would go unnoticed.
    func confirmPrints(of user: User) throws(MatcherRefusal) {
        guard let snapshot = try? prints.snapshot(of: user.name), snapshot.files > 0 else { throw .broken }
    }

    /// Counts an attempt before it is made. Throws `wait` while the user is throttled.
    func begin(_ user: User, at now: Int64, boot: String) throws(MatcherRefusal) -> MatcherThrottle {
        let (before, wait) = try change(user) { record throws(MatcherRefusal) in
            let wait = record.throttle.wait(at: now, boot: boot)
            let before = record.throttle
            if wait == 0 { record.throttle.began(at: now, boot: boot) }
            return (before, wait)
        }
        guard wait == 0 else { throw .wait(seconds: wait) }
        return before
    }

    /// Settles an attempt: a match resets the count, a mismatch stays counted, and an attempt without a verdict is not
    /// counted.
    func settle(_ user: User, _ outcome: FprintReader.Outcome, before: MatcherThrottle) throws(MatcherRefusal) {
        try change(user) { record throws(MatcherRefusal) in
            switch outcome {
            case .matched: record.throttle.matched()
            case .notMatched: break
            case .failed: record.throttle.ended(without: before)
            }
        }
    }

    private func identity(
        of user: User, changed: () throws(MatcherRefusal) -> Void
    ) throws(MatcherRefusal) -> MatcherIdentity {
        guard let digest = try? prints.snapshot(of: user.name).digest,
            let jwk = JWK(x963: Array(key.publicKey.x963Representation))
        else {
            throw .broken
        }
        let (identity, hasChanged) = try change(user) { record throws(MatcherRefusal) in
            let old = record.enrolment
            var now: Record.Enrolment
            let start = ContinuousClock.now
            defer {
                let spent = ContinuousClock.now - start
                spentInTPM.withLock { $0 += spent }
            }
            do throws(TPMError) {
                now = try TPM.connected(tcti) { tpm throws(TPMError) in
                    var enrolment: Record.Enrolment
                    if let old { enrolment = old } else { enrolment = try Self.makeCounter(on: tpm) }
                    if let old, old.prints != digest {
                        // The counter is raised before the record is written: after a crash in between it is raised
                        // twice, which is harmless.
                        try tpm.raise(old.counter, value: old.value)
                    }
                    enrolment.prints = digest
                    enrolment.count = try tpm.count(enrolment.counter, value: enrolment.value)
                    return enrolment
                }
            } catch {
                // A counter that was removed, by the TPM's owner or by clearing the TPM, is forgotten and created again
                // below; the keys that were bound to it are invalidated. If there was no counter yet, the owner's
                // password prevents creating one.
                guard old != nil, error.meaning == .missing || error.meaning == .wrongValue else { throw .broken }
                record.enrolment = nil
                return (nil as MatcherIdentity?, true)
            }
            let hasChanged = old.map { $0.prints != digest || $0.count != now.count } ?? false
            record.enrolment = now
            return (MatcherIdentity(key: jwk, counter: now.counter, value: now.count), hasChanged)
        }
        if hasChanged { try changed() }
        if let identity { return identity }
        return try self.identity(of: user)
    }

    private static func makeCounter(on tpm: TPM) throws(TPMError) -> Record.Enrolment {
        var generator = SystemRandomNumberGenerator()
        let value = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let counter = try tpm.defineCounter(at: try tpm.freeIndex(in: counters), value: value)
        return Record.Enrolment(counter: counter, value: value, count: 0, prints: [])
    }

    /// The NV indexes of counters: a part of the range that the TCG reserves for the owner (Registry of Reserved TPM
    /// 2.0 Handles).
    private static let counters: ClosedRange<UInt32> = 0x0180_7400...0x0180_74FF

    /// Reads a user's record, changes it, and writes it to disk before it returns.
    private func change<Result: Sendable>(
        _ user: User, _ work: (inout Record) throws(MatcherRefusal) -> Result
    ) throws(MatcherRefusal) -> Result {
        try writing.withLock { _ throws(MatcherRefusal) in
            let name = "\(user.id).user"
            do {
                var record = Record()
                if let bytes = try files.read(name) { record = try JSONDecoder().decode(Record.self, from: Data(bytes)) }
                let before = record
                let result = try work(&record)
                if record != before { try files.write(Array(try JSONEncoder().encode(record)), to: name) }
                return result
            } catch let refusal as MatcherRefusal {
                throw refusal
            } catch {
                throw .broken
            }
        }
    }
}

/// A user's record: JSON in a file that only the matcher can read.
private struct Record: Codable, Hashable {
    struct Enrolment: Codable, Hashable {
        var counter: TPMIndex
        /// The counter's authorisation value, with which only the matcher can raise it.
        var value: [UInt8]
        /// The counter's value at the last check.
        var count: UInt64
        /// The digest of the enrolled prints at the last check.
        var prints: [UInt8]
    }

    var enrolment: Enrolment?
    var throttle = MatcherThrottle()
}
#endif
