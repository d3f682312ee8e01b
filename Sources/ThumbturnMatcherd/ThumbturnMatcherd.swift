#if Tools && os(Linux)
import ArgumentParser

@main
struct ThumbturnMatcherd: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "thumbturn-matcherd",
        abstract: "Asks for fingers and authorises one TPM signature for each match.",
        discussion: """
            The matcher holds the key whose signature biometric keys in the TPM require. For each request it reads what will \
            be signed, shows the purpose, has fprintd verify a finger of the user who asks, and authorises one use of one key. \
            When a finger is enrolled or removed, even while the matcher is stopped, all biometric keys of that user become \
            unusable for good.

            Run it as a user of its own; docs/linux.md has a unit for systemd, the polkit rule and the rest.
            """,
        subcommands: [Serve.self, Unlock.self],
        defaultSubcommand: Serve.self
    )
}
#else
@main
struct ThumbturnMatcherd {
    static func main() {
        print("thumbturn-matcherd runs on Linux. Build it with: swift build --traits Tools")
    }
}
#endif
