#if Tools && os(Linux)
import Foundation
import TestSupport
import Testing
import ThumbturnLinuxLab

@testable import ThumbturnLinux

extension RealParts {
    /// `thumbturn doctor` and `thumbturn device --keys tpm`, run as processes on a working machine and on ones with missing
    /// parts.
    @Suite(.enabled(if: Real.tpmIsHere && Real.readerIsHere)) struct DoctorTests {
        struct Row: Decodable {
            var part: String
            var state: String
            var found: String
            var remedy: String?
        }

        private func doctor(_ device: MatchedDevice, _ more: [String] = []) async throws -> Finished {
            try await Built.run(Built.path("thumbturn"), ["doctor"] + addresses(device) + more)
        }

        private func addresses(_ device: MatchedDevice) -> [String] {
            ["--tcti", device.lab.tcti, "--matcher", device.socket, "--bus", device.lab.busAddress]
        }

        /// Runs the doctor and returns the parts in trouble, each of which must have a remedy.
        private func troubles(_ device: MatchedDevice) async throws -> [String] {
            let finished = try await doctor(device, ["--json"])
            let rows = try JSONDecoder().decode([Row].self, from: Data(finished.output.utf8))
            let troubles = rows.filter { $0.state == "trouble" }
            #expect(troubles.allSatisfy { $0.remedy?.isEmpty == false })
            #expect(finished.status == (troubles.isEmpty ? 0 : 1))
            return troubles.map(\.part)
        }

        @Test(.tpmAndReader) func aWorkingMachineHasNoTrouble() async throws {
            let device = try await MatchedDevice.adas()
            let finished = try await doctor(device)
            #expect(finished.status == 0, "\(finished.output)\(finished.errors)")
            for words in [
                "TPM: IBM SW", "a simulator", "Not locked out", "reader “Virtual image", "right-index-finger", "Answers at",
            ] {
                #expect(finished.output.contains(words), "\(words) is not in: \(finished.output)")
            }
            #expect(try await troubles(device).isEmpty)
        }

        @Test(.tpmAndReader) func eachBrokenPartIsNamedWithItsRemedy() async throws {
            let device = try await MatchedDevice.adas()
            await device.lab.kill(.tpm)
            #expect(try await troubles(device) == ["TPM", "thumbturn-matcherd"])
            try await device.lab.restart(.tpm)
            try await device.lab.deletePrints(user: People.user)
            #expect(try await troubles(device) == ["fprintd", "matcher's reader"])
            await device.lab.kill(.fingerprints)
            #expect(try await troubles(device) == ["fprintd", "matcher's reader"])
            await device.lab.kill(.tpm)
            // The matcher needs no TPM for a user without prints.
            #expect(try await troubles(device) == ["TPM", "fprintd", "matcher's reader"])
            device.stop()
            let finished = try await doctor(device, ["--server", "http://127.0.0.1:1"])
            #expect(finished.status == 1)
            for words in ["Is it running, and is --tcti", "apt-get install fprintd", "systemctl start", "is the address right?"] {
                #expect(finished.output.contains(words), "\(words) is not in: \(finished.output)")
            }
        }

        @Test(.tpmAndReader) func aUserWithoutPermissionIsToldSo() async throws {
            let device = try await MatchedDevice.adas()
            // polkit lets root do everything, so another user runs a copy of the program in a folder that the user can reach.
            let program = "\(device.scratch.path)/thumbturn"
            try FileManager.default.copyItem(atPath: Built.path("thumbturn"), toPath: program)
            let finished = try await Built.run(
                "/usr/bin/setpriv",
                ["--reuid", "nobody", "--regid", "nogroup", "--clear-groups", program, "doctor"] + addresses(device)
            )
            #expect(finished.status == 1)
            #expect(finished.output.contains("This user may not use fprintd"), "\(finished.output)\(finished.errors)")
            #expect(finished.output.contains("polkit rule"))
        }

        @Test(.tpmAndReader) func aLockedOutTPMIsReported() async throws {
            let device = try await MatchedDevice.adas()
            // A wrong guess at a protected value activates the TPM's dictionary attack protection.
            let setUp = try await device.lab.run(
                "tpm2_dictionarylockout", ["--setup-parameters", "--max-tries=1", "--recovery-time=1000"])
            #expect(setUp.status == 0, "\(setUp.output)")
            let context = "\(device.scratch.path)/guarded"
            _ = try await device.lab.run("tpm2_createprimary", ["-C", "o", "-c", context, "-p", "right"])
            _ = try await device.lab.run(
                "tpm2_create", ["-C", context, "-P", "wrong", "-u", "\(context).pub", "-r", "\(context).priv"])
            let troubles = try await troubles(device)
            let cleared = try await device.lab.run("tpm2_dictionarylockout", ["--clear-lockout"])
            // The TPM counts its own kill as a wrong guess, so the limit is raised for the tests that kill it.
            _ = try await device.lab.run(
                "tpm2_dictionarylockout", ["--setup-parameters", "--max-tries=1000", "--recovery-time=1000"])
            #expect(troubles == ["TPM lockout"])
            #expect(cleared.status == 0, "\(cleared.output)")
            for handle in ["-t", "-l", "-s"] { _ = try await device.lab.run("tpm2_flushcontext", [handle]) }
        }

        @Test func withoutATPMTheDeviceOffersSoftwareKeysByTheirName() async throws {
            let finished = try await Built.run(
                Built.path("thumbturn"),
                [
                    "device", "status", "--server", "http://127.0.0.1:1", "--keys", "tpm", "--sensor", "fprintd", "--tcti",
                    "swtpm:port=1",
                ]
            )
            #expect(finished.status == 69)
            #expect(finished.errors.contains("no TPM at swtpm:port=1"))
            #expect(
                finished.errors.contains("software keys, for development, which any process that can read their files can use"))
        }

        @Test func theMatcherExplainsItself() async throws {
            let help = try await Built.run(Built.path("thumbturn-matcherd"), ["--help"])
            #expect(help.status == 0 && help.output.contains("USAGE"))
            let folder = Built.temporaryFolder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let nowhere = try await Built.run(
                Built.path("thumbturn-matcherd"), ["--socket", "/nonexistent/socket", "--folder", folder])
            #expect(nowhere.status == 73 && nowhere.errors.contains("/nonexistent/socket"))
            let long = "/tmp/" + String(repeating: "x", count: 120)
            let tooLong = try await Built.run(Built.path("thumbturn-matcherd"), ["--socket", long, "--folder", folder])
            #expect(tooLong.status == 73 && tooLong.errors.contains("107 bytes"))
        }
    }
}
#endif
