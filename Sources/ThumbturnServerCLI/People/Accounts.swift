#if Tools
import ArgumentParser
import Foundation
import ThumbturnCommands
import ThumbturnCore
import ThumbturnMessages
import ThumbturnServer

struct Accounts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manages the accounts that this server keeps itself.",
        subcommands: [
            Add.self, List.self, Show.self, SetPassword.self, Disable.self, Enable.self, End.self, OneTimeCodes.self,
            RecoveryCodes.self, Unlock.self, Group.self, Devices.self, Revoke.self,
        ]
    )

    struct OneTimeCodes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "totp",
            abstract: "Requires the codes of an authenticator app (RFC 6238) in addition to an account's password.",
            discussion:
                "Prints the address that the app reads, usually as a QR code. It is printed once; another call creates a new one."
        )

        @OptionGroup var data: DataOptions

        @Argument(help: "The account's name.")
        var name: String

        @Flag(help: "Stop requiring codes.")
        var remove = false

        func run() async throws {
            let server = try await data.server()
            if remove {
                try await server.removeOneTimeCodes(ofAccountNamed: name)
                print("The account \(name) no longer needs one-time codes.")
            } else {
                print(try await server.setOneTimeCodes(ofAccountNamed: name))
            }
        }
    }

    struct RecoveryCodes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates ten recovery codes for an account and invalidates all earlier ones.",
            discussion: "They are printed once. Each code works once, in place of the authenticator app or else of the password."
        )

        @OptionGroup var data: DataOptions

        @Argument(help: "The account's name.")
        var name: String

        func run() async throws {
            let server = try await data.server()
            for code in try await server.makeRecoveryCodes(ofAccountNamed: name) { print(code) }
        }
    }

    struct Unlock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ends the throttling of an account: of its password, and of its enrolments and key changes of the day.")

        @OptionGroup var data: DataOptions

        @Argument(help: "The account's name.")
        var name: String

        func run() async throws {
            let server = try await data.server()
            try await server.unlock(accountNamed: name)
            print("The account \(name) is no longer throttled.")
        }
    }

    struct Group: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Puts an account into a group of the evidence policy.",
            discussion: """
                From now on a key of the account authorises something only if it reaches the group's minimum, and the account \
                has no visits and no plain clients if the group demands a key. An empty name takes the account out.
                """
        )

        @OptionGroup var data: DataOptions

        @Argument(help: "The account's name.")
        var name: String

        @Argument(help: "The group, a name under \"groups\" in the evidence policy.")
        var group: String

        func run() async throws {
            try await data.server().setGroup(group, ofAccountNamed: name)
            print(group.isEmpty ? "The account \(name) is in no group." : "The account \(name) is in the group \(group).")
        }
    }

    struct Devices: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists an account's devices.")

        @OptionGroup var data: DataOptions

        @Argument(help: "The account's name.")
        var name: String

        func run() async throws {
            let server = try await data.server()
            for device in try await server.devices(ofAccountNamed: name) {
                print(Terminal.text(device))
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revokes a device and ends its sessions at once.",
            discussion: "For a person who has lost a device and has no other device to revoke it with."
        )

        @OptionGroup var data: DataOptions

        @Argument(help: "The account's name.")
        var name: String

        @Argument(help: "The device's id, as `thumbturn-server accounts devices NAME` prints it.")
        var device: String

        func run() async throws {
            let server = try await data.server()
            try await server.revoke(device, ofAccountNamed: name)
            print("The device is revoked.")
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates an account.",
            discussion: Password.help
        )

        @OptionGroup var data: DataOptions

        @Argument(help: "The name to sign in with.")
        var name: String

        func run() async throws {
            let password = try Password.read()
            let server = try await data.server(for: .adding)
            try await server.addAccount(named: name, password: password)
            print("The account \(name) is ready. Enrol a device with: thumbturn device enrol --server URL --account \(name)")
        }
    }
}
#endif
