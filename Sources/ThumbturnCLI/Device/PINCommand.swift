#if Tools
import ArgumentParser
import Thumbturn
import ThumbturnCommands

struct PINCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin", abstract: "Changes or resets this device's PIN.", subcommands: [Change.self, Reset.self]
    )

    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Changes the PIN, authorised by the sensor or the old PIN.",
            discussion: "The new PIN is read from the environment variable THUMBTURN_NEW_PIN or from the terminal."
        )

        @OptionGroup var device: DeviceOptions

        func run() async throws {
            try await device.output.run {
                let auth = try device.authenticator()
                let readiness = await auth.readiness(for: device.policy)
                guard !readiness.isEnrolled || readiness.state(of: .pin) != .missing else {
                    let command = "thumbturn device pin reset --account NAME, or with --issuer and --client-id"
                    throw ValidationError("This device has no PIN yet. Set one with: \(command)")
                }
                try await auth.changePIN("Change the PIN.", policy: device.policy)
                try device.output.report("The PIN is changed. The old PIN no longer works.", Done())
            }
        }
    }

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sets a new PIN with a full sign-in, for a person who forgot the old one or never had one.",
            discussion: """
                \(Password.help)

                With --issuer and --client-id the person signs in at the app's own OpenID provider, which is asked for a new \
                sign-in.
                """
        )

        @OptionGroup var device: DeviceOptions

        @OptionGroup var provider: ProviderOptions

        @Option(help: "The account's name. An account of a provider has none here.")
        var account: String?

        func validate() throws {
            try provider.validate()
            guard (account == nil) == (provider.issuer != nil) else {
                throw ValidationError("A new PIN needs either --account or --issuer with --client-id.")
            }
        }

        func run() async throws {
            try await device.output.run {
                let auth = try device.authenticator()
                if let account {
                    try await auth.resetPIN(with: PasswordSignIn(account: account, password: try Password.read()))
                } else {
                    try await auth.resetPIN(with: try provider.signIn(on: auth.platform))
                }
                try device.output.report("The new PIN is set.", Done())
            }
        }
    }

    private struct Done: Encodable { var changed = true }
}
#endif
