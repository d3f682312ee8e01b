#if Server
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import Foundation

/// The file of the master key in a data folder, and the draft of its successor while the key is changed.
struct MasterKeyFile: Sendable {
    let path: String
    /// The next key, before the secrets are sealed with it and until it takes the place of the former one.
    var draft: String { path + ".next" }

    init(in folder: String) {
        path = folder + "/master.key"
    }

    var exists: Bool { FileManager.default.fileExists(atPath: path) }

    /// Reads the key. If `mayMake` is true, a missing file is made.
    func read(mayMake: Bool) throws(SetupError) -> MasterKey { try MasterKey(file: path, mayMake: mayMake) }

    /// The key that opens the database, after a change of the key that may have been interrupted: completes the change if
    /// the database has the next key already, and otherwise drops the draft. The caller holds the folder's lock.
    func settle(_ key: MasterKey, for store: SQLStore) throws -> MasterKey {
        guard FileManager.default.fileExists(atPath: draft) else { return key }
        guard let (sealed, label) = try store.anySealed(), (try? key.unseal(sealed, label: label)) == nil else {
            try dropDraft()
            return key
        }
        let next = try MasterKey(file: draft, mayMake: false)
        _ = try next.unseal(sealed, label: label)
        try placeDraft()
        return next
    }

    /// Puts the draft in the place of the former key.
    func placeDraft() throws(SetupError) {
        guard unsafe rename(draft, path) == 0 else { throw .unwritable(path) }
        try PrivateFile.syncFolder(of: path)
    }

    /// Removes the file of the former key, after a change to a key that is kept elsewhere.
    func remove() throws(SetupError) {
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .unwritable(path) }
        try PrivateFile.syncFolder(of: path)
    }

    private func dropDraft() throws(SetupError) {
        guard unsafe unlink(draft) == 0 else { throw .unwritable(draft) }
    }
}
#endif
