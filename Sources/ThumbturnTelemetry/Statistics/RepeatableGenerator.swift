#if Server
/// A random number generator that repeats itself for the same seed, so that reports and simulations do: SplitMix64 (Steele, Lea and
/// Flood, "Fast Splittable Pseudorandom Number Generators", 2014). Never for keys.
///
/// The test kit has the same one for tests, `SeededGenerator`. No program that is shipped links the test kit.
package struct RepeatableGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Begins the sequence of a seed.
    package init(seed: UInt64) { state = seed }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        return Self.mixed(state)
    }

    /// A number in which each bit depends on all bits of another one.
    package static func mixed(_ number: UInt64) -> UInt64 {
        var mixed = number
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
#endif
