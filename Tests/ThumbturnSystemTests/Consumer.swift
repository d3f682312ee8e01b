#if Tools
import Foundation
import TestSupport

/// The build of packages that depend on this one, as a user of it would build them: without the stand-ins.
enum Consumer {
    /// One folder for all of them, so that what they depend on is compiled once.
    static let scratch = repository.appendingPathComponent(".build/consumers").path

    /// Builds and runs a program of the package in a folder.
    static func run(_ name: String, in folder: String) async throws -> Finished {
        try await Built.run(
            "/usr/bin/env",
            [
                // As in scripts/lib.sh: the traits have one order, so that nothing is compiled twice.
                "-u", "THUMBTURN_ADD", "SWIFT_DETERMINISTIC_HASHING=1", "nice", "-n", "10", "swift", "run", "--package-path",
                folder, "--scratch-path",
                scratch,
                name,
            ])
    }
}
#endif
