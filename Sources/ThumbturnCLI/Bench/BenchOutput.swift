#if Tools
import Foundation

extension OutputOptions {
    /// What every benchmark says first.
    ///
    /// - Parameter name: the benchmark's own.
    func beginBench(_ name: String) {
        #if DEBUG
        tell(
            "this is a debug build; figures to quote come from: "
                + "swift build -c release --traits Tools && .build/release/thumbturn bench \(name)")
        #else
        progress("measuring this machine")
        #endif
    }

    /// What is done now, for whoever waits at a terminal.
    func progress(_ text: String) {
        if !json { tell("\(text) …") }
    }

    private func tell(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}

/// A figure for people.
func rounded(_ value: Double) -> String { String(format: "%.1f", value) }
#endif
