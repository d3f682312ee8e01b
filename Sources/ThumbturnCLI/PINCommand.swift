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
                    throw ValidationError("This device has no PIN yet. Set one with: thumbturn device pin reset --account NAME")
                }
                try await auth.changePIN("Change the PIN.", policy: device.policy)
                try device.output.report("The PIN is changed. The old PIN no longer works.", Done())
            }
        }
    }

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sets a new PIN with the account's password, for a person who forgot the old one or never had one.",
            discussion: Password.help
        )

        @OptionGroup var device: DeviceOptions

        @Option(help: "The account's name.")
        var account: String

        func run() async throws {
            try await device.output.run {
                let signIn = PasswordSignIn(account: account, password: try Password.read())
                try await device.authenticator().resetPIN(with: signIn)
                try device.output.report("The new PIN is set.", Done())
            }
        }
    }

    private struct Done: Encodable { var changed = true }
}
#endif
