import CryptoKit
import Foundation
import Observation
import Thumbturn

/// The notebook: its vault, its lock, and the notes while it is open.
@MainActor @Observable final class Notebook {
    /// What the app shows.
    enum Stage { case starting, welcome, notes }

    private(set) var stage = Stage.starting
    /// The notes; none while the app is locked.
    private(set) var notes: [Note] = []
    /// The device's sensor, where the person may choose to use it.
    private(set) var sensor: SensorName?
    /// Whether a face or finger was added or removed since the passcode was last entered here.
    private(set) var facesChanged = false
    /// Whether the person is being asked if that was theirs.
    private(set) var isConfirming = false
    /// Why something was not done.
    private(set) var problem: String?
    /// What only the person can do, after a button of the lock screen was pressed.
    var recovery: Recovery?

    let biometrics: BiometricsToggleModel
    @ObservationIgnored private(set) lazy var offer = BiometricOfferModel(
        for: vault, reason: "Open your notes", recover: { [weak self] in self?.recovery = $0 })
    @ObservationIgnored private(set) lazy var lock = AppLockModel(
        for: vault, reason: "Open your notes", rules: .init(lockAfter: .seconds(60)),
        whenLocked: { [weak self] in self?.close() }, recover: { [weak self] in self?.recovery = $0 },
        opened: { [weak self] in try await self?.open(with: $0) })

    private let vault: Vault
    private let folder: URL
    /// What the notes are sealed with; nil while the app is locked.
    private var key: SymmetricKey?
    private var revision: UInt64 = 0

    /// Makes the notebook of a device.
    ///
    /// - Parameter folder: the folder of the file with the notes.
    init(platform: DevicePlatform, folder: URL) {
        // Notes exist nowhere else, so a new face must not end them: the passcode opens them too. `biometryCurrentSet` is for
        // what can be fetched again.
        vault = Vault(named: "notes", platform: platform, access: .userPresence)
        self.folder = folder
        biometrics = BiometricsToggleModel(for: vault, reason: "Open your notes")
    }

    // MARK: The first start

    /// Looks what there is, without a prompt.
    func start() async {
        // Where this cannot be read, the lock screen says why.
        let isNew = (try? await vault.contains(Secret.key)) == false
        let readiness = await vault.readiness()
        sensor = readiness.biometry == .ready ? readiness.sensor : nil
        stage = isNew ? .welcome : .notes
    }

    /// Takes the person's choice. The first unlock makes the vault, with the sensor or without it.
    func begin(withSensor: Bool) async {
        do {
            if withSensor { try await vault.answerBiometricOffer(.setUp) } else { try await vault.declineBiometrics() }
            (stage, problem) = (.notes, nil)
        } catch {
            problem = error.message.text(in: .english)
        }
    }

    // MARK: Opening and locking

    private enum Secret { static let key = "content key", revision = "revision" }

    /// Runs while the vault is open, before the lock opens.
    private func open(with secrets: LocalUnlock) async throws {
        // The system's generator is fit for keys.
        try await secrets.update(Secret.key) { $0 ?? SecretBytes((0..<32).map { _ in UInt8.random(in: .min ... .max) }) }
        guard let bytes = try await secrets.read(Secret.key)?.bytes else { throw Failure(.vaultClosed) }
        let key = SymmetricKey(data: bytes)
        let seen = try await secrets.read(Secret.revision).flatMap { UInt64(String(decoding: $0.bytes, as: UTF8.self)) } ?? 0
        let file = try SealedNotes.read(in: folder)
        let (revision, notes) = (file?.revision ?? 0, try file?.notes(with: key) ?? [])
        // An older copy of the file is refused, and so is a missing one.
        guard revision >= seen else { throw Failure.lostNotes }
        if revision > seen { try await secrets.save(SecretBytes("\(revision)"), as: Secret.revision) }
        facesChanged = await vault.readiness().enrolment == .changed
        (self.key, self.revision, self.notes, problem) = (key, revision, notes, nil)
    }

    private func close() { (key, revision, notes, facesChanged) = (nil, 0, [], false) }

    /// Has the passcode confirm that the change was the person's own. After a cancellation the question stays.
    func confirmFaces() async {
        isConfirming = true
        try? await vault.unlocked("Confirm that the change was yours", by: .rung(.devicePasscode)) { _ in }
        (facesChanged, isConfirming) = (await vault.readiness().enrolment == .changed, false)
    }

    /// Locks the app until the passcode opens it.
    func distrustFaces() async {
        do { try await vault.requireStrongerRungNextTime() } catch { problem = error.message.text(in: .english) }
    }

    /// Gives up notes that nothing can open any more, and begins anew.
    func startOver() async {
        do {
            let folder = folder
            try await vault.delete { try SealedNotes.delete(in: folder) }
            await start()
        } catch {
            problem = error.message.text(in: .english)
        }
    }

    // MARK: Writing

    /// Adds an empty note.
    func add() -> Note.ID? {
        guard key != nil else { return nil }
        let note = Note()
        notes.insert(note, at: 0)
        save()
        return note.id
    }

    func text(of id: Note.ID) -> String { notes.first { $0.id == id }?.text ?? "" }

    func write(_ text: String, to id: Note.ID) {
        guard let place = notes.firstIndex(where: { $0.id == id }), notes[place].text != text else { return }
        notes[place].text = text
        save()
    }

    func delete(_ id: Note.ID) {
        notes.removeAll { $0.id == id }
        save()
    }

    /// Writes at once: the system may end an app at any time.
    private func save() {
        guard let key else { return }
        do {
            try SealedNotes(notes, revision: revision + 1, with: key).write(in: folder)
            (revision, problem) = (revision + 1, nil)
        } catch {
            problem = "The last change is not saved. Is there space on this device?"
        }
    }
}
