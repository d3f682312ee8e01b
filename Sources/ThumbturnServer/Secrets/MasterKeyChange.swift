#if Server
import Foundation

/// A change of the master key: all secrets of the database are sealed again with another key.
///
/// They change in one transaction, and a new key that is kept in the data folder is on the disk before it. So wherever
/// the process ends, either the former or the next key opens all of the database, and the next process that opens the
/// folder finds the right one.
///
///     drafted ──────────▶ sealed ──────────▶ placed
///     the former key      the draft          the file
///     opens it            opens it           opens it
struct MasterKeyChange: Sendable {
    /// A step that is on the disk. The tests end a change after each of them.
    enum Step: CaseIterable, Sendable {
        /// The next key is in the draft of the key file.
        case drafted
        /// The database has the next key.
        case sealed
        /// The next key is in the key file, or there is none any more because the next key is kept elsewhere.
        case placed
    }

    /// The folder of the database.
    let folder: String
    let store: SQLStore
    /// The key that opens the database now.
    let former: MasterKey
    /// Whether the former key comes from the folder's file.
    let isInFile: Bool
    /// The next key; nil makes one in the folder's file.
    let next: MasterKey?

    /// Changes the key.
    ///
    /// - Parameter reached: called after each step.
    /// - Throws: `SetupError.masterKeyWrong` if the former key does not open the database. Nothing has changed then.
    func run(_ reached: (Step) throws -> Void = { _ in }) async throws {
        // No process opens the folder in the meantime: it would take the draft for what a crash has left.
        // With the keys and the database elsewhere there is no folder.
        let lock = FileManager.default.fileExists(atPath: folder) ? try FolderLock(folder) : nil
        defer { lock?.release() }
        let file = MasterKeyFile(in: folder)
        let key: MasterKey
        if let next {
            key = next
        } else {
            let bytes = MasterKey.random()
            try MasterKey.write(bytes, to: file.draft)
            try PrivateFile.syncFolder(of: file.draft)
            key = try MasterKey(bytes: bytes)
        }
        try reached(.drafted)
        try await store.sealAgain(former.sealing(with: key))
        try reached(.sealed)
        if next == nil {
            try file.placeDraft()
        } else if isInFile {
            try file.remove()
        }
        try reached(.placed)
    }
}
#endif
