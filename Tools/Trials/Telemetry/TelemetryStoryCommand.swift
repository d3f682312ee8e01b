#if Tools
import ArgumentParser
import Foundation
import ThumbturnCommands

struct TelemetryStoryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "telemetry-story", abstract: "Has phones report their unlocks, and one model get slow.",
        discussion: """
            Simulated phones of four models report their unlocks over HTTP to a server that the command starts itself, the \
            sensors of one model get slow in the middle of it, and the report has to show which. Exit status 1: it does not.
            """
    )

    @Option(help: "How many phones report, from 1000 on.")
    var phones = 10_000

    @Option(help: "The seed of the phones.")
    var seed: UInt64 = 1

    @Option(help: "The file in which the page with the plots is written. It must not exist.")
    var html: String?

    func validate() throws {
        guard phones >= 1000 else { throw ValidationError("--phones must be 1000 or more: fewer tell too little.") }
        if let html, FileManager.default.fileExists(atPath: html) {
            throw ValidationError("\(html) exists already. Give --html another name.")
        }
    }

    func run() async throws {
        try await runStory { try await TelemetryStory(phones: phones, seed: seed, page: html).play() }
    }
}
#endif
