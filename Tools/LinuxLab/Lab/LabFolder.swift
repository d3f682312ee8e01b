#if os(Linux)
import Foundation
import Glibc

/// The folder that holds all files of a lab: sockets, TPM state, prints, rules and logs.
struct LabFolder: Sendable {
    let path: String

    var bus: String { "\(path)/bus" }
    var busConfiguration: String { "\(path)/bus.conf" }
    var reader: String { "\(path)/reader" }
    var prints: String { "\(path)/prints" }
    var tpm: String { "\(path)/tpm" }
    /// The authority that issues the TPM's endorsement certificates.
    var authority: String { "\(path)/authority" }
    var rules: String { "\(path)/rules" }
    /// An empty folder that is mounted over the machine's own rules, so that only the lab's rules apply.
    var noRules: String { "\(path)/no-rules" }
    func log(_ name: String) -> String { "\(path)/\(name).log" }

    /// Creates the folder. It must not exist: a folder or a link that another user has made first is not used.
    init(at given: String, parts: Set<LinuxLab.Part>) throws {
        path = URL(fileURLWithPath: given).standardizedFileURL.path
        // A socket's path has 107 bytes at most, including the names `reader` and `bus`.
        guard path.utf8.count <= 95 else {
            throw LabError(.folder, "\(path) is too long for a socket's path; next: use a folder of at most 95 bytes, in /tmp")
        }
        try Self.make(path, mode: 0o700)
        do {
            for folder in [prints, tpm, rules, noRules] { try Self.make(folder, mode: 0o755) }
            if parts.contains(.bus) { try open() }
        } catch {
            delete()
            throw error
        }
    }

    /// Creates one folder that does not exist yet, whatever the process's mask of modes.
    static func make(_ path: String, mode: mode_t) throws {
        guard unsafe mkdir(path, mode) == 0 else {
            guard errno != EEXIST else {
                throw LabError(.folder, "\(path) exists, and the lab makes its folder itself; next: name a new folder")
            }
            throw LabError(.folder, "could not make \(path), error \(errno); next: name a folder in one that exists")
        }
        guard unsafe Glibc.chmod(path, mode) == 0 else { throw LabError(.folder, "could not set the mode of \(path)") }
    }

    /// Lets other users traverse the folder: polkitd runs as its own user and must reach the bus, as must the users of
    /// a test.
    private func open() throws {
        for folder in [path, rules, noRules] { chmod(folder, 0o755) }
        var folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        while folder != "/" {
            var attributes = stat()
            guard unsafe stat(folder, &attributes) == 0, attributes.st_mode & S_IXOTH != 0 else {
                throw LabError(
                    .folder, "other users cannot traverse \(folder), and polkitd is another user; next: use a folder in /tmp")
            }
            folder = URL(fileURLWithPath: folder).deletingLastPathComponent().path
        }
    }

    private func chmod(_ path: String, _ mode: mode_t) {
        _ = unsafe Glibc.chmod(path, mode)
    }

    func delete() {
        try? FileManager.default.removeItem(atPath: path)
    }

    func write(_ text: String, to path: String) throws {
        do {
            try text.write(toFile: path, atomically: false, encoding: .utf8)
        } catch {
            throw LabError(.folder, "could not write \(path): \(error.localizedDescription)")
        }
        chmod(path, 0o644)
    }

    func text(of path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }

    /// The last lines of a part's log, for the error that reports why it did not start.
    func lastLines(of name: String) -> String {
        let lines = text(of: log(name)).split(separator: "\n")
        return lines.isEmpty ? "its log is empty" : "its last lines: " + lines.suffix(4).joined(separator: " / ")
    }
}
#endif
