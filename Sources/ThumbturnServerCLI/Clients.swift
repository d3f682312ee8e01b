#if Tools
public import ArgumentParser
import Foundation
public import ThumbturnServer

struct Clients: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manages the back ends that may call this server.",
        discussion: "A back end signs with its own key (private_key_jwt, RFC 7523); the server knows only the public key.",
        subcommands: [Add.self, List.self, Remove.self]
    )

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Registers a back end.")

        @OptionGroup var data: DataOptions

        @Argument(help: "The back end's name, which becomes its client_id.")
        var name: String

        @Option(name: .customLong("scope"), help: "A scope of the back end; may be given several times.")
        var scopes: [ClientScope]

        @Option(
            name: .customLong("key"),
            help: "A file with its public P-256 key: a JWK, or an SPKI in PEM. A second one lets it change keys without a gap."
        )
        var keys: [String]

        func run() async throws {
            let texts = try keys.map { path in
                guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { throw SetupError.unreadable(path) }
                return text
            }
            let server = try await data.server()
            try await server.addClient(named: name, scopes: Set(scopes), keys: texts)
            print("The back end \(name) is registered. Its client_id is \(name).")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the name, the scopes and the keys' thumbprints of each back end.")

        @OptionGroup var data: DataOptions

        func run() async throws {
            let server = try await data.server()
            for client in try await server.clients() {
                print(
                    client.name, client.scopes.map(\.rawValue).joined(separator: ","), client.keys.joined(separator: ","),
                    separator: "\t")
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Removes a back end. Its tokens are refused at once.")

        @OptionGroup var data: DataOptions

        @Argument(help: "The back end's name.")
        var name: String

        func run() async throws {
            let server = try await data.server()
            try await server.removeClient(named: name)
            print("The back end \(name) is removed.")
        }
    }
}

extension ClientScope: ExpressibleByArgument {}
#endif
