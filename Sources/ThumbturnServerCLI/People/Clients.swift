#if Tools
public import ArgumentParser
import Foundation
public import ThumbturnServer

struct Clients: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manages the back ends that may call this server.",
        discussion: "A back end signs with its own key (private_key_jwt, RFC 7523); the server knows only the public key.",
        subcommands: [Add.self, Change.self, List.self, Remove.self]
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

        @Option(help: "A JSON file with its limits: accounts, transactions, amounts and requests_per_minute.")
        var limits: String?

        @Flag(help: "Allows tokens that are not bound to a key. A leaked one can be used by anyone until it expires.")
        var allowBearer = false

        func run() async throws {
            let texts = try keys.map { path in
                guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { throw SetupError.unreadable(path) }
                return text
            }
            let server = try await data.server()
            var allowed = ClientLimits()
            if let limits { allowed = try await server.clientLimits(file: limits) }
            try await server.addClient(
                named: name, scopes: Set(scopes), keys: texts, limits: allowed, allowsBearer: allowBearer)
            print("The back end \(name) is registered. Its client_id is \(name).")
        }
    }

    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Changes what a back end may do, at once and for its open approvals too.",
            discussion: "Its keys, tokens and approvals stay. What is not named stays as it is."
        )

        @OptionGroup var data: DataOptions

        @Argument(help: "The back end's name.")
        var name: String

        @Option(help: "A JSON file with its limits, in place of all limits that it has.")
        var limits: String?

        @Flag(help: "Removes its limits.")
        var noLimits = false

        @Flag(
            inversion: .prefixedNo,
            help: "Allows tokens that are not bound to a key. A leaked one can be used by anyone until it expires.")
        var allowBearer: Bool?

        func validate() throws {
            guard limits == nil || !noLimits else { throw ValidationError("Give either --limits or --no-limits.") }
            guard limits != nil || noLimits || allowBearer != nil else {
                throw ValidationError("Give --limits, --no-limits, --allow-bearer or --no-allow-bearer.")
            }
        }

        func run() async throws {
            let server = try await data.server()
            var changed = noLimits ? ClientLimits() : nil
            if let limits { changed = try await server.clientLimits(file: limits) }
            try await server.changeClient(named: name, limits: changed, allowsBearer: allowBearer)
            print("The registration of \(name) is changed.")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the name, scopes, thumbprints of keys, kinds of tokens and limits of each back end.")

        @OptionGroup var data: DataOptions

        func run() async throws {
            let server = try await data.server()
            for client in try await server.clients() {
                let encoder = JSONEncoder()
                encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
                let limits = String(decoding: try encoder.encode(client.limits), as: UTF8.self)
                print(
                    client.name, client.scopes.map(\.rawValue).joined(separator: ","), client.keys.joined(separator: ","),
                    client.allowsBearer ? "dpop,bearer" : "dpop", limits, separator: "\t")
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
