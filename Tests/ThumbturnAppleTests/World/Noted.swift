import Foundation
import Testing

/// A record of what ran through the adapter, one line each, for `scripts/test` to count.
enum Noted {
    /// Notes the running test.
    static func test() {
        guard let test = Test.current else { return }
        write("test \(test.id)")
    }

    /// Notes a scenario file that was played through the adapter to its end.
    static func scenario(_ name: String) { write("scenario \(name)") }

    private static let turn = NSLock()

    private static func write(_ line: String) {
        guard let path = ProcessInfo.processInfo.environment["THUMBTURN_APPLE_TESTS"] else { return }
        turn.withLock {
            guard let file = FileHandle(forWritingAtPath: path) else { return }
            file.seekToEndOfFile()
            file.write(Data("\(line)\n".utf8))
            try? file.close()
        }
    }
}
