#if LinuxDevice && os(Linux)
import Foundation
import Glibc
import Testing

@testable import ThumbturnLinuxLab

/// The sockets by which the lab talks to its parts.
@Suite struct LocalSocketTests {
    @Test func aConnectionThatFailsClosesItsOwnDescriptorAlone() async throws {
        let scratch = try Scratch()
        let path = "\(scratch.path)/none"
        let opening = Task.detached {
            var closedByOthers = 0
            while !Task.isCancelled {
                let descriptor = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
                let isOpen = fcntl(descriptor, F_GETFD) >= 0
                if close(descriptor) != 0 || !isOpen { closedByOthers += 1 }
            }
            return closedByOthers
        }
        for _ in 0..<20_000 { #expect(throws: LabError.self) { try LocalSocket(connectingTo: path, timeout: 1) } }
        opening.cancel()
        #expect(await opening.value == 0)
    }
}
#endif
