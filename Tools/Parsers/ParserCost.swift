/// The time that a parser takes for the dearest of its hostile inputs.
package struct ParserCost: Sendable, Encodable {
    /// The parser's name.
    package let parser: String
    /// The name of its dearest input.
    package let input: String
    package let bytes: Int
    /// The shortest time of several runs in milliseconds, so that other programs on the machine count little.
    package let milliseconds: Double

    /// Measures each parser with all of its hostile inputs.
    ///
    /// - Parameters:
    ///   - size: the length of the inputs in bytes; less for a parser that reads less.
    ///   - runs: the number of runs of each input, at least 1.
    package static func measure(size: Int = 64 * 1024, runs: Int = 3) -> [ParserCost] {
        Parser.all.map { worst(of: $0, size, runs) }
    }

    private static func worst(of parser: Parser, _ size: Int, _ runs: Int) -> ParserCost {
        let costs = parser.hostile(min(size, parser.largest)).map { input in
            let times = (0..<runs).map { _ in
                let start = ContinuousClock.now
                // The result is used, so that the compiler keeps the call.
                let isAccepted = parser.accepts(input.bytes)
                let time = start.duration(to: .now) / .milliseconds(1)
                precondition(!isAccepted || !input.bytes.isEmpty, "no parser accepts nothing")
                return time
            }
            return ParserCost(
                parser: parser.name, input: input.name, bytes: input.bytes.count, milliseconds: times.min() ?? .infinity)
        }
        guard let dearest = costs.max(by: { $0.milliseconds < $1.milliseconds }) else {
            preconditionFailure("each parser has hostile inputs")
        }
        return dearest
    }
}
