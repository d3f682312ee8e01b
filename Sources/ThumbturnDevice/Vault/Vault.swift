import Foundation
import Synchronization
public import ThumbturnCore

/// Secrets and sealed files behind the person's face, finger or passcode: local, without a server, online or off.
///
///     let vault = Vault(named: "designs", platform: platform)
///     try await vault.unlocked("Open the vault") { secrets in
///         try await secrets.save(SecretBytes("s3cret"), as: "token")
///         let drawing = try secrets.open(sealed, as: "house.plan")
///     }
///
/// Opening walks the same ladder as a sign-in, with the same times and failures; what answers is not a signature but the vault's
/// key, which the platform releases. The first unlock makes the vault. **What a vault holds dies with its key**, so it must be
/// possible to fetch or make it again.
///
/// Mismatches at the sensor are counted from one unlock to the next, in a ledger of the vault's own. Where the ladder has the sensor
/// alone, very many of them slow it down and never switch it off: nothing else could switch it on again.
///
/// The app's PIN opens no vault: its keys can only sign (see `PINKey`), so nothing could be released for it. Make one value for each
/// vault: prompts and changes through one value happen one after another.
public final class Vault: Sendable {
    /// In the place of a server's address in the names of protected secrets.
    public static let realm = "vault"
    /// The most bytes that all secrets of one vault have together, names and some framing included.
    public static let secretsLimit = 64 * 1024
    /// The most bytes that one sealed file holds: it is handled in memory as a whole.
    public static let fileLimit = 64 * 1024 * 1024

    /// The app's label for the vault on this device.
    public let name: String
    private let platform: DevicePlatform
    private let policy: UnlockPolicy
    private let access: VaultAccess
    private let observe: @Sendable (UnlockNews) -> Void
    /// One change at a time.
    private let changes = SerialGate()
    /// Reaches the flow that is running.
    private let choose = Mutex<AsyncStream<PromptChoice>.Continuation?>(nil)

    /// A vault, whether it was made before or not. Touches nothing.
    ///
    /// - Parameters:
    ///   - name: tells it from the app's other vaults.
    ///   - platform: what comes from outside: sensor, protected store, disk, time.
    ///   - policy: its numbers, and those rungs of its ladder that the access has. Where it has none of them, every unlock throws
    ///     `policyDenies`.
    ///   - access: what opens the vault. A vault keeps the one that it was made with; unlocking with another throws `policyDenies`.
    ///   - observe: hears hints, moves along the ladder and telemetry.
    public init(
        named name: String, platform: DevicePlatform, policy: UnlockPolicy = .unlock, access: VaultAccess = .biometryCurrentSet,
        observe: @escaping @Sendable (UnlockNews) -> Void = { _ in }
    ) {
        var policy = policy
        policy.ladder = policy.ladder.filter(access.rungs.contains)
        self.name = name
        self.platform = platform
        self.policy = policy
        self.access = access
        self.observe = observe
    }

    /// Opens the vault with one prompt, for as many reads and writes as the body makes, and closes it when the body ends.
    ///
    /// One prompt lives at a time in the process, and none while the app is not in front. Unlocks that ask for the same meanwhile
    /// share the prompt; all others wait their turn.
    ///
    /// - Parameters:
    ///   - reason: shown in the system's prompt; an empty one throws `reasonMissing`.
    ///   - start: whether the prompt comes at once, or as the policy says for a screen that appeared.
    ///   - body: reads, writes and seals with the open vault.
    /// - Returns: what the body returns.
    /// - Throws: what the body throws; one of the four cancels; what stood in the way of the last rung, with what lifts it; `paused`
    ///   with the time to wait, after too many mismatches; `keyInvalidated` with `reEnrol` where the vault is gone for good: call
    ///   `delete()`, and the next unlock makes a new one.
    ///   Cancelling the task dismisses the prompt and throws `cancelledByApp`.
    public func unlocked<Value>(
        _ reason: String, by start: UnlockFlow.Start = .tap, _ body: (LocalUnlock) async throws -> Value
    ) async throws -> Value {
        let unlock = try await unlock(reason, by: start)
        defer { unlock.end() }
        return try await body(unlock)
    }

    /// What can be done now. Silent: it never prompts and never throws. The keys are the copies of the vault's own key; the session
    /// key, which a vault does not have, counts as usable. A vault that was not made yet has no keys.
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
        try await record()?.names.contains(VaultRecord.hash(name, self.name)) ?? false
    }

    /// Deletes the vault with all its secrets, without a prompt. Its sealed files can never be opened again.
    public func delete() async throws(Failure) {
        guard let store = platform.vaults else { throw Failure(.noVault) }
        await changes.enter()
        defer { changes.leave() }
        // The copies of the key first: once they are gone nothing can be read, whatever happens next.
        for kind in [KeyKind.biometric, .passcode] { try await store.delete(copy(kind)) }
        try await platform.secrets.delete(recordName)
        try await CountedSensor.delete(copy(.biometric), on: platform)
    }

    /// Switches the sensor off for this vault until the passcode has opened it, as `Authenticator.requireStrongerRungNextTime()` does
    /// for an account. Silent, and not undone by a match, by a restart or by time.
    ///
    /// - Throws: `policyDenies` where the sensor alone opens the vault: nothing could ever switch it on again. To shut such a vault for
    ///   good, delete it.
    public func requireStrongerRungNextTime() async throws(Failure) {
        guard policy.ladder.contains(where: { $0 != .biometric }) else { throw Failure(.policyDenies) }
        guard let store = platform.vaults, await store.state(of: copy(.biometric)) != .missing else { return }
        try await countedSensor.turnOff()
    }

    /// The person asks for another way, for example by the hint: the running flow moves to the next rung.
    public func useAnotherWay() {
        choose.withLock { $0 }?.yield(.anotherWay)
    }

    /// The person asks for the prompt, where the running flow waits for that.
    public func prompt() {
        choose.withLock { $0 }?.yield(.prompt)
    }
}

// MARK: - Unlocking

extension Vault {
    private func unlock(_ reason: String, by start: UnlockFlow.Start) async throws(Failure) -> LocalUnlock {
        guard reason.contains(where: { !$0.isWhitespace }) else { throw Failure(.reasonMissing) }
        guard let store = platform.vaults else { throw Failure(.noVault) }
        guard !policy.ladder.isEmpty, policy.additionalRungs.isEmpty else { throw Failure(.policyDenies) }
        if start == .tap { prompt() }
        let ask = UnlockRequest(asker: "vault \(access.rawValue) \(name)", reason: reason, policy: policy)
        let (rung, key) = try await platform.prompts.inTurn(ask, mayShare: true, on: platform) { () async throws(Failure) in
            try await self.opened(in: store, reason, by: start)
        }
        return LocalUnlock(rung: rung, vault: self, key: key)
    }

    /// Asks the person, and checks that the key is this vault's.
    private func opened(
        in store: any ProtectedStore, _ reason: String, by start: UnlockFlow.Start
    ) async throws(Failure) -> (Rung, VaultKey) {
        let record = try await recordOrMake(in: store)
        guard record.access == access else { throw Failure(.policyDenies) }
        let (rung, key) = try await open(record, in: store, reason, by: start)
        // A record that is damaged, or of another vault's making: only the box tells, and it never opens again.
        guard (try? record.secrets(name, key)) != nil else { throw Failure(.keyInvalidated) }
        if rung != .biometric {
            await countedSensor.forgive()
            await addMissingCopies(of: key, in: store)
        }
        return (rung, key)
    }

    /// Runs the flow until the platform has released the key.
    private func open(
        _ record: VaultRecord, in store: any ProtectedStore, _ reason: String, by start: UnlockFlow.Start
    ) async throws(Failure) -> (Rung, VaultKey) {
        let readiness = try await readiness(of: record)
        let copies = Dictionary(
            uniqueKeysWithValues: policy.ladder.compactMap { rung in rung.key.map { (rung, copy($0)) } }
        )
        let (choices, choose) = AsyncStream.makeStream(of: PromptChoice.self)
        self.choose.withLock { $0 = choose }
        defer { self.choose.withLock { $0 = nil } }
        var platform = platform
        platform.sensor = LocalSensor(sensor: platform.sensor)
        let observe = observe
        let driver = UnlockDriver(
            platform: platform, reason: reason, habits: UnlockHistory(asker: "vault \(name)", platform: platform),
            readiness: { (try? await self.readiness(of: record)) ?? readiness },
            request: { rung in copies[rung].map { Signable(key: $0) } },
            unlock: { (_, permit, signable) throws(Failure) in
                guard case .presence(let presence) = permit else {
                    preconditionFailure("a vault asks only rungs that have a copy of its key, and never for a PIN")
                }
                guard let key = VaultKey(try await store.release(signable.key, presence: presence)) else {
                    // Cut or exchanged: no vault has such a key.
                    throw Failure(.keyInvalidated)
                }
                return key
            },
            observe: { news in
                if !news.namesTheFullSignIn { observe(news) }
            },
            choices: choices
        )
        switch await driver.run(policy, by: start) {
        case .granted(let rung, let key, also: _): return (rung, key)
        case .failed(let failure):
            // The mismatch that would have switched the only rung off.
            if failure.code == .lockedOut, case .paused(let pause) = try await self.readiness(of: record).biometry {
                throw Failure(.paused, recovery: .wait(pause))
            }
            throw failure.withoutSignIn
        }
    }

    /// A copy for each rung that had none, such as the sensor's where nobody had set it up when the vault was made. The passcode opens
    /// these vaults anyway, so nothing is weakened; where it does not work, the rung that opened the vault still does.
    private func addMissingCopies(of key: VaultKey, in store: any ProtectedStore) async {
        await changes.enter()
        defer { changes.leave() }
        guard var record = (try? await record()) ?? nil else { return }
        for rung in policy.ladder {
            guard let kind = rung.key, await store.state(of: copy(kind)) != .usable else { continue }
            guard (try? await protect(key, in: store, for: kind)) != nil, !record.rungs.contains(rung) else { continue }
            record.rungs.append(rung)
            try? await keep(record)
        }
    }

    private func protect(_ key: VaultKey, in store: any ProtectedStore, for kind: KeyKind) async throws(Failure) {
        if kind == .biometric { try await countedSensor.begin() }
        try await store.protect(key.secret, as: copy(kind), access: access)
    }

    private var countedSensor: CountedSensor { CountedSensor(copy(.biometric), on: platform, under: policy.delays) }

    private func copy(_ kind: KeyKind) -> KeyName { KeyName(server: Self.realm, account: name, kind: kind) }

    private func readiness(of record: VaultRecord?) async throws(Failure) -> Readiness {
        var keys: [KeyKind: KeyState] = [:]
        for rung in record?.rungs ?? [] {
            guard let kind = rung.key else { continue }
            let state = await platform.vaults?.state(of: copy(kind)) ?? .missing
            // A copy that was made and is not there did not come along with a backup, or was deleted by the platform.
            keys[kind] = state == .missing ? .invalidated(.restored) : state
        }
        var readiness = await readiness(keys)
        if readiness.isUsable(.biometric) { readiness.biometry = try await counted() }
        return readiness
    }

    /// What the ledger makes of a sensor that is ready. Where the access has no other rung, nothing stronger could switch it on again: instead
    /// of being off for good it takes one attempt after each longest pause.
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
        return (record, try record.secrets(name, key))
    }

    /// Changes the secrets in one step.
    func change(_ key: VaultKey, _ change: (inout [String: [UInt8]]) throws(Failure) -> Void) async throws(Failure) {
        await changes.enter()
        defer { changes.leave() }
        var (record, secrets) = try await secrets(key)
        try change(&secrets)
        try record.set(secrets, name, key)
        try await keep(record)
    }

    /// The copies first and the record last: without the record there is no vault, and whatever copies a crash left are replaced.
    private func recordOrMake(in store: any ProtectedStore) async throws(Failure) -> VaultRecord {
        await changes.enter()
        defer { changes.leave() }
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
        try await keep(record)
        return record
    }

    private func record() async throws(Failure) -> VaultRecord? {
        guard let bytes = try await platform.secrets.read(recordName) else { return nil }
        guard let record = VaultRecord(bytes) else { throw Failure(.keyInvalidated) }
        return record
    }

    private func keep(_ record: VaultRecord) async throws(Failure) {
        try await platform.secrets.write(Signing.encode(record), as: recordName)
    }

    private var recordName: String { "vault \(name)" }
}
