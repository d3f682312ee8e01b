#if Tools
import ArgumentParser
import ThumbturnServer

struct Keys: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manages the keys that sign access tokens.", subcommands: [Rotate.self, List.self, Export.self]
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

        func run() async throws {
            let server = try await data.server()
            print(try await server.archivedJWKS())
        }
    }
}
#endif
