#if Tools
import ArgumentParser
import Foundation
import Thumbturn

/// A story went another way than told.
struct Surprise: Error {
    var what: String
}

/// What happens next.
func tell(_ sentence: String) { print("\n• \(sentence)") }

/// What came of it, checked.
func done(_ sentence: String) { print("  ✓ \(sentence)") }

/// Plays a story; a surprise or a failure ends it with exit status 1.
func play(_ story: () async throws -> Void) async throws {
    do {
        try await story()
    } catch let failure as Failure {
        FileHandle.standardError.write(Data("thumbturn: the story broke off: \(failure.debugDescription)\n".utf8))
        throw ExitCode(1)
    } catch let surprise as Surprise {
        FileHandle.standardError.write(Data("thumbturn: the story went another way: \(surprise.what)\n".utf8))
        throw ExitCode(1)
    }
}
#endif
