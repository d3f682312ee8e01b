#if LinuxDevice && os(Linux)
import Crypto
import Foundation

/// The files in which fprintd keeps a user's enrolled prints.
struct EnrolledPrints: Sendable {
    /// fprintd's folder, `/var/lib/fprint` on most machines.
    var folder: String

    /// What was found.
    struct Look: Hashable, Sendable {
        /// SHA-256 over names and contents in the order of the names: any finger that is enrolled, removed or replaced changes it, also
        /// while nobody was looking.
        var digest: [UInt8]
        var files: Int
    }

    /// Something that is neither a file nor a folder stands among the prints: what it leads to could change unseen.
    struct NotAFile: Error {}

    /// Looks at all files of a user. Throws where they cannot be read.
    func look(at user: String) throws -> Look {
        // Seeing no folder of the user's because we may not look is something else than there being none.
        guard try FileManager.default.contentsOfDirectory(atPath: folder).contains(user) else {
            return Look(digest: Array(SHA256.hash(data: [])), files: 0)
        }
        let home = folder + "/" + user
        let paths = try files(in: home).sorted()
        var digest = SHA256()
        for path in paths {
            digest.update(data: Array(SHA256.hash(data: Array(path.dropFirst(home.count).utf8))))
            digest.update(data: Array(SHA256.hash(data: try Data(contentsOf: URL(fileURLWithPath: path)))))
        }
        return Look(digest: Array(digest.finalize()), files: paths.count)
    }

    private func files(in path: String) throws -> [String] {
        // Of the entry itself, not of what a link leads to.
        switch try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType {
        case .typeRegular: return [path]
        case .typeDirectory:
            return try FileManager.default.contentsOfDirectory(atPath: path).flatMap { try files(in: path + "/" + $0) }
        default: throw NotAFile()
        }
    }
}
#endif
