#if Server
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import Foundation

/// The folder of the server's data, with mode 0700 and files of mode 0600.
struct DataFolder {
    let masterKey: MasterKey
    let store: SQLiteStore

    /// Opens the folder, makes what is missing, and migrates the database. A lock file makes processes that start
    /// together do this one after the other.
    init(_ settings: ServerSettings, time: NodeTime) throws {
        let folder = settings.dataFolder
        // The folder gets its mode when it is created, because another process may open it immediately.
        let parent = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw SetupError.unwritable(folder) }
        try PrivateFile.refuseIfOpen(folder)

        let lock = unsafe open(folder + "/lock", O_RDWR | O_CREAT | O_NOFOLLOW, 0o600)
        guard lock >= 0 else { throw SetupError.unwritable(folder) }
        // Closing the file releases the lock, and so does the end of the process.
        defer { close(lock) }
        while flock(lock, LOCK_EX) != 0 {
            guard errno == EINTR else { throw SetupError.unwritable(folder) }
        }

        let database = folder + "/thumbturn.sqlite"
        let isNew = !FileManager.default.fileExists(atPath: database)
        masterKey =
            if let given = settings.masterKey {
                given
            } else {
                try MasterKey(file: folder + "/master.key", mayMake: isNew)
            }
        // SQLite gives its other files the mode of the database.
        if isNew {
            let file = unsafe open(database, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
            guard file >= 0 else { throw SetupError.unwritable(database) }
            close(file)
        }
        store = try SQLiteStore(path: database, time: time)
    }
}
#endif
