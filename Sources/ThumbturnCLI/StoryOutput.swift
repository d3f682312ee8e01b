#if Tools
import ArgumentParser
import Foundation
import Thumbturn

/// A step of a story had another outcome than expected.
struct UnexpectedOutcome: Error {
    var description: String

    init(_ description: String) { self.description = description }
}

/// Prints the next step.
func announce(_ sentence: String) { print("\n• \(sentence)") }

/// Prints the checked outcome of a step.
func confirm(_ sentence: String) { print("  ✓ \(sentence)") }

/// Runs a story. An unexpected outcome or a failure ends it with exit status 1.
func runStory(_ story: () async throws -> Void) async throws {
    do {
        try await story()
    } catch let failure as Failure {
        FileHandle.standardError.write(Data("thumbturn: the story stopped: \(failure.debugDescription)\n".utf8))
        throw ExitCode(1)
    } catch let outcome as UnexpectedOutcome {
        FileHandle.standardError.write(Data("thumbturn: unexpected outcome: \(outcome.description)\n".utf8))
        throw ExitCode(1)
    }
}
#endif
