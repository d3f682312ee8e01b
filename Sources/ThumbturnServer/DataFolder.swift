#if Server
import Foundation

/// The folder where a server keeps everything: mode 0700, its files 0600.
struct DataFolder {
    let database: String
    let masterKey: MasterKey

    init(_ settings: ServerSettings) throws {
        let folder = settings.dataFolder
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw SetupError.unwritable(folder)
        }
        try Self.refuseIfOpen(folder)
        database = folder + "/thumbturn.sqlite"
        let isNew = !FileManager.default.fileExists(atPath: database)
        masterKey =
            if let given = settings.masterKey {
                given
            } else {
                try MasterKey(file: folder + "/master.key", mayMake: isNew)
            }
        // SQLite gives the files beside it the database's own mode.
        if isNew {
            let made = FileManager.default.createFile(atPath: database, contents: nil, attributes: [.posixPermissions: 0o600])
            guard made else { throw SetupError.unwritable(database) }
        }
    }

    /// What lies here is for one user: password hashes, and the keys to everything.
    static func refuseIfOpen(_ path: String) throws(SetupError) {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let mode = attributes[.posixPermissions] as? Int
        else { throw .unreadable(path) }
        guard mode & 0o077 == 0 else { throw .openToOthers(path) }
    }
}
#endif
