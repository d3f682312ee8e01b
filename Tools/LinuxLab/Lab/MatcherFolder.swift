#if os(Linux)
import Foundation
import Glibc

/// The folder of a matcher that runs as a user without privileges, such as `nobody`.
///
/// The folder and the program belong to the user who makes it, root. Another process of the matcher's user therefore
/// cannot exchange the program that runs with the matcher's capability. Only the folders of the matcher's state and of
/// its socket are the matcher's user's.
public struct MatcherFolder: Sendable {
    public let path: String

    /// The copy of the matcher's program, in a place that its user can reach.
    public var program: String { "\(path)/thumbturn-matcherd" }
    /// The folder of the matcher's key and records.
    public var state: String { "\(path)/state" }
    public var socket: String { "\(path)/run/socket" }
    /// A place for the keys of a device that runs as root.
    public var keys: String { "\(path)/keys" }

    /// Creates the folder and copies the program into it.
    ///
    /// - Parameters:
    ///   - path: a folder that does not exist, in one that does.
    ///   - program: the path of the program thumbturn-matcherd.
    ///   - user: the user as which the matcher will run.
    /// - Throws: `LabError`, after what was made is deleted. A folder that exists already stays as it is.
    public init(at path: String, program: String, user: String) throws {
        self.path = path
        guard let entry = unsafe getpwnam(user) else { throw LabError(.folder, "there is no user \(user)") }
        let (owner, group) = unsafe (entry.pointee.pw_uid, entry.pointee.pw_gid)
        try LabFolder.make(path, mode: 0o755)
        do {
            try FileManager.default.copyItem(atPath: program, toPath: self.program)
            // A copy may keep the owner and the mode of the original.
            guard unsafe chown(self.program, geteuid(), getegid()) == 0, unsafe chmod(self.program, 0o755) == 0 else {
                throw LabError(.folder, "could not set the owner of \(self.program)")
            }
            for (folder, mode) in [(state, mode_t(0o700)), ("\(path)/run", 0o755)] {
                try LabFolder.make(folder, mode: mode)
                guard unsafe chown(folder, owner, group) == 0 else {
                    throw LabError(.folder, "could not give \(folder) to \(user); next: run as root")
                }
            }
        } catch {
            delete()
            throw (error as? LabError) ?? LabError(.folder, "could not copy \(program): \(error.localizedDescription)")
        }
    }

    public func delete() {
        try? FileManager.default.removeItem(atPath: path)
    }
}
#endif
