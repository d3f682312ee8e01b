import Foundation
package import ThumbturnCore
import ThumbturnMessages

/// The journal of this device's enrolments with one server and account: which one is live, where its keys are, and what
/// may be unfinished.
struct Enrolments: Codable, Equatable {
    /// The number of the live enrolment.
    var live: Int?
    /// The id of the live enrolment's account, as the server told it; nil where it did not.
    var account: String?
    /// The numbers of the enrolments that may have left keys behind.
    var begun: [Int] = []
    /// Those of them that the server may know.
    var sent: [Int] = []
    /// The id under which the server knows the live enrolment's PIN key.
    var pinHandle: String?
    /// The kinds of keys that the live enrolment has. A key of these kinds that is missing is gone for good.
    var kinds: [KeyKind]?
    /// The live enrolment's keys that replaced an earlier one.
    var replaced: [KeyPlace]?
    /// A change that the server may or may not have made.
    var change: PendingChange?
    /// Keys that are not needed any more.
    var stale: [KeyPlace]?

    /// Where a key is: under a number of its own, so that it can be made beside the key that it replaces.
    struct KeyPlace: Codable, Equatable {
        var kind: KeyKind
        var number: Int
    }

    /// A change of one key, written before the server is asked for it.
    struct PendingChange: Codable, Equatable {
        var kind: KeyKind
        /// The number of the new key; nil where the key is removed.
        var number: Int?
        /// The id of the new key; nil until it is known. Before that nothing was sent.
        var kid: String?
    }

    /// The number under which a key of the live enrolment is.
    func number(of kind: KeyKind) -> Int? { replaced?.first { $0.kind == kind }?.number ?? live }

    /// Every number under which the live enrolment has, had or may get a key.
    var numbers: [Int] {
        var numbers = live.map { [$0] } ?? []
        for place in (replaced ?? []) + (stale ?? []) where !numbers.contains(place.number) { numbers.append(place.number) }
        if let number = change?.number { numbers.append(number) }
        return numbers
    }

    /// Makes another enrolment the live one, or none.
    mutating func goLive(_ number: Int?, pinHandle: String?, kinds: [KeyKind] = [], account: String? = nil) {
        (live, self.pinHandle, self.kinds, self.account) = (number, pinHandle, kinds, account)
        (replaced, change, stale) = (nil, nil, nil)
    }

    /// Records that the change is made.
    mutating func finish(_ change: PendingChange) {
        if let old = number(of: change.kind) { stale = (stale ?? []) + [KeyPlace(kind: change.kind, number: old)] }
        if let number = change.number {
            replaced = (replaced ?? []).filter { $0.kind != change.kind } + [KeyPlace(kind: change.kind, number: number)]
        }
        if change.kind == .pin { pinHandle = change.kid }
        kinds = (kinds ?? []).filter { $0 != change.kind } + (change.number == nil ? [] : [change.kind])
        self.change = nil
    }

    /// Records that the change is not made.
    mutating func undo(_ change: PendingChange) {
        if let number = change.number { stale = (stale ?? []) + [KeyPlace(kind: change.kind, number: number)] }
        self.change = nil
    }
}

extension Enrolments {
    /// Whether an enrolment or a change of keys has left something behind that `settle` may end.
    var isUnsettled: Bool { begun.contains { $0 != live } || change != nil || stale != nil }
}

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

    func enrolments() async throws(Failure) -> Enrolments {
        let bytes: [UInt8]?
        do throws(Failure) {
            bytes = try await platform.secrets.read(enrolmentsName)
        } catch {
            // A backup brought the journal without the key that opens it, and without the keys that it names: nothing
            // is enrolled.
            guard error.recovery == .reEnrol else { throw error }
            bytes = nil
        }
        guard let bytes else { return Enrolments() }
        guard let kept = try? JSONDecoder().decode(Enrolments.self, from: Data(bytes)) else {
            throw Failure(.platform)
        }
        return kept
    }

    func keep(_ enrolments: Enrolments) async throws(Failure) {
        try await platform.secrets.write(StoredRecord.encode(enrolments), as: enrolmentsName)
    }

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
        let marks = try await enrolments()
        guard marks.change != nil || marks.stale != nil else { return }
        // A change whose journal is locked is running, and was not interrupted.
        guard platform.journals.tryLock(enrolmentsName) else { return }
        defer { platform.journals.unlock(enrolmentsName) }
        try await settleChange()
    }

    /// Finishes or undoes a pending change, and deletes keys that are not needed any more. The caller holds the
    /// journal.
    ///
    /// - Returns: whether the server has made the change; false where there was none.
    @discardableResult
    func settleChange() async throws(Failure) -> Bool {
        var marks = try await enrolments()
        guard marks.change != nil || marks.stale != nil else { return false }
        var wasMade = false
        if let change = marks.change {
            wasMade = try await isMade(change)
            if wasMade { marks.finish(change) } else { marks.undo(change) }
            try await keep(marks)
        }
        // A key that cannot be deleted now is tried again the next time.
        var left: [Enrolments.KeyPlace] = []
        for stale in marks.stale ?? [] {
            do throws(Failure) {
                try await deleteKey(name(of: stale.kind, in: stale.number))
            } catch {
                left.append(stale)
            }
        }
        marks.stale = left.isEmpty ? nil : left
        try? await keep(marks)
        return wasMade
    }

    /// The server's record of this device. Asking needs only the session key.
    func serverRecord() async throws(Failure) -> DeviceRecord {
        try await connection.send(
            "GET", to: "/v1/devices/current", key: liveName(of: .session), expecting: DeviceRecord.self
        )
    }

    private func isMade(_ change: Enrolments.PendingChange) async throws(Failure) -> Bool {
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
