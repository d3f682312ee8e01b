#if Server
import Foundation

/// The folder where a server keeps everything: mode 0700.
struct DataFolder {
    let database: String
    let masterKey: MasterKey

    init(_ settings: ServerSettings) throws {
        do {
            try FileManager.default.createDirectory(
                atPath: settings.dataFolder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw SetupError.unwritable(settings.dataFolder)
        }
        database = settings.dataFolder + "/thumbturn.sqlite"
        masterKey =
            if let given = settings.masterKey {
                given
            } else {
                try MasterKey(file: settings.dataFolder + "/master.key")
            }
    }
}
#endif
