#if os(Linux)
import Glibc

/// The programs of the lab and their Debian packages.
enum Programs {
    struct Program: Sendable {
        var paths: [String]
        var package: String

        /// The first of its paths that is executable.
        func find() throws(LabError) -> String {
            for path in paths where unsafe access(path, X_OK) == 0 { return path }
            throw LabError(.missingProgram, "\(paths[0]) is not installed; next: apt-get install \(package)")
        }
    }

    static let swtpm = Program(paths: ["/usr/bin/swtpm"], package: "swtpm swtpm-tools")
    static let setup = Program(paths: ["/usr/bin/swtpm_setup"], package: "swtpm-tools")
    static let localCA = Program(paths: ["/usr/bin/swtpm_localca"], package: "swtpm-tools")
    static let tpm2GetCap = Program(paths: ["/usr/bin/tpm2_getcap"], package: "tpm2-tools")
    static let busDaemon = Program(paths: ["/usr/bin/dbus-daemon"], package: "dbus")
    static let busMonitor = Program(paths: ["/usr/bin/dbus-monitor"], package: "dbus-bin")
    static let busSend = Program(paths: ["/usr/bin/dbus-send"], package: "dbus-bin")
    static let polkitd = Program(paths: ["/usr/lib/polkit-1/polkitd", "/usr/libexec/polkitd"], package: "polkitd")
    static let fprintd = Program(paths: ["/usr/libexec/fprintd", "/usr/lib/fprintd"], package: "fprintd")
    static let enroll = Program(paths: ["/usr/bin/fprintd-enroll"], package: "fprintd")
    static let unshare = Program(paths: ["/usr/bin/unshare"], package: "util-linux")
    static let setpriv = Program(paths: ["/usr/bin/setpriv"], package: "util-linux")

    /// The environment of every program of the lab. It contains nothing of the caller's environment; messages are in
    /// English.
    static let environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent"]

    /// Throws for the first program that these parts need and that is not installed.
    static func check(for parts: Set<LinuxLab.Part>, endorsed: Bool) throws {
        if parts.contains(.tpm) { _ = try swtpm.find() }
        if endorsed {
            for program in [setup, localCA] { _ = try program.find() }
        }
        if parts.contains(.bus) {
            for program in [busDaemon, busMonitor, busSend] { _ = try program.find() }
        }
        if parts.contains(.policy) {
            for program in [polkitd, unshare] { _ = try program.find() }
        }
        if parts.contains(.fingerprints) {
            for program in [fprintd, enroll] { _ = try program.find() }
        }
    }
}
#endif
