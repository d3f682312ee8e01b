#if Tools
import ArgumentParser
import ThumbturnServer

struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Writes a copy of the database to a file, while servers run.",
        discussion: "The master key is not in it, and without it the copy is of no use: keep it elsewhere."
    )

    @OptionGroup var data: DataOptions

    @Argument(help: "The file; it must not exist.")
    var file: String

    func run() async throws {
        let server = try await data.server()
        try await server.backUp(to: file)
        print("Everything is in \(file).")
    }
}

struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Puts a backup in the place of the database, and begins a new epoch.",
        discussion: """
            The backup has forgotten what was used since. So everybody signs in again, and unfinished approvals end. Devices that were \
            revoked since are enrolled again, and wrong PINs since are forgotten: revoke such devices anew. Servers that run \
            refuse what comes first, read the new secrets, and go on.
            """
    )

    @OptionGroup var data: DataOptions

    @Argument(help: "A file that thumbturn-server backup has made.")
    var file: String

    func run() async throws {
        let server = try await data.server()
        try await server.restore(from: file)
        print("\(file) is restored, and a new epoch has begun: everybody signs in again.")
    }
}

struct NewEpoch: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Begins a new epoch: everybody signs in again.",
        discussion: """
            Needed after the machine was set back as a whole, as by a snapshot of its disk; a database that was put in the place of a \
            newer one, and a data folder that was copied, are noticed at the next start. Servers that run \
            refuse what comes first, read the new secrets, and go on.
            """
    )

    @OptionGroup var data: DataOptions

    func run() async throws {
        let server = try await data.server()
        try await server.beginEpoch()
        print("A new epoch has begun: everybody signs in again.")
    }
}
#endif
