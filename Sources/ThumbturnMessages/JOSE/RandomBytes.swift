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
        eight(generator.next()) + eight(generator.next())
    }

    /// 8 bytes of the system's generator.
    package static func eight() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return eight(generator.next())
    }

    private static func eight(_ word: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: word >> (UInt64($0) * 8)) }
    }
}
