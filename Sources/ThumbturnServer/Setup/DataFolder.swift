#if Server
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import Foundation

/// The folder of the server's data, with mode 0700 and files of mode 0600, which belong to the server's user.
struct DataFolder {
    let masterKey: MasterKey
    let store: SQLStore

    /// Opens the folder, makes what is missing and may be made, and migrates the database. A lock file makes processes
    /// that start together do this one after the other.
    ///
    /// With a database elsewhere, the folder has only the master key, and is not needed where the settings have that.
    init(_ settings: ServerSettings, time: NodeTime, for use: DataUse) throws {
        let elsewhere = try settings.database.map {
            try SQLStore($0, time: time, for: use, metrics: settings.metrics)
        }
        if let elsewhere, let given = settings.masterKey {
            (store, masterKey) = (elsewhere, given)
            return
        }
        let folder = settings.dataFolder
        let database = Self.database(in: folder)
        let isThere = FileManager.default.fileExists(atPath: use.mayMakeDatabase || elsewhere != nil ? folder : database)
        guard use.mayMakeFolder || isThere else { throw SetupError.noData(folder) }
        if use.mayMakeFolder {
            // The folder gets its mode when it is created, because another process may open it immediately.
            let parent = URL(fileURLWithPath: folder).deletingLastPathComponent().path
            try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            guard unsafe mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw SetupError.unwritable(folder) }
        }
        try PrivateFile.refuseIfOpen(folder)

        let lock = try FolderLock(folder)
        defer { lock.release() }

        // A database elsewhere that has secrets was made by another node, which has their key.
        let isNew =
            if let elsewhere { try elsewhere.anySealed() == nil } else { !FileManager.default.fileExists(atPath: database) }
        let keyFile = MasterKeyFile(in: folder)
        if elsewhere != nil, !isNew, settings.masterKey == nil, !keyFile.exists {
            throw SetupError.sharedMasterKeyMissing(folder)
        }
        let given =
            if let key = settings.masterKey { key } else { try keyFile.read(mayMake: isNew && use.mayMakeFolder) }
        store = try elsewhere ?? Self.store(in: database, isNew: isNew, settings, time: time)
        masterKey = settings.masterKey == nil ? try keyFile.settle(given, for: store) : given
    }

    private static func store(
        in database: String, isNew: Bool, _ settings: ServerSettings, time: NodeTime
    ) throws -> SQLStore {
        // SQLite gives its other files the mode of the database.
        if isNew {
            let file = unsafe open(database, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
            guard file >= 0 else { throw SetupError.unwritable(database) }
            close(file)
        } else {
            try PrivateFile.refuseIfForeign(database)
        }
        return try SQLStore(path: database, time: time, metrics: settings.metrics)
    }

    /// The path of the database in a data folder.
    static func database(in folder: String) -> String { folder + "/thumbturn.sqlite" }

    /// Reads the master key of a folder that has one.
    static func masterKey(_ settings: ServerSettings) throws(SetupError) -> MasterKey {
        if let given = settings.masterKey { return given }
        return try MasterKeyFile(in: settings.dataFolder).read(mayMake: false)
    }
}
#endif
