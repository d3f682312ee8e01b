#if Tools
import ArgumentParser
import ThumbturnCommands
import ThumbturnServer

/// The commands for an incident. Each says what it will do and asks first. Running servers need no restart.
extension Accounts {
    struct SetPassword: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "password", abstract: "Sets an account's password, and ends all its sessions.",
            discussion: Password.help + " The answer to the question is the next line."
        )

        @OptionGroup var data: DataOptions
        @OptionGroup var confirmation: Confirmation

        @Argument(help: "The account's name.")
        var name: String

        func run() async throws {
            let server = try await data.server()
            _ = try await server.state(ofAccountNamed: name)
            let password = try Password.read()
            try confirmation.ask(
                """
                This sets the password of \(name), ends all sessions of the account, and makes its enrolments that are not \
                finished void. Its devices stay enrolled.
                """
            )
            try await server.setPassword(password, ofAccountNamed: name)
            print("The account \(name) has a new password. To remove its devices too: thumbturn-server accounts end \(name)")
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Switches an account off.",
            discussion: "Clients get the same answers as for an unknown account or a revoked device. The owner gets a notice."
        )

        @OptionGroup var data: DataOptions
        @OptionGroup var confirmation: Confirmation

        @Argument(help: "The account's name.")
        var name: String

        func run() async throws {
            let server = try await data.server()
            _ = try await server.state(ofAccountNamed: name)
            try confirmation.ask(
                """
                This switches \(name) off: its sessions end, and no sign-in, refresh, step-up, approval or enrolment is \
                accepted. Its devices and its password stay.
                """
            )
            try await server.disable(accountNamed: name)
            print("The account \(name) is off. To switch it on again: thumbturn-server accounts enable \(name)")
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Switches an account on again.",
            discussion: "Former sessions, tickets and signatures of approvals stay void. The owner gets a notice."
        )

        @OptionGroup var data: DataOptions
        @OptionGroup var confirmation: Confirmation

        @Argument(help: "The account's name.")
        var name: String

        func run() async throws {
            let server = try await data.server()
            _ = try await server.state(ofAccountNamed: name)
            try confirmation.ask("This switches \(name) on: its devices and its password are accepted again.")
            try await server.enable(accountNamed: name)
            print("The account \(name) is on.")
        }
    }

    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revokes all devices of an account and ends all its sessions.",
            discussion: "The account stays on: a person with its credentials can enrol a device. The owner gets notices."
        )

        @OptionGroup var data: DataOptions
        @OptionGroup var confirmation: Confirmation

        @Argument(help: "The account's name.")
        var name: String

        func run() async throws {
            let server = try await data.server()
            let devices = try await server.devices(ofAccountNamed: name).count
            try confirmation.ask(
                """
                This revokes the devices of \(name) (\(devices) now), ends all its sessions, and makes its enrolments that are \
                not finished void. A revoked device must be enrolled again with the account's credentials.
                """
            )
            let ended = try await server.end(accountNamed: name)
            print(
                """
                Revoked devices: \(ended). If the credentials are known to others as well: \
                thumbturn-server accounts password \(name)
                """
            )
        }
    }
}
#endif
