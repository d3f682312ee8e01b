#if Tools
import ArgumentParser
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnServer

extension Accounts {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the name of each account, and whether it is on or off.")

        @OptionGroup var data: DataOptions

        func run() async throws {
            let store = try await data.server().service.store
            var last = ""
            while case let accounts = try await store.accounts(after: last, atMost: 1000), let end = accounts.last {
                for account in accounts {
                    print(Terminal.text(account.name), account.disabledAt == nil ? "on" : "off", separator: "\t")
                }
                last = end.name
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the state of an account: on or off, its group, credentials, wrong sign-ins and devices.")

        @OptionGroup var data: DataOptions

        @Argument(help: "The account's name.")
        var name: String

        func run() async throws {
            let server = try await data.server()
            let state = try await server.state(ofAccountNamed: name)
            print("account: \(Terminal.text(name)), made \(Terminal.text(state.createdAt))")
            print("state: \(state.disabledAt.map { "off since \(Terminal.text($0))" } ?? "on")")
            if let group = try await server.group(ofAccountNamed: name) { print("group: \(group)") }
            print("one-time codes: \(state.hasOneTimeCodes ? "required" : "not required")")
            print("recovery codes: \(state.recoveryCodes) unused")
            let pause = state.pausedUntil.map { ", paused until \(Terminal.text($0))" } ?? ""
            print("wrong sign-ins: \(state.wrongSignIns) in a row\(pause)")
            for device in try await server.devices(ofAccountNamed: name) {
                print("device: \(Terminal.text(device))")
            }
        }
    }
}

/// How values are printed for an operator.
enum Terminal {
    /// A name with a replacement character for each control and format character. A provider's subject and the name of a
    /// device may have any, and a terminal would obey them.
    static func text(_ name: String) -> String {
        String(
            String.UnicodeScalarView(
                name.unicodeScalars.map { scalar in
                    [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
                        ? "\u{FFFD}" : scalar
                }))
    }

    /// A device: its id, its name, the kinds of its keys and the restriction of its use.
    static func text(_ device: DeviceRecord) -> String {
        let kinds = device.keys.map(\.kind.rawValue) + (device.use.map { [$0.rawValue] } ?? [])
        return "\(device.id)  \(text(device.name))  \(kinds.joined(separator: ", "))"
    }

    /// A time in UTC, as ISO 8601 writes it.
    static func text(_ time: UnixTime) -> String {
        Date(timeIntervalSince1970: TimeInterval(time.seconds)).formatted(.iso8601)
    }
}
#endif
