#if Tools
import ArgumentParser
import Foundation
import ThumbturnServer

struct BenchNeutral: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "neutral", abstract: "Whether the time of a refused sign-in tells why it was refused.",
        discussion: """
            Interleaves refused sign-ins of two kinds at random and prints Welch's t, as dudect does: over all samples, \
            and the largest over the fastest samples, cropped at a hundred percentiles. Below 4.5 no difference was \
            found. The sign-ins are decided and committed in this process, without HTTP, and the password hash has the \
            least cost that libsodium allows: both make a difference easier to see than it would be from outside. A \
            folder in memory, such as one below /dev/shm, takes the noise of the disk away too. Exit status 1 if a t is \
            4.5 or more. Build with -c release.
            """
    )

    @Option(help: "The number of pairs for each comparison.")
    var pairs = 100_000

    @Option(help: "Stop each comparison after this many seconds, with the samples so far.")
    var seconds: Double?

    @Option(help: "The folder in which the server's own folder is made, and removed afterwards.")
    var folder = FileManager.default.temporaryDirectory.path

    func run() async throws {
        guard pairs > 0 else { throw ValidationError("--pairs must be more than 0.") }
        let path = folder + "/thumbturn-bench-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        let timing = try await NeutralTiming(folder: path)
        var isNeutral = true
        for comparison in NeutralTiming.Comparison.allCases {
            let end = seconds.map { ContinuousClock.now.advanced(by: .seconds($0)) }
            let result = try await timing.compare(comparison, pairs: pairs, until: end)
            isNeutral = isNeutral && abs(result.worst.t) < 4.5
            print(
                """
                \(comparison.rawValue)
                  samples  \(result.counts.0), \(result.counts.1)
                  mean     \(Self.text(result.means.0)) us, \(Self.text(result.means.1)) us
                  t        \(Self.text(result.t)) over all
                  worst t  \(Self.text(result.worst.t)) over the fastest \(Self.text(result.worst.kept * 100)) %
                """
            )
        }
        print(
            isNeutral
                ? "every |t| is below 4.5: no difference was found" : "a |t| is 4.5 or more: the time tells a difference")
        if !isNeutral { throw ExitCode.failure }
    }

    private static func text(_ value: Double) -> String { String(format: "%.2f", value) }
}
#endif
