#if Tools
import Foundation
import ThumbturnCommands

extension OutputOptions {
    /// Prints the first line of a benchmark to standard error.
    ///
    /// - Parameter name: the benchmark's subcommand.
    func beginBench(_ name: String) {
        #if DEBUG
        write(
            "this is a debug build; for figures to quote, run: "
                + "swift build -c release --traits Tools && .build/release/thumbturn-trials bench \(name)")
        #else
        progress("measuring this machine")
        #endif
    }

    /// Prints the current step to standard error, unless the output is JSON.
    func progress(_ text: String) {
        if !json { write("\(text) …") }
    }

    private func write(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}

/// A number with one decimal place.
func rounded(_ value: Double) -> String { String(format: "%.1f", value) }
#endif
