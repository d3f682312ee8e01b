#if LinuxDevice && os(Linux)
import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnLinuxLab

@testable import ThumbturnMatcher

/// The tests on a real TPM and a real reader. They run one after the other, because there is one of each.
@Suite(.serialized) enum RealParts {}

/// Runs a test on real parts after checking that they are the real ones. If a part is missing, the test is skipped with a printed
/// line.
struct Real: TestTrait, TestScoping {
    let parts: [LinuxLab.Part]

    @concurrent func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        let lab = try await Self.lab.value
        // Parts that an earlier test killed are started again, and its remaining presses are discarded.
        for part in [LinuxLab.Part.tpm, .bus, .policy, .fingerprints] where await lab.processID(of: part) == nil {
            if Self.readerIsHere || part == .tpm { try await lab.restart(part) }
        }
        await lab.forgetPresses()
        await lab.whenAsked(nil)
        try await lab.verifyPeers()
        do {
            try await function()
        } catch {
            try? Self.tidy(lab.tcti)
            throw error
        }
        Self.note(test, parts)
        if await lab.processID(of: .tpm) != nil { try Self.tidy(lab.tcti) }
    }

    static let tpmIsHere = Requirement.tpm.isMet(
        isInstalled("/usr/bin/swtpm") && isInstalled("/usr/bin/tpm2_getcap"), needs: "swtpm and tpm2-tools")
    static let endorsementIsHere =
        tpmIsHere && Requirement.tpm.isMet(isInstalled("/usr/bin/swtpm_setup"), needs: "swtpm-tools")
    static let readerIsHere = Requirement.fprintd.isMet(
        isInstalled("/usr/libexec/fprintd") && isInstalled("/usr/bin/fprintd-enroll") && isInstalled("/usr/bin/dbus-daemon")
            && isInstalled("/usr/lib/polkit-1/polkitd") && geteuid() == 0,
        needs: "fprintd, polkitd and dbus-daemon, and root, because polkit starts as root"
    )

    /// The lab of all tests. It ends with this process.
    static let lab = Task {
        try await LinuxLab.start(
            in: "/tmp/thumbturn-tests-\(UUID().uuidString)", parts: readerIsHere ? [.tpm, .fingerprints] : [.tpm]
        )
    }

    private static func isInstalled(_ path: String) -> Bool { FileManager.default.isExecutableFile(atPath: path) }

    /// Removes the indexes that a test left, because the TPM's memory is small.
    private static func tidy(_ tcti: String) throws {
        try TPM.connected(tcti) { tpm throws(TPMError) in
            for handle in try tpm.handles(from: 0x0180_7400) where handle < 0x0180_7600 { try tpm.undefine(handle) }
        }
    }

    /// Writes one line for a finished test, which `scripts/test` counts.
    private static func note(_ test: Test, _ parts: [LinuxLab.Part]) {
        guard let path = ProcessInfo.processInfo.environment["THUMBTURN_REAL_TESTS"],
            let file = FileHandle(forWritingAtPath: path)
        else { return }
        file.seekToEndOfFile()
        let names = parts.map { $0 == .tpm ? "tpm" : "reader" }.joined(separator: " ")
        file.write(Data("\(names) \(test.name)\n".utf8))
    }
}

extension Trait where Self == Real {
    static var tpm: Real { Real(parts: [.tpm]) }
    static var reader: Real { Real(parts: [.fingerprints]) }
    static var tpmAndReader: Real { Real(parts: [.tpm, .fingerprints]) }
}

/// A folder for one test.
final class Scratch: Sendable {
    let path = "/tmp/thumbturn-scratch-\(UUID().uuidString)"
    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: path) }
}

func key(_ kind: KeyKind, _ account: String = "ada") -> KeyName {
    KeyName(server: "https://id.example", account: account, enrolment: 3, kind: kind)
}
#endif
