#if Tools
import ArgumentParser
import Foundation
import ThumbturnCore

/// A step of a story had another outcome than expected.
package struct UnexpectedOutcome: Error {
    package var description: String

    package init(_ description: String) { self.description = description }
}

/// Prints the next step.
package func announce(_ sentence: String) { print("\n• \(sentence)") }

/// Prints the checked outcome of a step.
package func confirm(_ sentence: String) { print("  ✓ \(sentence)") }

/// Runs a story. An unexpected outcome or a failure ends it with exit status 1.
package func runStory(_ story: () async throws -> Void) async throws {
    do {
        try await story()
    } catch let failure as Failure {
        FileHandle.standardError.write(Data("The story stopped: \(failure.debugDescription)\n".utf8))
        throw ExitCode(1)
    } catch let outcome as UnexpectedOutcome {
        FileHandle.standardError.write(Data("Unexpected outcome: \(outcome.description)\n".utf8))
        throw ExitCode(1)
    }
}
#endif
