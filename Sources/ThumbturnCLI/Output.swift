#if Tools
import ArgumentParser
import Foundation
import Thumbturn

/// How a command speaks: a plain sentence for people, or one JSON object for machines.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object instead of sentences.")
    var json = false

    func say(_ sentence: String, _ value: some Encodable) throws {
        guard json else {
            print(sentence)
            return
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Runs a command's work. A failure becomes a sentence with the next step, and an exit status.
    func run(_ work: () async throws -> Void) async throws {
        do {
            try await work()
        } catch let failure as Failure {
            let text = failure.debugDescription
            if json { try say(text, FailureOutput(failure)) }
            FileHandle.standardError.write(Data("thumbturn: \(text)\n".utf8))
            throw failure.exitCode
        }
    }

    private struct FailureOutput: Encodable {
        var error: String
        var advice: String

        init(_ failure: Failure) {
            error = failure.code.name
            advice = failure.recovery.advice
        }
    }
}

extension Failure {
    /// The exit status for scripts, after sysexits.
    var exitCode: ExitCode {
        switch code {
        case .unreachable: ExitCode(69)
        case .cancelledByUser, .cancelledBySystem, .cancelledByApp, .superseded, .notYetReadable, .timedOut: ExitCode(75)
        case .refused, .keyInvalidated, .notEnrolled, .lockedOut, .notMatched: ExitCode(77)
        case .insecureServer, .reasonMissing: ExitCode(64)
        default: ExitCode(1)
        }
    }
}
#endif
