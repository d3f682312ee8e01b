#if os(Linux)
import Foundation
import Glibc

extension LinuxLab {
    /// Checks that the real parts answer, and no substitutes.
    ///
    /// The TPM must name IBM's reference implementation, on which libtpms is based, as its manufacturer. The bus names
    /// of fprintd and polkitd must belong to the processes that this lab started, and these must run the installed
    /// programs.
    ///
    /// - Throws: `LabError.Code.wrongPeer` with the peer that answered instead.
    public func verifyPeers() async throws {
        if processID(of: .tpm) != nil { try await verifyTPM() }
        if processID(of: .policy) != nil {
            try await verify("org.freedesktop.PolicyKit1", is: .policy, running: Programs.polkitd)
        }
        if processID(of: .fingerprints) != nil {
            try await verify("net.reactivated.Fprint", is: .fingerprints, running: Programs.fprintd)
        }
    }

    private func verifyTPM() async throws {
        let answer = try await mustRun("tpm2_getcap", ["properties-fixed"])
        let manufacturer = Self.property("TPM2_PT_MANUFACTURER", in: answer)
        let vendor = (1...4).map { Self.property("TPM2_PT_VENDOR_STRING_\($0)", in: answer) ?? "" }.joined()
        guard manufacturer == "IBM", vendor.hasPrefix("SW"), vendor.contains("TPM") else {
            throw LabError(
                .wrongPeer, "a TPM by \(manufacturer ?? "an unknown manufacturer") (\(vendor)) answers instead of swtpm")
        }
        try verifyProgram(of: .tpm, is: Programs.swtpm)
    }

    private func verify(_ name: String, is part: Part, running program: Programs.Program) async throws {
        let answer = try await mustRun(
            "dbus-send",
            [
                "--bus=\(busAddress)", "--print-reply=literal", "--dest=org.freedesktop.DBus", "/",
                "org.freedesktop.DBus.GetConnectionUnixProcessID", "string:\(name)",
            ])
        let owner = answer.split(whereSeparator: \.isWhitespace).last.flatMap { Int32($0) }
        guard let owner, owner == processID(of: part) else {
            throw LabError(.wrongPeer, "\(name) belongs to process \(owner ?? 0), which this lab did not start")
        }
        try verifyProgram(of: part, is: program)
    }

    private func verifyProgram(of part: Part, is program: Programs.Program) throws {
        let runs = processID(of: part).flatMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\($0)/exe") }
        let installed = URL(fileURLWithPath: try program.find()).resolvingSymlinksInPath().path
        guard let runs, runs == installed else {
            throw LabError(.wrongPeer, "\(part.rawValue) runs \(runs ?? "nothing") instead of \(installed)")
        }
    }

    /// The quoted value of a property in `tpm2_getcap`'s output, which has the name, the raw value and the value on a
    /// line each.
    private static func property(_ name: String, in text: String) -> String? {
        guard let start = text.range(of: "\(name):\n") else { return nil }
        let value = text[start.upperBound...].split(separator: "\n").prefix(2).first { $0.contains("value:") }
        guard let value, let open = value.firstIndex(of: "\""), let close = value.lastIndex(of: "\""), open < close else {
            return nil
        }
        return String(value[value.index(after: open)..<close])
    }
}
#endif
