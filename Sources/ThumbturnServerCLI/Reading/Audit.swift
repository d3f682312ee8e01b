#if Tools
public import ArgumentParser
import Foundation
import ThumbturnCore
public import ThumbturnServer

struct Audit: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Verifies and exports the audit log.",
        discussion: "Every decision that matters has a row in it, which was written in the transaction of what it tells.",
        subcommands: [Verify.self, Checkpoint.self, Export.self]
    )

    struct Verify: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Checks that every row is as it was written and that none is missing.",
            discussion: """
                Status 0 if all is well, otherwise 1 with the number of the first row that is changed or missing, or of rows \
                over many minutes without a signed checkpoint. A server may run meanwhile. Someone who can write to the \
                database can shorten the log back to its last checkpoint but one: keep checkpoints on another machine \
                (thumbturn-server audit checkpoint), and give them to this command.
                """
        )

        @OptionGroup var data: DataOptions

        @Option(name: .customLong("checkpoint"), help: "A file with checkpoints that were kept elsewhere, one in a line.")
        var file: String?

        func run() async throws {
            var kept: [String] = []
            if let file {
                guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { throw SetupError.unreadable(file) }
                kept = text.split(whereSeparator: \.isWhitespace).map(String.init)
            }
            let server = try await data.server()
            var told = 0
            let (rows, checkpoints) = try await server.verifyAuditLog(against: kept) { count in
                guard count >= told + 100_000 else { return }
                told = count
                FileHandle.standardError.write(Data("\(count) rows …\n".utf8))
            }
            print("\(rows) rows are as they were written, and \(checkpoints) signed checkpoints fit.")
        }
    }

    struct Checkpoint: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the last signed checkpoint, to be kept on another machine.")

        @OptionGroup var data: DataOptions

        func run() async throws {
            guard let checkpoint = try await data.server().auditCheckpoint() else { throw NoCheckpoint() }
            print(checkpoint)
        }

        struct NoCheckpoint: Error, CustomStringConvertible {
            var description: String { "There is no checkpoint yet. A running server writes the first one after a minute." }
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Prints the rows of a time as JSON Lines.",
            discussion: "The rows have ids and codes: no secrets, no PINs, no names. docs/audit-log.md explains the members."
        )

        @OptionGroup var data: DataOptions

        @Option(help: "The first moment, for example 2026-01-31 or 2026-01-31T08:00:00Z. Default: the first row.")
        var from: AuditMoment?

        @Option(help: "The end, which is not included. Default: now.")
        var to: AuditMoment?

        @Option(help: "How clients' addresses are written: full, masked (the first 24 or 48 bits) or none.")
        var addresses = EmbeddedServer.AuditAddresses.masked

        func run() async throws {
            let server = try await data.server()
            try await server.exportAuditLog(
                from: from?.time ?? UnixTime(seconds: 0), to: to?.time ?? UnixTime(seconds: .max), addresses: addresses
            ) { print($0) }
        }
    }
}

/// A day or a moment, as an operator writes it (RFC 3339).
struct AuditMoment: ExpressibleByArgument {
    var time: UnixTime

    init?(argument: String) {
        let text = argument.contains("T") ? argument : argument + "T00:00:00Z"
        guard let date = try? Date(text, strategy: .iso8601) else { return nil }
        time = UnixTime(seconds: Int64(date.timeIntervalSince1970))
    }
}

extension EmbeddedServer.AuditAddresses: ExpressibleByArgument {}
#endif
