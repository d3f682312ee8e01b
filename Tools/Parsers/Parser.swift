/// A parser of bytes that come from outside, with an example of what it reads.
///
/// The fuzzers, the benchmark of hostile load and the tests of the parsers share the list `all`, so that a parser that
/// is added to it is covered by each of them.
package struct Parser: Sendable, CustomStringConvertible {
    /// The parser's name, which is also that of its fuzzing target and of its folder in `Fuzz/Corpus`.
    package let name: String
    /// The most bytes that it reads. A longer input is refused before it is parsed.
    package let largest: Int
    /// Inputs that it accepts.
    package let examples: [[UInt8]]
    /// Makes inputs of at most a number of bytes that cost it much; see `HostileInput`.
    package let hostile: @Sendable (_ size: Int) -> [HostileInput]
    /// Whether it accepts an input.
    package let accepts: @Sendable ([UInt8]) -> Bool

    package var description: String { name }

    init(
        _ name: String, upTo largest: Int, examples: [[UInt8]], hostile: @escaping @Sendable (Int) -> [HostileInput],
        accepts: @escaping @Sendable ([UInt8]) -> Bool
    ) {
        self.name = name
        self.largest = largest
        self.examples = examples
        self.hostile = hostile
        self.accepts = accepts
    }
}
