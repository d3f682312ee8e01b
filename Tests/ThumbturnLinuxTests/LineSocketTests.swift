#if LinuxDevice && os(Linux)
import Foundation
import Glibc
import Testing
import ThumbturnCore

@testable import ThumbturnMatcher

/// The socket between devices and the matcher.
@Suite struct LineSocketTests {
    @Test(.timeLimit(.minutes(1))) func aClientThatDoesNotReadHoldsUpItsSenderForALimitedTime() throws {
        var ends: [Int32] = [0, 0]
        let made = unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends)
        try #require(made == 0)
        let (line, client) = (LineSocket(ends[0]), LineSocket(ends[1]))
        let text = String(repeating: "x", count: 4096)
        var sent = 0
        while line.send(text, within: .milliseconds(10)) { sent += 1 }
        #expect(sent > 0)
        #expect(client.receive(String.self, within: .seconds(10)) == text, "what was sent in time arrives")
    }

    @Test func onlyTheOwnerAndTheGroupMayConnect() throws {
        let scratch = try Scratch()
        func attributes(_ group: gid_t?, _ name: String) throws -> stat {
            let path = "\(scratch.path)/\(name)"
            let listener = try #require(LineSocket.listen(at: path, group: group))
            defer { close(listener) }
            var attributes = stat()
            let found = unsafe stat(path, &attributes)
            #expect(found == 0)
            return attributes
        }
        #expect(try attributes(nil, "own").st_mode & 0o777 == 0o600)
        let shared = try attributes(getegid(), "shared")
        #expect(shared.st_mode & 0o777 == 0o660 && shared.st_gid == getegid())
        guard geteuid() == 0 else { return }
        #expect(try attributes(65_534, "given").st_gid == 65_534)
    }

    @Test func aProgramThatIsNotTheFoldersOwnerIsNotAsked() throws {
        let scratch = try Scratch()
        let path = "\(scratch.path)/matcher"
        let listener = try #require(LineSocket.listen(at: path, group: nil))
        defer { close(listener) }
        let line = try #require(LineSocket(path: path))
        for (mode, isAccepted) in [(mode_t(0o755), true), (0o700, true), (0o775, false), (0o757, false)] {
            unsafe chmod(scratch.path, mode)
            #expect(line.isServedByOwner(ofFolderOf: path) == isAccepted, "\(mode)")
        }
        #expect(throws: Failure.self) { try MatcherConnection(socket: path).identity() }
        guard geteuid() == 0 else { return }
        unsafe chmod(scratch.path, 0o755)
        unsafe chown(scratch.path, 65_534, 65_534)
        do throws(Failure) {
            _ = try MatcherConnection(socket: path).identity()
            Issue.record("another user's program was asked")
        } catch {
            #expect(error.status?.domain == "matcher.unknown")
        }
    }
}
#endif
