#if Server
import Foundation

/// The files and folders that only the server's own user may read.
enum PrivateFile {
    /// Throws if other users can read the file or folder: it holds password hashes and the server's keys.
    static func refuseIfOpen(_ path: String) throws(SetupError) {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let mode = attributes[.posixPermissions] as? Int
        else { throw .unreadable(path) }
        guard mode & 0o077 == 0 else { throw .openToOthers(path) }
    }
}
#endif
