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
        subcommands: [Add.self, OneTimeCodes.self, RecoveryCodes.self, Unlock.self, Devices.self, Revoke.self]
    )

    struct OneTimeCodes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "totp",
            abstract: "Asks for the codes of an authenticator app (RFC 6238) beside an account's password.",
            discussion:
                "Prints the address that such an app reads, often as a QR code. It is shown this once; running it again makes a new one."
        )

        @OptionGroup var data: DataOptions

        @Argument(help: "The account's name.")
        var name: String

        @Flag(help: "Asks for no codes from now on.")
        var remove = false

        func run() async throws {
            let server = try await Server(data.settings(publicURL: "http://localhost"))
            if remove {
                try await server.removeOneTimeCodes(ofAccountNamed: name)
                print("The account \(name) needs no one-time codes now.")
            } else {
                print(try await server.setOneTimeCodes(ofAccountNamed: name))
            }
        }
    }

    struct RecoveryCodes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes ten recovery codes for an account; all earlier ones are void.",
            discussion: "They are shown this once. Each replaces once what was lost: the authenticator app, or else the password."
        )

        @OptionGroup var data: DataOptions

        @Argument(help: "The account's name.")
        var name: String

        func run() async throws {
            let server = try await Server(data.settings(publicURL: "http://localhost"))
            for code in try await server.makeRecoveryCodes(ofAccountNamed: name) { print(code) }
        }
    }

    struct Unlock: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Lets an account's password be tried again after too many wrong sign-ins.")

        @OptionGroup var data: DataOptions

        @Argument(help: "The account's name.")
        var name: String

        func run() async throws {
            let server = try await Server(data.settings(publicURL: "http://localhost"))
            try await server.unlock(accountNamed: name)
            print("The account \(name) may be tried again.")
        }
    }

    struct Devices: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists an account's devices.")

        @OptionGroup var data: DataOptions

        @Argument(help: "The account's name.")
        var name: String

        func run() async throws {
            let server = try await Server(data.settings(publicURL: "http://localhost"))
            for device in try await server.devices(ofAccountNamed: name) {
                let kinds = device.keys.map(\.kind.rawValue) + (device.use.map { [$0.rawValue] } ?? [])
                print("\(device.id)  \(device.name)  \(kinds.joined(separator: ", "))")
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Ends a device and its sessions, at once.",
            discussion: "For somebody who lost a device and has no other one to end it with."
        )

        @OptionGroup var data: DataOptions

        @Argument(help: "The account's name.")
        var name: String

        @Argument(help: "The device's id; see: thumbturn-server accounts devices NAME")
        var device: String

        func run() async throws {
            let server = try await Server(data.settings(publicURL: "http://localhost"))
            try await server.revoke(device, ofAccountNamed: name)
            print("The device is revoked.")
        }
    }

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes an account.",
            discussion: Password.help
        )

        @OptionGroup var data: DataOptions

        @Argument(help: "The name to sign in with.")
        var name: String

        func run() async throws {
            let password = try Password.read()
            // No token is made here, so the public address does not matter.
            let server = try await Server(data.settings(publicURL: "http://localhost"))
            try await server.addAccount(named: name, password: password)
            print("The account \(name) is ready. Enrol a device with: thumbturn device enrol --server URL --account \(name)")
        }
    }
}
#endif
