#if canImport(Glibc)
import Glibc
#else
import Foundation
#endif

/// A synthetic finger. Its seed determines its ridges, and its presses differ a little, as real presses do.
///
/// The ridges follow the model of Larkin and Fletcher (2007): the image is `cos ψ`, where ψ is a smooth carrier (one
/// ridge every nine pixels, which is 500 dpi) plus a spiral `± atan2` around each minutia. A spiral makes one ridge end
/// or fork exactly there, so an extractor finds true minutiae instead of noise.
public struct SyntheticFinger: Hashable, Sendable {
    /// The seed that determines the ridges.
    public let seed: UInt64
    private let skin: RidgePattern

    /// Creates the finger with this seed.
    public init(seed: UInt64) {
        self.seed = seed
        skin = RidgePattern(seed: seed)
    }

    /// Fingers are equal if their seeds are.
    public static func == (a: Self, b: Self) -> Bool { a.seed == b.seed }

    /// Hashes the seed.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(seed)
    }

    /// The image of the n-th press. Presses differ a little in rotation, position, pressure and stretch; the same `n`
    /// always gives the same image.
    public func scan(_ n: Int) -> FingerImage {
        var generator = SplitMix64(seed: seed &* 0xD134_2543_DE82_EF95 ^ UInt64(bitPattern: Int64(n)) &* 0x9E37_79B9_7F4A_7C15)
        return PressVariation(using: &generator).image(of: skin)
    }
}
