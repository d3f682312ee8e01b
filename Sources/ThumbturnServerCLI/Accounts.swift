#if Tools
import ArgumentParser
import Foundation
import ThumbturnCommands
import ThumbturnCore
import ThumbturnServer

struct Accounts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manages the accounts that this server keeps itself.", subcommands: [Add.self, Devices.self, Revoke.self]
    )

    struct Devices: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Lists an account's devices.")

        @OptionGroup var data: DataOptions

        @Argument(help: "The account's name.")
        var name: String

        func run() async throws {
            let server = try await Server(data.settings(publicURL: "http://localhost"))
            for device in try await server.devices(ofAccountNamed: name) {
                let kinds = device.keys.map(\.kind.rawValue).joined(separator: ", ")
                print("\(device.id)  \(device.name)  \(kinds)")
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
