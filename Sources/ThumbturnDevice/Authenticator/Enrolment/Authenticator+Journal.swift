package import ThumbturnCore
import ThumbturnMessages
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The journal of this authenticator's account, as it is stored; see `PlaceJournal`.
extension Authenticator {
    /// The number of this device's live enrolment; nil where there is none. It tells where the keys are, not whether
    /// they work: that is read from the keys.
    package func liveEnrolment() async throws(Failure) -> Int? { try await enrolments().live }

    /// The handle under which the server knows the live enrolment's PIN key; nil where there is none.
    func livePINHandle() async throws(Failure) -> String? { try await enrolments().pinHandle }

    /// The name of a key of the live enrolment.
    func liveName(of kind: KeyKind) async throws(Failure) -> KeyName {
        guard let number = try await enrolments().number(of: kind) else { throw Failure(.notEnrolled) }
        return name(of: kind, in: number)
    }

    /// Reads the journal. Throws `journalIsDamaged` for one that no edits gave.
    func enrolments() async throws(Failure) -> PlaceJournal {
        try Self.journal(try await platform.secrets.stored(enrolmentsName))
    }

    /// Changes the journal in one step, for all tasks and processes. What the body throws ends the edit, and the journal
    /// stays as it was.
    @discardableResult
    func edit<Value>(_ body: (inout PlaceJournal) throws(Failure) -> Value) async throws(Failure) -> Value {
        try await platform.secrets.change(enrolmentsName) { (stored) throws(Failure) in
            var journal = try Self.journal(stored)
            let value = try body(&journal)
            return (journal.isEmpty ? nil : StoredRecord.encode(journal), value)
        }
    }

    /// The failure for a journal that no edits gave: the keys that it named cannot be found again one by one.
    private static let journalIsDamaged = Failure(.platform, recovery: .reEnrol)

    private static func journal(_ stored: StoredSecret) throws(Failure) -> PlaceJournal {
        switch stored {
        // A backup brings the journal without the key that opens it, and without the keys that it names.
        case .nothing, .sealedForEver: return PlaceJournal()
        case .bytes(let bytes):
            guard let journal = try? JSONDecoder().decode(PlaceJournal.self, from: Data(bytes)) else {
                throw journalIsDamaged
            }
            return journal
        }
    }

    /// Deletes a journal that is damaged, and before it every key of this server and account, because it cannot tell
    /// which of them it named. The caller holds the journal.
    ///
    /// - Returns: whether it was damaged.
    func deleteDamagedJournal() async throws(Failure) -> Bool {
        let stored = try await platform.secrets.stored(enrolmentsName)
        guard case .bytes(let bytes) = stored, (try? Self.journal(stored)) == nil else { return false }
        try await deleteAllKeys()
        // The next enrolment may be another person's: the journal cannot tell whose this one was.
        try await forgetAnswers()
        // Where another process was faster, there is another journal now.
        _ = try await platform.secrets.replace(bytes, by: nil, as: enrolmentsName)
        return true
    }

    /// Deletes a journal that is damaged, for a full sign-in: on a device that can enrol nothing, no enrolment would.
    func leaveDamagedJournal() async throws(Failure) {
        do throws(Failure) {
            _ = try await enrolments()
        } catch {
            guard error.recovery == .reEnrol else { throw error }
            guard let lock = try platform.tryLock(enrolmentsName) else { throw Failure(.superseded) }
            defer { lock.release() }
            _ = try await deleteDamagedJournal()
        }
    }

    /// Deletes every key of this server and account, also one that no journal names.
    func deleteAllKeys() async throws(Failure) {
        let any = name(of: .session, in: 0)
        try await platform.keys.deleteAll(server: any.server, account: any.account)
        try await platform.pin?.key.deleteAll(server: any.server, account: any.account)
    }

    /// The name of the journal in the store, and of its lock: no task undoes what another one is doing, in this process or
    /// another one.
    var enrolmentsName: String {
        let any = name(of: .session, in: 0)
        return "enrolments \(any.server) \(any.account)"
    }
}

// MARK: - Pending changes

extension Authenticator {
    /// Finishes or undoes a change of keys that was interrupted, because the app was killed or an answer was lost. Only
    /// the server knows which, so it is asked, in the name of the session key.
    func settleInterruptedChange() async throws(Failure) {
        let journal = try await enrolments()
        guard journal.change != nil || !journal.stale.isEmpty else { return }
        // A change whose journal is locked is running, and was not interrupted. Where no lock can be made, it waits: the person
        // is let in all the same.
        guard let lock = try? platform.tryLock(enrolmentsName) else { return }
        defer { lock.release() }
        try await settleChange()
    }

    /// Finishes or undoes a pending change, and deletes keys that are not needed any more. The caller holds the
    /// journal.
    ///
    /// - Returns: whether the server has made the change; false where there was none.
    @discardableResult
    func settleChange() async throws(Failure) -> Bool {
        var wasMade = false
        if let change = try await enrolments().change {
            wasMade = try await isMade(change)
            let isMade = wasMade
            try await edit { (journal) throws(Failure) in
                if isMade { try journal.finish(change) } else { journal.undo(change) }
            }
        }
        // A key that cannot be deleted now is tried again the next time.
        var deleted: [PlaceJournal.KeyPlace] = []
        for stale in try await enrolments().stale {
            guard (try? await deleteKey(name(of: stale.kind, in: stale.number))) != nil else { continue }
            deleted.append(stale)
        }
        let places = deleted
        _ = try? await edit { $0.deleted(places) }
        return wasMade
    }

    /// The server's record of this device. Asking needs only the session key.
    func serverRecord() async throws(Failure) -> DeviceRecord {
        try await connection.send(
            "GET", to: "/v1/devices/current", key: liveName(of: .session), expecting: DeviceRecord.self
        )
    }

    private func isMade(_ change: PlaceJournal.PendingChange) async throws(Failure) -> Bool {
        guard change.kid != nil || change.number == nil else { return false }
        do throws(Failure) {
            let keys = try await serverRecord().keys
            guard let kid = change.kid else { return !keys.contains { $0.kind == change.kind } }
            return keys.contains { $0.kid == kid }
        } catch {
            // The server no longer knows this device, so it has made no change.
            guard error.status == .notFound else { throw error }
            return false
        }
    }
}
