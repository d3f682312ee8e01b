import Synchronization
public import ThumbturnCore
import ThumbturnHost
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An open vault, which a local unlock gives. It holds the vault's key until the unlock is over, and gives nothing that
/// a server accepts.
///
/// After its end every use throws `vaultClosed`; so it does once the vault was deleted, or
/// `Vault.requireStrongerRungNextTime()` was called in this process, also while a change waits for another one. An app
/// lock that locks meanwhile does not end it: a body that is saving must not lose its work.
public final class LocalUnlock: UnlockSuccess, Redacted {
    /// The ask that the person answered.
    public let answered: AnsweredAsk
    private let vault: Vault
    private let key: Mutex<VaultKey?>

    /// The rung that opened the vault.
    public var rung: Rung { answered.rung }

    init(_ answered: AnsweredAsk, vault: Vault, key: VaultKey) {
        self.answered = answered
        self.vault = vault
        self.key = Mutex(key)
    }

    /// Reads the secret of this name; nil where there is none.
    public func read(_ name: String) async throws(Failure) -> SecretBytes? {
        try await vault.secrets(opened)[name].map { SecretBytes($0) }
    }

    /// Stores a secret, replacing one of the same name. It is durable when this returns; a crash before that leaves the
    /// old one. All secrets of a vault together have at most `Vault.secretsLimit` bytes; more throws `tooLarge` and
    /// changes nothing.
    public func save(_ secret: SecretBytes, as name: String) async throws(Failure) {
        try await update(name) { _ in secret }
    }

    /// Deletes a secret; one that is not there is no failure.
    public func delete(_ name: String) async throws(Failure) {
        try await update(name) { _ in nil }
    }

    /// Replaces a secret by the result of a function of it, in one step. Nil means that there is none, before and
    /// after. Updates of a vault happen one after another, in all processes that share it; where another process was faster
    /// the function is called again with what it left.
    public func update(
        _ name: String, _ change: @Sendable (SecretBytes?) throws -> SecretBytes?
    ) async throws(Failure) {
        try await vault.change(opened) { (secrets) throws(Failure) in
            do {
                secrets[name] = try change(secrets[name].map { SecretBytes($0) })?.bytes
            } catch {
                throw Failure(thrownByApp: error)
            }
        }
    }

    /// Seals bytes for a file outside the vault: AES-256-GCM with a random nonce.
    ///
    /// Layout: magic "TTVF" (4 bytes), format 1 (1), revision (8, most significant first), nonce (12), ciphertext, tag
    /// (16). The tag also covers the names of vault and file, so that files cannot be exchanged.
    ///
    /// - Parameters:
    ///   - bytes: at most `Vault.fileLimit`; they are handled in memory as a whole. More throws `tooLarge`.
    ///   - file: the file's name in the app; opening needs the same.
    ///   - revision: counted by the app, so that opening can refuse an older copy.
    public func seal(_ bytes: [UInt8], as file: String, revision: UInt64) throws(Failure) -> [UInt8] {
        try SealedFile(vault: vault.name, file: file).seal(bytes, revision: revision, with: opened())
    }

    /// Opens what `seal` gave for the same name. Anything else throws `notAuthentic`: bytes that were changed, cut or
    /// exchanged, that belong to another vault, or that have another revision than the wanted one.
    public func open(_ sealed: [UInt8], as file: String, revision: SealedRevision) throws(Failure) -> SecretBytes {
        SecretBytes(try SealedFile(vault: vault.name, file: file).open(sealed, revision: revision, with: opened()))
    }

    /// Seals bytes into a file that only its owner can read. An existing file is replaced as a whole: a crash leaves
    /// the old one or the new one.
    public func seal(_ bytes: [UInt8], to url: URL, as file: String, revision: UInt64) throws(Failure) {
        let sealed = try seal(bytes, as: file, revision: revision)
        try PrivateFiles(folder: url.deletingLastPathComponent().path).write(sealed, to: url.lastPathComponent)
    }

    /// Opens a sealed file; nil where there is none.
    public func open(contentsOf url: URL, as file: String, revision: SealedRevision) throws(Failure) -> SecretBytes? {
        // Checked before the file is read, so that no large file is loaded only to be refused.
        let size = (try? FileManager.default.attributesOfItem(atPath: url.path))?[.size] as? Int ?? 0
        guard size <= Vault.fileLimit + SealedFile.overhead else { throw Failure(.tooLarge) }
        let files = PrivateFiles(folder: url.deletingLastPathComponent().path)
        guard let sealed = try files.read(url.lastPathComponent) else { return nil }
        return try open(sealed, as: file, revision: revision)
    }

    /// Forgets the key.
    func end() {
        key.withLock { $0 = nil }
    }

    private func opened() throws(Failure) -> VaultKey {
        guard let key = key.withLock({ $0 }), !answered.act.wasDismissed else { throw Failure(.vaultClosed) }
        return key
    }
}
