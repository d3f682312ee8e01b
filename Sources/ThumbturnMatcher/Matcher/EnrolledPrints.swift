#if LinuxDevice && os(Linux)
import Crypto
import Foundation

/// The files in which fprintd keeps a user's enrolled prints.
struct EnrolledPrints: Sendable {
    /// fprintd's folder, `/var/lib/fprint` on most machines.
    var folder: String

    /// The prints as they were at one moment.
    struct Snapshot: Hashable, Sendable {
        /// SHA-256 over the user's name and the files' names and contents in the order of the names. It changes when a
        /// finger is enrolled, removed or replaced, also while the matcher was not running, and when the user's id
        /// belongs to another name than before.
        var digest: [UInt8]
        var files: Int
    }

    /// An entry among the prints is neither a file nor a folder, so what it links to could change unnoticed.
    struct NotAFile: Error {}

    /// Reads all files of a user. Throws if they cannot be read.
    func snapshot(of user: String) throws -> Snapshot {
        // The user's folder is looked up in a listing: a missing folder must not be confused with a missing permission.
        var digest = SHA256()
        digest.update(data: Array(SHA256.hash(data: Array(user.utf8))))
        guard try FileManager.default.contentsOfDirectory(atPath: folder).contains(user) else {
            return Snapshot(digest: Array(digest.finalize()), files: 0)
        }
        let home = folder + "/" + user
        let paths = try files(in: home).sorted()
        for path in paths {
            digest.update(data: Array(SHA256.hash(data: Array(path.dropFirst(home.count).utf8))))
            digest.update(data: Array(SHA256.hash(data: try Data(contentsOf: URL(fileURLWithPath: path)))))
        }
        return Snapshot(digest: Array(digest.finalize()), files: paths.count)
    }

    private func files(in path: String) throws -> [String] {
        // The attributes are those of the entry itself, not of a link's target.
        switch try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType {
        case .typeRegular: return [path]
        case .typeDirectory:
            return try FileManager.default.contentsOfDirectory(atPath: path).flatMap { try files(in: path + "/" + $0) }
        default: throw NotAFile()
        }
    }
}
#endif
