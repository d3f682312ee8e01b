#if os(Linux)
import Foundation
import Glibc
import TestSupport
import Testing

@testable import ThumbturnLinuxLab

/// The folder of a matcher that runs as another user. Only root can give files to that user.
@Suite(.enabled(if: geteuid() == 0)) struct MatcherFolderTests {
    private let path = "/tmp/thumbturn-folder-\(UUID().uuidString)"

    /// The owner and the mode, such as `0 755`.
    private func attributes(_ path: String) throws -> String {
        var attributes = stat()
        guard unsafe lstat(path, &attributes) == 0 else { return "missing" }
        return "\(attributes.st_uid) " + String(attributes.st_mode & 0o7777, radix: 8)
    }

    @Test func onlyTheStateAndTheSocketAreTheMatchersOwn() async throws {
        let folder = try MatcherFolder(at: path, program: "/bin/true", user: "nobody")
        defer { folder.delete() }
        for place in [folder.path, folder.program] { #expect(try attributes(place) == "0 755") }
        #expect(try attributes(folder.state) == "65534 700")
        #expect(try attributes("\(path)/run") == "65534 755")
        // No process of that user exchanges the program, or puts another one in its place.
        for command in ["cp /bin/false \(folder.program)", "mv \(folder.program) \(path)/run/", "touch \(path)/another"] {
            let finished = try await Built.run(
                "/usr/bin/setpriv",
                ["--reuid", "nobody", "--regid", "nogroup", "--clear-groups", "/bin/sh", "-c", command]
            )
            #expect(finished.status != 0, "\(command)")
        }
    }

    @Test func aFolderOrALinkThatExistsIsNotUsed() throws {
        let files = FileManager.default
        let (target, link) = ("\(path)-target", "\(path)-link")
        try files.createDirectory(atPath: target, withIntermediateDirectories: true)
        try files.createSymbolicLink(atPath: link, withDestinationPath: target)
        defer { for place in [target, link] { try? files.removeItem(atPath: place) } }
        for place in [target, link] {
            #expect(throws: LabError.self) { try MatcherFolder(at: place, program: "/bin/true", user: "nobody") }
            #expect(throws: LabError.self) { try LabFolder(at: place, parts: []) }
        }
        #expect(try files.contentsOfDirectory(atPath: target).isEmpty)
        #expect(try files.destinationOfSymbolicLink(atPath: link) == target, "what exists stays as it is")
    }
}
#endif
