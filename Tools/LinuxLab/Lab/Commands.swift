#if os(Linux)
/// The command lines of the parts.
enum Commands {
    static func tpm(state: String, port: UInt16) throws -> [String] {
        [
            try Programs.swtpm.find(), "socket", "--tpm2", "--tpmstate", "dir=\(state)",
            "--server", "type=tcp,port=\(port),bindaddr=127.0.0.1",
            // libtss2 expects the control channel at the next port.
            "--ctrl", "type=tcp,port=\(port + 1),bindaddr=127.0.0.1",
            "--flags", "not-need-init,startup-clear",
        ]
    }

    static func bus(configuration: String) throws -> [String] {
        [try Programs.busDaemon.find(), "--config-file=\(configuration)", "--nofork", "--nopidfile", "--print-address=1"]
    }

    /// polkitd reads rules only from two fixed folders. In a mount namespace of its own, the lab's folder is mounted
    /// over the first and an empty one over the second. `exec` keeps the process id.
    static func policy(rules: String, noRules: String) throws -> [String] {
        let script = """
            set -e
            mount --bind "$1" /etc/polkit-1/rules.d
            if [ -d /usr/share/polkit-1/rules.d ]; then mount --bind "$2" /usr/share/polkit-1/rules.d; fi
            exec "$3"
            """
        return [
            try Programs.unshare.find(), "--mount", "/bin/sh", "-c", script, "sh", rules, noRules, try Programs.polkitd.find(),
        ]
    }

    /// `-t` keeps fprintd running while it is unused.
    static func fingerprints() throws -> [String] {
        [try Programs.fprintd.find(), "-t"]
    }

    /// The whitelist keeps libfprint from using the machine's own reader.
    static func fingerprintVariables(for folder: LabFolder) -> [String: String] {
        [
            "STATE_DIRECTORY": folder.prints, "FP_VIRTUAL_IMAGE": folder.reader, "FP_DRIVERS_WHITELIST": "virtual_image",
            "G_MESSAGES_DEBUG": "all",
        ]
    }
}
#endif
