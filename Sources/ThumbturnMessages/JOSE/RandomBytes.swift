/// Random bytes for identifiers that an attacker must not guess.
package enum RandomBytes {
    /// 16 bytes of the system's generator, taken eight at a time: each request of a single byte would be a call into
    /// the kernel.
    package static func sixteen() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return sixteen(using: &generator)
    }

    /// 16 bytes of a generator.
    package static func sixteen(using generator: inout some RandomNumberGenerator) -> [UInt8] {
        let words: (UInt64, UInt64) = (generator.next(), generator.next())
        return (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? words.0 : words.1) >> (UInt64($0 & 7) * 8)) }
    }
}
