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
    public static let realm = KeyName.vaults
    /// The maximum size of all secrets of one vault together, names and some framing included.
    public static let secretsLimit = 64 * 1024
    /// The maximum size of one sealed file, which is handled in memory as a whole.
    public static let fileLimit = 64 * 1024 * 1024

    /// The app's label for the vault on this device.
    public let name: String
    let platform: DevicePlatform
    /// The rungs and numbers of its unlocks.
    let policy: UnlockPolicy
    let access: VaultAccess
    /// The news of its unlocks, for the screens behind their prompts.
    public let news = UnlockNewsRelay()
    let observe: @Sendable (UnlockNews) -> Void
    /// Lets one change of this process through at a time.
    let changes: SerialGate

    /// Names a vault, whether it was made before or not. Touches nothing.
    ///
    /// - Parameters:
    ///   - name: the vault's name, different from those of the app's other vaults.
    ///   - platform: the sensor, protected store, storage and time to use.
    ///   - policy: its numbers count, and those rungs of its ladder that the access has. Where it has none of them,
    ///     every unlock throws `policyDenies`.
    ///   - access: the rungs that open the vault. A vault keeps the access that it was made with; unlocking with
    ///     another throws `policyDenies`.
    ///   - observe: receives hints, moves along the ladder, telemetry, and the begin and end of each ceremony.
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
        self.observe = { [news] in
            news.hear($0)
            observe($0)
        }
    }

    /// Opens the vault with one prompt, for as many reads and writes as the body makes, and closes it when the body
    /// ends.
    ///
    /// There is one prompt at a time over one `DevicePlace`, and none while the app is not in front. Equal unlocks that come
    /// before the person has answered share the prompt; all others ask for themselves. No unlock waits for a server.
    ///
    /// - Parameters:
    ///   - reason: shown in the system's prompt; an empty one throws `reasonMissing`.
    ///   - start: whether the prompt comes at once, or as the policy determines for a screen that appeared.
    ///   - body: reads, writes and seals with the open vault.
    /// - Returns: what the body returns.
    /// - Throws: what the body throws; one of the four cancellations; the obstacle at the last rung, with the step that
    ///   removes it; `paused` with the time to wait, after too many mismatches; `keyInvalidated` with `reEnrol` where
    ///   the vault is gone for good: call `delete(erasing:)`, and the next unlock makes a new one. Cancelling the task
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
            let keys = Dictionary(policy.ladder.compactMap(\.key).map { ($0, state) }) { first, _ in first }
            return await readiness(keys, of: nil)
        }
    }

    /// Whether there is a secret of this name, without a prompt.
    public func contains(_ name: String) async throws(Failure) -> Bool {
        try await record()?.names.contains(VaultRecord.hash(ofName: name, in: self.name)) ?? false
    }

    /// Deletes the vault with all its secrets, without a prompt. Its sealed files can never be opened again.
    ///
    /// The next unlock makes the vault anew, for the person who is there then. If the vault opens an `AppLockModel` or approves sheets, the app
    /// has to erase everything that it shows and keeps outside the vault before that, because the next person may be another one:
    ///
    ///     try await vault.delete { try await model.eraseEverything() }
    ///
    /// Until a `delete` has erased it, a vault that was made anew opens and seals as before, but opens no lock and approves no
    /// sheet: they report `keyInvalidated` with `reEnrol`.
    ///
    /// - Parameter erase: erases what the app shows and keeps outside the vault for its person. An app whose vault opens no lock and
    ///   approves no sheet passes none.
    /// - Throws: what the platform reports; what `erase` throws, once the vault is deleted.
    public func delete(erasing erase: (@Sendable () async throws -> Void)? = nil) async throws(Failure) {
        try await deleteVault()
        guard let erase else { return }
        do {
            try await erase()
        } catch {
            throw Failure(thrownByApp: error)
        }
        try await former.forget()
    }

    private func deleteVault() async throws(Failure) {
        guard let store = platform.vaults else { throw Failure(.noVault) }
        platform.prompts.void(asker)
        // An unlock that began while the vault was being deleted opens nothing either.
        defer { platform.prompts.void(asker) }
        try await changes.serialised { () async throws(Failure) in
            if try await platform.secrets.stored(recordName) != .nothing { try await former.note() }
            var numbers: [Int]
            // Once more where another process has made the vault anew meanwhile.
            repeat {
                numbers = try await allNumbers()
                // The copies of the key first: once they are gone nothing can be read, whatever happens next.
                try await discard(numbers, in: store)
            } while try await !deleteRecord(ofOneOf: numbers)
            // Another process may have added a copy while the record was still there.
            try await discard(numbers, in: store)
            try await sensorSwitch.delete()
            try await forgetPerson()
        }
    }

    /// Switches the sensor off for this vault until the passcode has opened it, as
    /// `Authenticator.requireStrongerRungNextTime()` does for an account: silent, for every process that shares the place,
    /// and not undone by a match, by a restart or by time. It holds for a vault that was not made yet, too. A vault that is
    /// open in this process closes; one that another process has opened stays open until its body ends.
    ///
    /// - Throws: `policyDenies` where only the sensor opens the vault, by its access or because there was no passcode when
    ///   it was made: no other rung could switch the sensor on again. It is closed then, and the sensor opens it again. To close
    ///   such a vault for good, delete it.
    ///   `platform` where it cannot be written down: then the sensor is still on.
    public func requireStrongerRungNextTime() async throws(Failure) {
        platform.prompts.void(asker)
        // An unlock that succeeded while it was being written is void as well.
        defer { platform.prompts.void(asker) }
        guard !opensOnlyBySensor(nil) else { throw Failure(.policyDenies) }
        // A record that cannot be read opens nothing.
        guard !opensOnlyBySensor((try? await record()) ?? nil) else { throw Failure(.policyDenies) }
        try await sensorSwitch.turnOff()
    }
}

// MARK: - Unlocking

extension Vault {
    private func unlock(_ reason: String, by start: UnlockFlow.Start) async throws(Failure) -> LocalUnlock {
        try UnlockRequest.check(reason: reason, on: platform)
        guard let store = platform.vaults else { throw Failure(.noVault) }
        if let problem = policy.problem { throw Failure(.policyDenies, hint: UnlockPolicy.hint(on: problem)) }
        guard policy.additionalRungs.isEmpty else {
            throw Failure(.policyDenies, hint: "A vault has one key: its policy cannot have additionalRungs.")
        }
        let request = UnlockRequest(asker: asker, reason: reason, policy: policy, kind: .vault, access: access)
        let (answered, key) = try await platform.prompts.ask(request, by: start, on: platform, telling: observe) {
            (ask) async throws(Failure) in
            try await self.open(in: store, for: ask, by: start)
        }
        return LocalUnlock(answered, vault: self, key: key)
    }

    /// The vault in the line of prompts, and in the history of unlocks.
    var asker: String { "vault \(name)" }

    /// Asks the person, and checks that the released key is this vault's.
    private func open(
        in store: any ProtectedStore, for ask: RunningAsk, by start: UnlockFlow.Start
    ) async throws(Failure) -> (AnsweredAsk, VaultKey) {
        let dismissals = try await sensorSwitch.read().dismissals
        let record = try await recordOrMake(in: store)
        guard record.access == access else {
            throw Failure(.policyDenies, hint: "This vault was made with the access \(record.access), not \(access).")
        }
        let (rung, key) = try await liftingLockout(of: record, for: ask, by: start) { (start) async throws(Failure) in
            try await self.release(record, from: store, for: ask, by: start)
        }
        var answered = ask.answered(
            by: rung, at: platform.moment, on: Self.mark(dismissals, record), reading: placeMark)
        answered.lockProblem = await former.lockProblem
        try ask.check()
        // Another process that dismissed the person meanwhile voids nothing here.
        guard try await sensorSwitch.read().dismissals == dismissals else { throw Failure(.cancelledByApp) }
        // The record may be damaged or belong to another vault. Only opening its box tells, and it will never open
        // again.
        guard (try? record.secrets(of: name, with: key)) != nil else { throw Failure(.keyInvalidated) }
        // Where only the sensor opens the vault, no stronger rung could confirm the person.
        if rung != .biometric || record.opensOnlyBySensor { await enrolmentMark.keep() }
        if rung != .biometric {
            await countedSensor(record.number).forgive(by: rung, askedAt: dismissals)
            await addMissingCopies(of: key, number: record.number, in: store)
        }
        return (answered, key)
    }

    /// What dismissals and deletions of all processes have left.
    @Sendable private func placeMark() async throws(Failure) -> PlaceMark {
        Self.mark(try await sensorSwitch.read().dismissals, try await record())
    }

    private static func mark(_ dismissals: Int, _ record: VaultRecord?) -> PlaceMark {
        PlaceMark(dismissals: dismissals, number: record?.number, person: record.map { "key \($0.number)" })
    }

    /// Runs the flow until the platform has released the key.
    private func release(
        _ record: VaultRecord, from store: any ProtectedStore, for ask: RunningAsk, by start: UnlockFlow.Start
    ) async throws(Failure) -> (Rung, VaultKey) {
        let readiness = try await readiness(of: record)
        var platform = platform
        platform.sensor = LocalSensor(sensor: platform.sensor)
        let driver = UnlockDriver(
            platform: platform, ask: ask, policy: policy, history: history,
            keys: VaultKeys(store: store, copies: copies(record.number)),
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
            throw failure.inVault(await self.readiness())
        }
    }

    private func copies(_ number: Int) -> [Rung: KeyName] {
        Dictionary(uniqueKeysWithValues: policy.ladder.compactMap { rung in rung.key.map { (rung, copy($0, number)) } })
    }

    /// Makes a copy for each rung that had none, such as the sensor's where it had not been set up when the vault was
    /// made. The passcode opens these vaults anyway, so nothing is weakened; a copy that cannot be made is left out.
    private func addMissingCopies(of key: VaultKey, number: Int, in store: any ProtectedStore) async {
        await changes.enter()
        defer { changes.leave() }
        for rung in policy.ladder {
            guard let kind = rung.key, await !isDeclined(rung), let record = (try? await record()) ?? nil,
                record.number == number
            else { continue }
            if record.rungs.contains(rung), await store.state(of: copy(kind, number)) == .usable { continue }
            guard (try? await protect(key, number, in: store, for: kind)) != nil else { continue }
            // Where another process has deleted the vault meanwhile, no copy of its key may stay.
            if (try? await keep(rung, of: number)) == false { try? await discard([number], in: store) }
            // Nor where the person has declined it there.
            if await isDeclined(rung) { try? await drop(rung, of: number, in: store) }
        }
    }

    /// Notes in the record that a rung has a copy; false where the vault of this number is gone.
    private func keep(_ rung: Rung, of number: Int) async throws(Failure) -> Bool {
        try await platform.secrets.change(recordName) { (stored) throws(Failure) in
            guard var record = try Self.record(in: stored), record.number == number else { return (stored.bytes, false) }
            if record.rungs.contains(rung) { return (stored.bytes, true) }
            record.rungs.append(rung)
            return (StoredRecord.encode(record), true)
        }
    }

    /// Deletes the copy of a rung, and notes it in the record.
    func drop(_ rung: Rung, of number: Int, in store: any ProtectedStore) async throws(Failure) {
        // The copy first: once it is gone it opens nothing, whatever happens next.
        if let kind = rung.key { try await store.delete(copy(kind, number)) }
        try await platform.secrets.change(recordName) { (stored) throws(Failure) in
            guard var record = try Self.record(in: stored), record.number == number else { return (stored.bytes, ()) }
            record.rungs.removeAll { $0 == rung }
            return (StoredRecord.encode(record), ())
        }
    }

    private func protect(
        _ key: VaultKey, _ number: Int, in store: any ProtectedStore, for kind: KeyKind
    ) async throws(Failure) {
        if kind == .biometric { try await countedSensor(number).createLedger() }
        try await store.protect(key.secret, as: copy(kind, number), access: access)
    }

    /// Deletes the copies of these numbers with their ledgers.
    private func discard(_ numbers: [Int], in store: any ProtectedStore) async throws(Failure) {
        for number in numbers {
            for kind in [KeyKind.biometric, .passcode] { try await store.delete(copy(kind, number)) }
        }
        for number in numbers { try await CountedSensor.delete(copy(.biometric, number), on: platform) }
        try await self.numbers.giveBack(numbers)
    }

    private func countedSensor(_ number: Int) -> CountedSensor {
        CountedSensor(copy(.biometric, number), on: platform, under: policy)
    }

    private var sensorSwitch: SensorSwitchFile { SensorSwitchFile(server: Self.realm, account: name, on: platform) }

    func copy(_ kind: KeyKind, _ number: Int) -> KeyName {
        KeyName(server: Self.realm, account: name, enrolment: number, kind: kind)
    }

    func readiness(of record: VaultRecord?) async throws(Failure) -> Readiness {
        var keys: [KeyKind: KeyState] = [:]
        guard let record else { return await readiness(keys, of: nil) }
        for rung in record.rungs {
            guard let kind = rung.key else { continue }
            let state = await platform.vaults?.state(of: copy(kind, record.number)) ?? .missing
            // A copy that was made and is missing was left out of a backup, or deleted by the platform.
            keys[kind] = state == .missing ? .invalidated(.restored) : state
        }
        var readiness = await readiness(keys, of: record)
        readiness.note(await enrolmentMark.change(), needsConfirmation: !record.opensOnlyBySensor)
        if readiness.isUsable(.biometric) { readiness.biometry = try await biometry(counting: record) }
        return readiness
    }

    /// The state of a sensor that the system calls ready, as far as the switch and the ledger allow it. Where only the
    /// sensor opens the vault, no stronger rung could switch it on again: instead of being off for good it allows one
    /// attempt after each longest pause.
    private func biometry(counting record: VaultRecord) async throws(Failure) -> BiometryState {
        let sensor = countedSensor(record.number)
        let state = try await sensor.state()
        guard state == .lockedOut(.untilStrongerRung), record.opensOnlyBySensor else { return state }
        try await sensor.slowDown()
        return try await sensor.state()
    }

    private func readiness(_ keys: [KeyKind: KeyState], of record: VaultRecord?) async -> Readiness {
        var readiness = Readiness(
            sensor: await platform.sensor.name(), biometry: await platform.sensor.biometry(),
            keys: keys.merging([.session: .usable]) { $1 }, ladder: policy.ladder
        )
        readiness.isLocal = true
        readiness.liftsLockout = await canLiftLockout(readiness.biometry, of: record)
        return readiness
    }
}

// MARK: - The record

extension Vault {
    /// The secrets that an open vault has now.
    ///
    /// - Parameter key: the key of a vault that is still open; it is asked for once the record is read.
    func secrets(_ key: () throws(Failure) -> VaultKey) async throws(Failure) -> [String: [UInt8]] {
        try contents(of: try await record(), try key()).secrets
    }

    /// Changes the secrets in one step, for all processes that share the vault. Where another one was faster the change
    /// is asked again.
    ///
    /// - Parameter key: the key of a vault that is still open; it is asked for after every wait.
    func change(
        _ key: () throws(Failure) -> VaultKey, _ change: (inout [String: [UInt8]]) throws(Failure) -> Void
    ) async throws(Failure) {
        try await changes.serialised { () async throws(Failure) in
            try await platform.secrets.change(recordName) { (stored) throws(Failure) in
                let key = try key()
                var (record, secrets) = try contents(of: try Self.record(in: stored), key)
                try change(&secrets)
                try record.set(secrets, of: name, with: key)
                return (StoredRecord.encode(record), ())
            }
        }
    }

    /// A record with the secrets in it. One that the key does not open belongs to a vault that was made after the opened
    /// one was deleted.
    private func contents(
        of record: VaultRecord?, _ key: VaultKey
    ) throws(Failure) -> (record: VaultRecord, secrets: [String: [UInt8]]) {
        guard let record, let secrets = try? record.secrets(of: name, with: key) else { throw Failure(.vaultClosed) }
        return (record, secrets)
    }

    /// Reads the record, or makes the vault. Of several processes that make it at once, the first to keep its record has
    /// made it, and the others open that one.
    private func recordOrMake(in store: any ProtectedStore) async throws(Failure) -> VaultRecord {
        try await changes.serialised { () async throws(Failure) in
            if let record = try await record() { return record }
            let made = try await makeCopies(in: store)
            if try await keep(made) {
                // Another process may have declined the sensor's copy meanwhile.
                if made.rungs.contains(.biometric), await isDeclined(.biometric) {
                    try await drop(.biometric, of: made.number, in: store)
                    guard let record = try await record() else { throw Failure(.vaultClosed) }
                    return record
                }
                if await hasCopies(made, in: store) {
                    // A new vault is of the person who is enrolled now: it holds nothing of another person.
                    await enrolmentMark.keep()
                    return made
                }
                // Another process has deleted the vault meanwhile, and these copies with it.
                _ = try await deleteRecord(ofOneOf: [made.number])
            }
            try await discard([made.number], in: store)
            guard let record = try await record() else { throw Failure(.vaultClosed) }
            return record
        }
    }

    /// Makes a key and its copies. They come first and the record last: without the record there is no vault.
    private func makeCopies(in store: any ProtectedStore) async throws(Failure) -> VaultRecord {
        let key = VaultKey()
        let number = try await numbers.take()
        var rungs: [Rung] = []
        var obstacle: Failure?
        for rung in policy.ladder {
            guard let kind = rung.key, await !isDeclined(rung) else { continue }
            do throws(Failure) {
                try await protect(key, number, in: store, for: kind)
                rungs.append(rung)
            } catch {
                obstacle = obstacle ?? error
            }
        }
        if rungs.isEmpty, let obstacle {
            try? await discard([number], in: store)
            throw obstacle
        }
        return try VaultRecord(access: access, number: number, rungs: rungs, vault: name, key: key)
    }

    /// Keeps the record of a new vault; false where there is one already.
    private func keep(_ new: VaultRecord) async throws(Failure) -> Bool {
        try await platform.secrets.change(recordName) { (stored) throws(Failure) in
            guard try Self.record(in: stored) == nil else { return (stored.bytes, false) }
            return (StoredRecord.encode(new), true)
        }
    }

    private func hasCopies(_ record: VaultRecord, in store: any ProtectedStore) async -> Bool {
        for kind in record.rungs.compactMap(\.key) where await store.state(of: copy(kind, record.number)) == .missing {
            return false
        }
        return true
    }

    /// Deletes the record if it has one of these numbers, or cannot be read.
    ///
    /// - Returns: false where the vault has another number.
    private func deleteRecord(ofOneOf numbers: [Int]) async throws(Failure) -> Bool {
        try await platform.secrets.change(recordName) { stored in
            guard let record = (try? Self.record(in: stored)) ?? nil, !numbers.contains(record.number) else { return (nil, true) }
            return (stored.bytes, false)
        }
    }

    /// Every number under which there may be copies, the vault's own first.
    private func allNumbers() async throws(Failure) -> [Int] {
        let stored = try await platform.secrets.stored(recordName)
        let number = ((try? Self.record(in: stored)) ?? nil)?.number ?? VaultRecord.firstNumber
        return [number] + (try await numbers.all() + [VaultRecord.firstNumber]).filter { $0 != number }
    }

    func record() async throws(Failure) -> VaultRecord? {
        try Self.record(in: try await platform.secrets.stored(recordName))
    }

    private static func record(in stored: StoredSecret) throws(Failure) -> VaultRecord? {
        if stored == .nothing { return nil }
        guard let record = stored.bytes.flatMap(VaultRecord.init) else { throw Failure(.keyInvalidated) }
        return record
    }

    private var former: FormerVault { FormerVault(of: name, on: platform) }
    private var numbers: VaultNumbers { VaultNumbers(vault: name, on: platform) }
    private var recordName: String { "vault \(name)" }
}
