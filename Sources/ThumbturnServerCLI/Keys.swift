#if Tools
import ArgumentParser
import ThumbturnServer

struct Keys: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Manages the keys that sign access tokens.", subcommands: [Rotate.self, List.self, Export.self]
    )

    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Makes a new key.",
            discussion: """
                It is published within a minute, and signs ten minutes later; by then everybody who keeps a copy of the key set knows \
                it. The old one stays published until the last token that it signed has ended. Running servers need no restart.
                """
        )

        @OptionGroup var data: DataOptions

        func run() async throws {
            let server = try await data.server()
            try await server.rotateTokenKey()
            print("A new key is there. It is published within a minute, and signs in ten minutes.")
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints each key: its id, and whether it waits, signs, stays or is retired.")

        @OptionGroup var data: DataOptions

        func run() async throws {
            let server = try await data.server()
            for key in try await server.tokenKeys() { print(key.kid, key.state, separator: "\t") }
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints all public keys there ever were as a JWK set, for judging what was signed long ago.")

        @OptionGroup var data: DataOptions

        func run() async throws {
            let server = try await data.server()
            print(try await server.archivedJWKS())
        }
    }
}
#endif
