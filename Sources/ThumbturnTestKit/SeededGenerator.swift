/// A random number generator that repeats itself for the same seed: SplitMix64 (Steele, Lea and Flood, 2014). For
/// tests, never for keys.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    /// The seed. Print it, so that a failing test can be repeated.
    public let seed: UInt64
    private var state: UInt64

    /// Creates the generator at the beginning of the seed's sequence.
    public init(seed: UInt64) {
        self.seed = seed
        state = seed
    }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
