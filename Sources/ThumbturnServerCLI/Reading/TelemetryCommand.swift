#if Tools
import ArgumentParser
import ThumbturnCore
import ThumbturnServer
import ThumbturnTelemetry

struct TelemetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "telemetry", abstract: "Manages the write keys for reports of unlocks.",
        discussion: """
            A device with a session sends its reports with its own key and needs none of these. An app without accounts has a \
            write key in it, which anyone can read there: it can send reports and do nothing else.
            """,
        subcommands: [Key.self]
    )

    struct Key: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes, lists and removes write keys.", subcommands: [Add.self, List.self, Remove.self])
    }
}

extension TelemetryCommand.Key {
    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Makes a write key, and prints it once.")

        @OptionGroup var data: DataOptions

        @Argument(help: "The key's name, for example that of the app.")
        var name: String

        func run() async throws { print(try await data.server().addTelemetryKey(named: name)) }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Prints the name of each write key and the day it was made.")

        @OptionGroup var data: DataOptions

        func run() async throws {
            for key in try await data.server().service.store.telemetryKeys() {
                print(key.name, UTCDay.text(TelemetryDay(of: key.createdAt).number), separator: "\t")
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Removes a write key. It is refused at once; what it brought stays counted.")

        @OptionGroup var data: DataOptions

        @Argument(help: "The key's name.")
        var name: String

        func run() async throws {
            try await data.server().removeTelemetryKey(named: name)
            print("The write key \(name) is removed.")
        }
    }
}
#endif
