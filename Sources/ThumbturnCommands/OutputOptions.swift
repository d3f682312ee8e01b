#if Tools
import ArgumentParser
import Foundation

/// The form of a command's output: a sentence, or one JSON object for other programs.
package struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object instead of sentences.")
    package var json = false

    package init() {}

    /// Prints the sentence, or the value as JSON.
    package func report(_ sentence: String, _ value: some Encodable) throws {
        guard json else {
            print(sentence)
            return
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        print(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
#endif
