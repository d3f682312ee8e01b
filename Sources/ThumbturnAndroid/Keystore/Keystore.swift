import Synchronization
import ThumbturnCore

/// The Keystore of one app: keys are made, looked at and deleted without a prompt.
struct Keystore: Sendable {
    let system: any AndroidSystem
    /// Whether the phone was unlocked since it started. It does not become untrue while the process lives.
    private let wasUnlocked = Flag()

    private let notes = Notes()

    /// The keys that were made since the process began: the last one of each kind.
    var made: [NewKeyKind: NewKey] { notes.made.withLock { $0 } }

    init(on system: any AndroidSystem) { self.system = system }

    /// Throws `notYetReadable` before the person has unlocked the phone for the first time since it started: the app's files look
    /// as if there were none then, and its keys as if they were dead.
    func checkReadable() async throws(Failure) {
        if wasUnlocked.isRaised { return }
        guard try await system.knownFacts().isUserUnlocked else { throw Failure(.notYetReadable) }
        wasUnlocked.raise()
    }

    /// Makes a key, replacing one of the same alias. Throws the obstacle where the person has to set up something first.
    func make(_ kind: NewKeyKind, as alias: String, attesting value: [UInt8]? = nil) async throws(Failure) -> NewKey {
        do throws(AndroidThrown) {
            let key = try await create(kind, as: alias, attesting: value)
            notes.made.withLock { $0[kind] = key }
            return key
        } catch {
            guard error.saysNothingIsSetUp, let facts = try? await system.facts() else { throw error.failure }
            throw Self.obstacle(toMaking: kind.kind, facts, error) ?? error.failure
        }
    }

    private func create(_ kind: NewKeyKind, as alias: String, attesting value: [UInt8]?) async throws(AndroidThrown) -> NewKey {
        func made(_ value: [UInt8]?) async throws(AndroidThrown) -> NewKey {
            try await system.call(.createKey) { request in
                request.put(alias)
                request.put(kind.rawValue)
                request.put(value)
            } _: { (reader) throws(BridgeReader.Malformed) in
                NewKey(
                    spki: try reader.optionalBytes(), place: KeyPlace(level: try reader.number()),
                    strongBoxRefusal: try reader.optionalText())
            }
        }
        do throws(AndroidThrown) {
            return try await made(value)
        } catch {
            // A key without an attestation is better than none: the server judges what it gets.
            guard value != nil, error.saysNoAttestation else { throw error }
            return try await made(nil)
        }
    }

    /// What is missing for a key: a lock screen, or an enrolled finger or face of a strong sensor.
    private static func obstacle(toMaking kind: KeyKind, _ facts: AndroidFacts, _ thrown: AndroidThrown) -> Failure? {
        var obstacle = facts.hasLockScreen ? (kind == .biometric ? facts.biometry.obstacle : nil) : Failure(.passcodeNotSet)
        obstacle?.status = thrown.failure.status
        return obstacle
    }

    /// What is told to developers.
    private final class Notes: Sendable {
        let made = Mutex<[NewKeyKind: NewKey]>([:])
    }

    func exists(_ alias: String) async throws(AndroidThrown) -> Bool {
        try await system.call(.keyExists) {
            $0.put(alias)
        } _: { (reader) throws(BridgeReader.Malformed) in
            try reader.flag()
        }
    }

    func delete(_ alias: String) async throws(Failure) {
        do throws(AndroidThrown) {
            try await system.call(.deleteKey) { $0.put(alias) }
        } catch {
            throw error.failure
        }
    }

    func deleteAll(from prefix: String) async throws(Failure) {
        do throws(AndroidThrown) {
            _ = try await system.call(.deleteKeys) {
                $0.put(prefix)
            } _: { (reader) throws(BridgeReader.Malformed) in
                try reader.number()
            }
        } catch {
            throw error.failure
        }
    }

    /// The failure of an operation without a prompt: `notEnrolled` where the key is not there, whatever was thrown.
    func failure(of thrown: AndroidThrown, using alias: String) async -> Failure {
        let isThere = (try? await exists(alias)) ?? true
        return isThere ? thrown.failure : Failure(.notEnrolled, status: thrown.failure.status)
    }
}

// MARK: - The state of a key

extension Keystore {
    /// The state of a key, found by beginning an operation that is dropped. "Invalidated" is asked for twice: a sensor that was
    /// not ready looks the same, and may be a moment later.
    func state(of alias: String, kind: NewKeyKind) async -> KeyState {
        guard (try? await checkReadable()) != nil else { return .notYetReadable }
        let first = await look(at: alias, kind)
        guard first.isDead else { return first }
        return await look(at: alias, kind)
    }

    private func look(at alias: String, _ kind: NewKeyKind) async -> KeyState {
        do throws(AndroidThrown) {
            let exists = try await system.call(.probeKey) { request in
                request.put(alias)
                request.put(kind.use.rawValue)
                request.put(nil as [UInt8]?)
            } _: { (reader) throws(BridgeReader.Malformed) in
                try reader.flag()
            }
            return exists ? .usable : .missing
        } catch {
            guard let exists = try? await exists(alias), let facts = try? await system.facts() else { return .notYetReadable }
            let look = KeyVerdict.Look(
                exists: exists, thrown: error, biometry: facts.answeredBiometry, hasLockScreen: facts.hasLockScreen)
            return KeyVerdict.state(look, of: kind)
        }
    }

    /// The failure of a key that was refused when it was used: the key's own state explains what was thrown.
    func explained(_ thrown: AndroidThrown, _ alias: String, kind: NewKeyKind) async -> Failure {
        var failure =
            switch await state(of: alias, kind: kind) {
            case .invalidated: Failure(.keyInvalidated)
            case .missing: Failure(.notEnrolled, recovery: .reEnrol)
            case .notYetReadable: Failure(.notYetReadable)
            // The key is alive, or cannot be judged now: neither is a reason to enrol anew.
            case .usable, .paused:
                thrown.failure.recovery == .reEnrol ? Failure(.platform, recovery: .retry) : thrown.failure
            }
        failure.status = thrown.failure.status
        return failure
    }
}
