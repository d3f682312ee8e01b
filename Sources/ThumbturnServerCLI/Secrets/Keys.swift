#if Tools
import ArgumentParser
import ThumbturnServer

struct Keys: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manages the keys that sign access tokens.", subcommands: [Rotate.self, Revoke.self, List.self, Export.self]
    )

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Creates a new key.",
            discussion: """
                The key is published within a minute and signs ten minutes later, when every server that caches the key set has \
                fetched it. The old key stays published until the last token that it signed has expired. Running servers need no \
                restart.
                """
        )

        @OptionGroup var data: DataOptions

        func run() async throws {
            let server = try await data.server()
            try await server.rotateTokenKey()
            print("A new key is created. It is published within a minute, and signs in ten minutes.")
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revokes a key at once, for example because it has leaked.",
            discussion: """
                Running servers refuse the key's tokens from now on, and drop it from the key set. If it was the signing one, \
                a new key signs at once. A service that keeps a copy of the key set accepts the key's tokens until it fetches \
                the set again: within five minutes, or fifteen if it cannot reach this server. Receipts that the key has \
                signed cannot be told from forged ones any more, so `keys export` leaves the key out.
                """
        )

        @OptionGroup var data: DataOptions
        @OptionGroup var confirmation: Confirmation

        @Argument(help: "The key's id, as `thumbturn-server keys list` prints it.")
        var kid: String

        func run() async throws {
            let server = try await data.server()
            guard try await server.tokenKeys().contains(where: { $0.kid == kid }) else { throw SetupError.tokenKeyUnknown(kid) }
            try confirmation.ask("The tokens and receipts that the key \(kid) has signed are refused from now on.")
            try await server.revokeTokenKey(kid)
            print("The key is revoked. See: thumbturn-server keys list")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the id and the state of each key.")

        @OptionGroup var data: DataOptions

        func run() async throws {
            let server = try await data.server()
            for key in try await server.tokenKeys() { print(key.kid, key.state, separator: "\t") }
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints all public keys, also the retired ones, as a JWK set, to verify old signatures.")

        @OptionGroup var data: DataOptions

        @Flag(help: "Print the revoked keys, too. An attacker who has such a key can sign receipts of any time.")
        var withRevoked = false

        func run() async throws {
            let server = try await data.server()
            print(try await server.archivedJWKS(withRevoked: withRevoked))
        }
    }
}
#endif
