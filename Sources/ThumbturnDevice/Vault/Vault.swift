import Foundation
public import ThumbturnCore

/// Keeps secrets and sealed files behind the person's face, finger or passcode, locally and without a server.
///
///     let vault = Vault(named: "designs", platform: platform)
///     try await vault.unlocked("Open the vault") { secrets in
///         try await secrets.save(SecretBytes("s3cret"), as: "token")
///         let drawing = try secrets.open(sealed, as: "house.plan", revision: 1)
///     }
///
/// Opening walks the same ladder as a sign-in, with the same times and failures; instead of a signature, the platform
/// releases the vault's key. The first unlock makes the vault. **The contents of a vault are lost with its key**, so it
/// must be possible to fetch or make them again.
///
/// Mismatches at the sensor are counted from one unlock to the next, in a ledger of the vault's own. Where the sensor
/// is the only rung, very many of them slow it down and never switch it off: no other rung could switch it on again.
///
/// The app's PIN opens no vault: its keys can only sign (see `PINKey`), so nothing could be released for it.
public final class Vault: Sendable {
    /// The name in place of a server's address in the names of protected secrets.
    public static let realm = "vault"
    /// The maximum size of all secrets of one vault together, names and some framing included.
    public static let secretsLimit = 64 * 1024
    /// The maximum size of one sealed file, which is handled in memory as a whole.
    public static let fileLimit = 64 * 1024 * 1024

    /// The app's label for the vault on this device.
    public let name: String
    private let platform: DevicePlatform
    private let policy: UnlockPolicy
    private let access: VaultAccess
    private let observe: @Sendable (UnlockNews) -> Void
    /// Lets one change of this process through at a time.
    private let changes: SerialGate

    /// Names a vault, whether it was made before or not. Touches nothing.
    ///
    /// - Parameters:
    ///   - name: the vault's name, different from those of the app's other vaults.
    ///   - platform: the sensor, protected store, storage and time to use.
    ///   - policy: its numbers count, and those rungs of its ladder that the access has. Where it has none of them,
    ///     every unlock throws `policyDenies`.
    ///   - access: the rungs that open the vault. A vault keeps the access that it was made with; unlocking with
    ///     another throws `policyDenies`.
    ///   - observe: receives hints, moves along the ladder and telemetry.
    public init(
        named name: String, platform: DevicePlatform, policy: UnlockPolicy = .unlock, access: VaultAccess = .biometryCurrentSet,
        observe: @escaping @Sendable (UnlockNews) -> Void = { _ in }
    ) {
        var policy = policy
        policy.ladder = policy.ladder.filter(access.rungs.contains)
        self.name = name
        self.platform = platform
        changes = platform.shared.gates["vault \(name)"]
        self.policy = policy
        self.access = access
        self.observe = observe
    }

    /// Opens the vault with one prompt, for as many reads and writes as the body makes, and closes it when the body
    /// ends.
    ///
    /// There is one prompt at a time in the process, and none while the app is not in front. Equal unlocks that come
    /// before the person has answered share the prompt; all others ask for themselves. No unlock waits for a server.
    ///
    /// - Parameters:
    ///   - reason: shown in the system's prompt; an empty one throws `reasonMissing`.
    ///   - start: whether the prompt comes at once, or as the policy determines for a screen that appeared.
    ///   - body: reads, writes and seals with the open vault.
    /// - Returns: what the body returns.
    /// - Throws: what the body throws; one of the four cancellations; the obstacle at the last rung, with the step that
    ///   removes it; `paused` with the time to wait, after too many mismatches; `keyInvalidated` with `reEnrol` where
    ///   the vault is gone for good: call `delete()`, and the next unlock makes a new one. Cancelling the task
    ///   dismisses the prompt and throws `cancelledByApp`.
    public func unlocked<Value>(
        _ reason: String, by start: UnlockFlow.Start = .tap, _ body: (LocalUnlock) async throws -> Value
    ) async throws -> Value {
        let unlock = try await unlock(reason, by: start)
        defer { unlock.end() }
        return try await body(unlock)
    }

    /// What can be done now. Silent: it never prompts and never throws. The keys are the copies of the vault's own key;
    /// the session key, which a vault does not have, counts as usable. A vault that was not made yet has no keys.
    public func readiness() async -> Readiness {
        do throws(Failure) {
            return try await readiness(of: try await record())
        } catch {
            let state = error.recovery == .reEnrol ? KeyState.invalidated(.unknown) : .notYetReadable
            let keys = Dictionary(uniqueKeysWithValues: policy.ladder.compactMap(\.key).map { ($0, state) })
            return await readiness(keys)
        }
    }

    /// Whether there is a secret of this name, without a prompt.
    public func contains(_ name: String) async throws(Failure) -> Bool {
        try await record()?.names.contains(VaultRecord.hash(ofName: name, in: self.name)) ?? false
    }

    /// Deletes the vault with all its secrets, without a prompt. Its sealed files can never be opened again.
    public func delete() async throws(Failure) {
        guard let store = platform.vaults else { throw Failure(.noVault) }
        platform.prompts.void(asker)
        // An unlock that began while the vault was being deleted opens nothing either.
        defer { platform.prompts.void(asker) }
        try await changes.serialised { () async throws(Failure) in
            // Another process may be making the vault. It is waited for, but keeps no vault alive.
            let lock = await platform.lock(recordName, waitingAtMost: .seconds(5))
            defer { lock?.release() }
            // The copies of the key first: once they are gone nothing can be read, whatever happens next.
            for kind in [KeyKind.biometric, .passcode] { try await store.delete(copy(kind)) }
            try await platform.secrets.delete(recordName)
            try await CountedSensor.delete(copy(.biometric), on: platform)
            try await countedSensor.sensorSwitch.delete()
        }
    }

    /// Switches the sensor off for this vault until the passcode has opened it, as
    /// `Authenticator.requireStrongerRungNextTime()` does for an account. Silent, and not undone by a match, by a
    /// restart or by time.
    ///
    /// - Throws: `policyDenies` where only the sensor opens the vault: no other rung could switch it on again. To close
    ///   such a vault for good, delete it.
    public func requireStrongerRungNextTime() async throws(Failure) {
        guard policy.ladder.contains(where: { $0 != .biometric }) else { throw Failure(.policyDenies) }
        platform.prompts.void(asker)
        // An unlock that succeeded while it was being written is void as well.
        defer { platform.prompts.void(asker) }
        guard let store = platform.vaults, await store.state(of: copy(.biometric)) != .missing else { return }
        try await countedSensor.sensorSwitch.turnOff()
    }

    /// Moves the unlocks with this reason to their next rung, because the person chose another way, for example by the
    /// hint.
    public func useAnotherWay(_ reason: String) {
        platform.prompts.choose(.anotherWay, for: asker, reason: reason)
    }

    /// Shows the prompt now, where an unlock with this reason waits for the person to ask for it.
    public func prompt(_ reason: String) {
        platform.prompts.choose(.prompt, for: asker, reason: reason)
    }
}

// MARK: - Unlocking

extension Vault {
    private func unlock(_ reason: String, by start: UnlockFlow.Start) async throws(Failure) -> LocalUnlock {
        try UnlockRequest.check(reason: reason)
        guard let store = platform.vaults else { throw Failure(.noVault) }
        guard !policy.ladder.isEmpty, policy.additionalRungs.isEmpty else { throw Failure(.policyDenies) }
        let request = UnlockRequest(asker: asker, reason: reason, policy: policy, kind: .vault, access: access)
        let (answered, key) = try await platform.prompts.ask(request, by: start, on: platform) { (ask) async throws(Failure) in
            try await self.open(in: store, for: ask, by: start)
        }
        return LocalUnlock(answered, vault: self, key: key)
    }

    /// The vault in the line of prompts, and in the history of unlocks.
    private var asker: String { "vault \(name)" }

    /// Asks the person, and checks that the released key is this vault's.
    private func open(
        in store: any ProtectedStore, for ask: RunningAsk, by start: UnlockFlow.Start
    ) async throws(Failure) -> (AnsweredAsk, VaultKey) {
        let dismissals = try await countedSensor.sensorSwitch.read().dismissals
        let record = try await recordOrMake(in: store)
        guard record.access == access else { throw Failure(.policyDenies) }
        let (rung, key) = try await release(record, from: store, for: ask, by: start)
        let answered = ask.answered(by: rung, at: platform.moment)
        try ask.check()
        // The record may be damaged or belong to another vault. Only opening its box tells, and it will never open
        // again.
        guard (try? record.secrets(of: name, with: key)) != nil else { throw Failure(.keyInvalidated) }
        if rung != .biometric {
            await countedSensor.forgive(askedAt: dismissals)
            await addMissingCopies(of: key, in: store)
        }
        return (answered, key)
    }

    /// Runs the flow until the platform has released the key.
    private func release(
        _ record: VaultRecord, from store: any ProtectedStore, for ask: RunningAsk, by start: UnlockFlow.Start
    ) async throws(Failure) -> (Rung, VaultKey) {
        let readiness = try await readiness(of: record)
        var platform = platform
        platform.sensor = LocalSensor(sensor: platform.sensor)
        let driver = UnlockDriver(
            platform: platform, ask: ask, policy: policy, history: UnlockHistory(asker: asker, platform: platform),
            keys: VaultKeys(store: store, copies: copies),
            readiness: { (try? await self.readiness(of: record)) ?? readiness },
            observe: { [observe] news in
                if !news.namesTheFullSignIn { observe(news) }
            }
        )
        switch await driver.run(by: start) {
        case .granted(let rung, let key, additional: _): return (rung, key)
        case .failed(let failure):
            // The mismatch would have switched off the only rung; it began a pause instead.
            if failure.code == .lockedOut, case .paused(let pause) = try await self.readiness(of: record).biometry {
                throw Failure.paused(for: pause)
            }
            throw failure.withoutSignIn
        }
    }

    private var copies: [Rung: KeyName] {
        Dictionary(uniqueKeysWithValues: policy.ladder.compactMap { rung in rung.key.map { (rung, copy($0)) } })
    }

    /// Makes a copy for each rung that had none, such as the sensor's where it had not been set up when the vault was
    /// made. The passcode opens these vaults anyway, so nothing is weakened; a copy that cannot be made is left out.
    private func addMissingCopies(of key: VaultKey, in store: any ProtectedStore) async {
        await changes.enter()
        defer { changes.leave() }
        guard let lock = await platform.lock(recordName, waitingAtMost: .seconds(1)) else { return }
        defer { lock.release() }
        // Another process may have deleted the vault and made another one, with another key.
        guard (try? await secrets(key)) != nil else { return }
        for rung in policy.ladder {
            guard let kind = rung.key, await store.state(of: copy(kind)) != .usable else { continue }
            guard (try? await protect(key, in: store, for: kind)) != nil else { continue }
            try? await changeRecord { record in
                if !record.rungs.contains(rung) { record.rungs.append(rung) }
            }
        }
    }

    private func protect(_ key: VaultKey, in store: any ProtectedStore, for kind: KeyKind) async throws(Failure) {
        if kind == .biometric { try await countedSensor.createLedger() }
        try await store.protect(key.secret, as: copy(kind), access: access)
    }

    private var countedSensor: CountedSensor { CountedSensor(copy(.biometric), on: platform, under: policy.delays) }

    private func copy(_ kind: KeyKind) -> KeyName { KeyName(server: Self.realm, account: name, kind: kind) }

    private func readiness(of record: VaultRecord?) async throws(Failure) -> Readiness {
        var keys: [KeyKind: KeyState] = [:]
        for rung in record?.rungs ?? [] {
            guard let kind = rung.key else { continue }
            let state = await platform.vaults?.state(of: copy(kind)) ?? .missing
            // A copy that was made and is missing was left out of a backup, or deleted by the platform.
            keys[kind] = state == .missing ? .invalidated(.restored) : state
        }
        var readiness = await readiness(keys)
        if readiness.isUsable(.biometric) { readiness.biometry = try await counted() }
        return readiness
    }

    /// The state of a sensor that the system calls ready, as far as the ledger allows it. Where the access has no other
    /// rung, no stronger one could switch it on again: instead of being off for good it allows one attempt after each
    /// longest pause.
    private func counted() async throws(Failure) -> BiometryState {
        let state = try await countedSensor.state()
        guard state == .lockedOut(.untilStrongerRung), access.rungs == [.biometric] else { return state }
        try await countedSensor.slowDown()
        return try await countedSensor.state()
    }

    private func readiness(_ keys: [KeyKind: KeyState]) async -> Readiness {
        Readiness(
            biometry: await platform.sensor.biometry(), keys: keys.merging([.session: .usable]) { $1 }, ladder: policy.ladder
        )
    }
}

// MARK: - The record

extension Vault {
    /// The record with the secrets in it.
    func secrets(_ key: VaultKey) async throws(Failure) -> (record: VaultRecord, secrets: [String: [UInt8]]) {
        guard let record = try await record() else { throw Failure(.vaultClosed) }
        return (record, try record.secrets(of: name, with: key))
    }

    /// Changes the secrets in one step, for all tasks and processes of the place. Where another process was faster, the
    /// change is made again to what stands there now.
    func change(_ key: VaultKey, _ change: (inout [String: [UInt8]]) throws(Failure) -> Void) async throws(Failure) {
        await changes.enter()
        defer { changes.leave() }
        try await changeRecord { (record) throws(Failure) in
            var secrets = try record.secrets(of: name, with: key)
            try change(&secrets)
            try record.set(secrets, of: name, with: key)
        }
    }

    /// Changes the record in one step. Throws `vaultClosed` where there is none.
    private func changeRecord(_ body: (inout VaultRecord) throws(Failure) -> Void) async throws(Failure) {
        try await platform.secrets.change(recordName) { (stored) throws(Failure) in
            guard var record = try Self.record(stored) else { throw Failure(.vaultClosed) }
            try body(&record)
            return (StoredRecord.encode(record), ())
        }
    }

    /// Reads the record, or makes the vault. The copies come first and the record last: without the record there is no
    /// vault, and copies that a crash left behind are replaced.
    private func recordOrMake(in store: any ProtectedStore) async throws(Failure) -> VaultRecord {
        await changes.enter()
        defer { changes.leave() }
        if let record = try await record() { return record }
        // Another process may be making the vault: a record of its key beside copies of this one could never be opened.
        guard let lock = await platform.lock(recordName, waitingAtMost: .seconds(5)) else { throw Failure(.superseded) }
        defer { lock.release() }
        if let record = try await record() { return record }
        let key = VaultKey()
        var rungs: [Rung] = []
        var obstacle: Failure?
        for rung in policy.ladder {
            guard let kind = rung.key else { continue }
            do throws(Failure) {
                try await protect(key, in: store, for: kind)
                rungs.append(rung)
            } catch {
                obstacle = obstacle ?? error
            }
        }
        if rungs.isEmpty, let obstacle { throw obstacle }
        let record = try VaultRecord(access: access, rungs: rungs, vault: name, key: key)
        try await platform.secrets.write(StoredRecord.encode(record), as: recordName)
        return record
    }

    private func record() async throws(Failure) -> VaultRecord? { try Self.record(try await platform.secrets.stored(recordName)) }

    private static func record(_ stored: StoredSecret) throws(Failure) -> VaultRecord? {
        switch stored {
        case .nothing: return nil
        // A backup brings the record without the key that opens it.
        case .sealedForEver: throw Failure(.keyInvalidated)
        case .bytes(let bytes):
            guard let record = VaultRecord(bytes) else { throw Failure(.keyInvalidated) }
            return record
        }
    }

    /// The name of the record in the store, and of the lock under which a vault is made and deleted.
    private var recordName: String { "vault \(name)" }
}
