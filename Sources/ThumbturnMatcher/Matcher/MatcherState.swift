#if LinuxDevice && os(Linux)
import Crypto
import Foundation
import Synchronization
import ThumbturnCore
import ThumbturnHost
import ThumbturnMessages

/// The matcher's durable state: its key, and for each user of the machine the enrolment counter and the throttle.
final class MatcherState: Sendable {
    private let files: PrivateFiles
    private let tcti: String
    private let prints: EnrolledPrints
    private let clock: @Sendable () -> Moment
    let key: P256.Signing.PrivateKey
    /// The total time spent in the TPM since the start, for the log.
    let spentInTPM = Mutex(Duration.zero)
    /// Held while a record is read, changed and written.
    private let writing = Mutex(())

    init(
        folder: String, tcti: String, prints: EnrolledPrints, clock: @escaping @Sendable () -> Moment = { HostTime.moment },
        random: @escaping @Sendable () -> UInt64 = { .random(in: 0...UInt64.max) }
    ) throws(Failure) {
        files = PrivateFiles(folder: folder, random: random)
        self.tcti = tcti
        self.prints = prints
        self.clock = clock
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

    /// The matcher's identity for a user, with the counter's current value. The first call for a user with enrolled
    /// prints creates the counter. Throws `notEnrolled` for a user without prints.
    func identity(of user: User) throws(MatcherRefusal) -> MatcherIdentity {
        let check = try check(user)
        guard check.hasPrints else { throw .notEnrolled }
        return check.identity
    }

    /// Returns the same identity, but throws `enrolmentChanged` if the enrolment has changed since the last check. The
    /// counter is raised then, so every biometric key of this user that was created before is invalidated.
    ///
    /// A finger that matched has a print somewhere, and a change of prints that are elsewhere would go unnoticed. So
    /// this throws `notEnrolled` if the watched folder holds no prints of this user.
    func unchangedIdentity(of user: User) throws(MatcherRefusal) -> MatcherIdentity {
        let check = try check(user)
        guard !check.hasChanged else { throw .enrolmentChanged }
        guard check.hasPrints else { throw .notEnrolled }
        return check.identity
    }
}

// MARK: - Fingers that did not match

extension MatcherState {
    /// Counts an attempt before it is made. Throws `wait` while the user is throttled, and `off` from the limit on.
    func begin(_ user: User) throws(MatcherRefusal) -> MatcherThrottle {
        let (now, boot) = moment
        let (before, refusal) = try change(user.id) { record -> (MatcherThrottle, MatcherRefusal?) in
            let wait = record.throttle.wait(at: now, boot: boot)
            let before = record.throttle
            if before.isOff { return (before, .off) }
            if wait > 0 { return (before, .wait(seconds: wait)) }
            record.throttle.began(at: now, boot: boot)
            return (before, nil)
        }
        if let refusal { throw refusal }
        return before
    }

    /// Settles an attempt: a match resets the count, a mismatch stays counted, and an attempt without a verdict is not
    /// counted.
    func settle(_ user: User, _ outcome: FprintReader.Outcome, before: MatcherThrottle) throws(MatcherRefusal) {
        try change(user.id) { record in
            switch outcome {
            case .matched: record.throttle.reset()
            case .notMatched: break
            case .failed: record.throttle.ended(without: before)
            }
        }
    }

    /// Whether no finger of this user is asked for until an administrator allows it again.
    func isOff(_ user: User) throws(MatcherRefusal) -> Bool {
        try change(user.id) { record in record.throttle.isOff }
    }

    /// Forgets a user's fingers that did not match. For an administrator: a finger cannot do it.
    func unlock(_ user: UInt32) throws(MatcherRefusal) {
        try change(user) { record in record.throttle.reset() }
    }

    /// The time since boot in seconds, and the boot's identity.
    private var moment: (Int64, String) {
        let moment = clock()
        return (moment.sinceBoot.sinceOrigin.components.seconds, moment.boot)
    }

    /// Reads a user's record, changes it, and writes it to disk before it returns.
    private func change<Result: Sendable>(
        _ user: UInt32, _ work: (inout MatcherRecord) -> Result
    ) throws(MatcherRefusal) -> Result {
        try writing.withLock { _ throws(MatcherRefusal) in
            var record = try read(user)
            let before = record
            let result = work(&record)
            if record != before { try write(record, of: user) }
            return result
        }
    }

    private func read(_ user: UInt32) throws(MatcherRefusal) -> MatcherRecord {
        do {
            guard let bytes = try files.read("\(user).user") else { return MatcherRecord() }
            return try JSONDecoder().decode(MatcherRecord.self, from: Data(bytes))
        } catch {
            throw .broken
        }
    }

    private func write(_ record: MatcherRecord, of user: UInt32) throws(MatcherRefusal) {
        do {
            try files.write(Array(try JSONEncoder().encode(record)), to: "\(user).user")
        } catch {
            throw .broken
        }
    }
}

// MARK: - The enrolment counter

extension MatcherState {
    private struct Check: Sendable {
        var identity: MatcherIdentity
        /// The prints or the counter differ from the last check.
        var hasChanged: Bool
        var hasPrints: Bool
    }

    /// Compares prints and counter with the last check, and raises the counter if either differs.
    ///
    /// A record that was set back is behind the TPM's counter. Adopting the counter's value would bring the prints of
    /// the old record back together with the keys of today, so the counter is raised then too.
    private func check(_ user: User) throws(MatcherRefusal) -> Check {
        guard let jwk = JWK(x963: Array(key.publicKey.x963Representation)) else { throw .broken }
        return try writing.withLock { _ throws(MatcherRefusal) in
            // The prints are read under the lock: a check that began earlier never overwrites the result of a later one.
            guard let snapshot = try? prints.snapshot(of: user.name) else { throw MatcherRefusal.broken }
            var record = try read(user.id)
            let before = record.enrolment
            let count = try count(of: before)
            let enrolment: MatcherRecord.Enrolment
            if let before, let count, before.prints == snapshot.digest, before.count == count {
                enrolment = before
            } else if var raised = before, count != nil {
                try announceChange(of: user, in: &record, creating: nil)
                raised.count = try raise(raised)
                raised.prints = snapshot.digest
                enrolment = raised
            } else {
                // A user without prints needs no counter.
                guard snapshot.files > 0 else { throw MatcherRefusal.notEnrolled }
                enrolment = try makeCounter(for: user, prints: snapshot.digest, in: &record)
            }
            if enrolment != before {
                (record.enrolment, record.pending) = (enrolment, nil)
                try write(record, of: user.id)
            }
            return Check(
                identity: MatcherIdentity(key: jwk, counter: enrolment.counter, value: enrolment.count),
                hasChanged: before != nil && enrolment != before, hasPrints: snapshot.files > 0
            )
        }
    }

    /// Counts a change of the TPM and writes the record before the change is made. If the record cannot be written, the
    /// TPM stays as it is.
    private func announceChange(
        of user: User, in record: inout MatcherRecord, creating pending: MatcherRecord.Pending?
    ) throws(MatcherRefusal) {
        let (before, (now, boot)) = (record, moment)
        let wait = record.changes.wait(at: now, boot: boot)
        if wait == 0 {
            record.changes.began()
            record.pending = pending
        }
        if record != before { try write(record, of: user.id) }
        guard wait == 0 else { throw .wait(seconds: wait) }
    }

    /// The counter's value; nil if there is no counter, or the TPM's owner removed or replaced it.
    private func count(of enrolment: MatcherRecord.Enrolment?) throws(MatcherRefusal) -> UInt64? {
        guard let enrolment else { return nil }
        do throws(TPMError) {
            return try onTPM { tpm throws(TPMError) in try tpm.count(enrolment.counter, value: enrolment.value) }
        } catch {
            guard error.meaning == .missing || error.meaning == .wrongValue else { throw .broken }
            return nil
        }
    }

    /// Raises the counter and returns its new value. After a crash before the record is written the counter is raised
    /// once more, which is harmless.
    private func raise(_ enrolment: MatcherRecord.Enrolment) throws(MatcherRefusal) -> UInt64 {
        do throws(TPMError) {
            return try onTPM { tpm throws(TPMError) in
                try tpm.raise(enrolment.counter, value: enrolment.value)
                return try tpm.count(enrolment.counter, value: enrolment.value)
            }
        } catch {
            throw .broken
        }
    }

    /// Creates a user's counter, or completes a creation that was interrupted.
    private func makeCounter(
        for user: User, prints: [UInt8], in record: inout MatcherRecord
    ) throws(MatcherRefusal) -> MatcherRecord.Enrolment {
        let earlier = record.pending
        let pending: MatcherRecord.Pending
        let found: TPMIndex?
        do throws(TPMError) {
            (pending, found) = try onTPM { tpm throws(TPMError) in try Self.plan(earlier, on: tpm) }
        } catch {
            throw .broken
        }
        // A plan without a counter was counted and written when it was made.
        if pending != earlier || found != nil { try announceChange(of: user, in: &record, creating: pending) }
        if let found {
            // A record that was set back may name a counter for which keys were created since, so it is raised.
            var enrolment = MatcherRecord.Enrolment(counter: found, value: pending.value, count: 0, prints: prints)
            enrolment.count = try raise(enrolment)
            return enrolment
        }
        do throws(TPMError) {
            return try onTPM { tpm throws(TPMError) in
                let counter = try tpm.defineCounter(at: pending.handle, value: pending.value)
                let count = try tpm.count(counter, value: pending.value)
                return MatcherRecord.Enrolment(counter: counter, value: pending.value, count: count, prints: prints)
            }
        } catch {
            // The owner's password prevents creating a counter, for example.
            throw .broken
        }
    }

    /// The counter to create: an earlier plan as long as its handle is free or holds that counter, or a new one. With
    /// the counter, if it exists already.
    private static func plan(
        _ earlier: MatcherRecord.Pending?, on tpm: TPM
    ) throws(TPMError) -> (MatcherRecord.Pending, TPMIndex?) {
        if let earlier {
            if try !tpm.handles(from: earlier.handle).contains(earlier.handle) { return (earlier, nil) }
            if let found = try tpm.counter(at: earlier.handle, value: earlier.value) { return (earlier, found) }
        }
        var generator = SystemRandomNumberGenerator()
        let value = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return (MatcherRecord.Pending(handle: try tpm.freeIndex(in: counters), value: value), nil)
    }

    /// The NV indexes of counters: a part of the range that the TCG reserves for the owner (Registry of Reserved TPM
    /// 2.0 Handles).
    static let counters: ClosedRange<UInt32> = 0x0180_7400...0x0180_74FF

    /// Connects to the TPM and adds the time to the log's total.
    private func onTPM<Result>(_ work: (TPM) throws(TPMError) -> Result) throws(TPMError) -> Result {
        let start = ContinuousClock.now
        defer {
            let spent = ContinuousClock.now - start
            spentInTPM.withLock { $0 += spent }
        }
        return try TPM.connected(tcti, work)
    }
}
#endif
