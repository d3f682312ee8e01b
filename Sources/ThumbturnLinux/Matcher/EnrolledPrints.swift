#if LinuxDevice && os(Linux)
import Crypto
import Foundation

/// The files in which fprintd keeps a user's enrolled prints.
struct EnrolledPrints: Sendable {
    /// fprintd's folder, `/var/lib/fprint` on most machines.
    var folder: String

    /// SHA-256 over names and contents of a user's files in the order of their names: any finger that is enrolled, removed or
    /// replaced changes it, also while nobody was looking. Throws where they cannot be read.
    func digest(of user: String) throws -> [UInt8] {
        let home = folder + "/" + user
        var writer = SHA256()
        guard FileManager.default.fileExists(atPath: home) else {
            // The folder appears with the first finger. Not seeing it because we may not look is something else.
            _ = try FileManager.default.contentsOfDirectory(atPath: folder)
            return Array(writer.finalize())
        }
        var failure: (any Error)?
        let files = FileManager.default.enumerator(
            at: URL(fileURLWithPath: home), includingPropertiesForKeys: [.isRegularFileKey], options: [],
            errorHandler: { _, error in
                failure = error
                return false
            }
        )
        var paths: [String] = []
        for case let file as URL in files ?? FileManager.DirectoryEnumerator() {
            if try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true { paths.append(file.path) }
        }
        if let failure { throw failure }
        for path in paths.sorted() {
            let content = try Data(contentsOf: URL(fileURLWithPath: path))
            writer.update(data: SHA256.hash(data: Data(path.dropFirst(home.count).utf8)).map { $0 })
            writer.update(data: SHA256.hash(data: content).map { $0 })
        }
        return Array(writer.finalize())
    }
}
#endif
