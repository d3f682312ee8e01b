#if canImport(Glibc)
import Glibc
#else
import Foundation
#endif

/// A finger that nobody has: its seed decides its ridges, and every press of it differs a little, as real presses do.
///
/// The ridges are the model of Larkin and Fletcher (2007): the picture is `cos ψ`, where ψ is a smooth carrier (one ridge every nine
/// pixels, which is 500 dpi) plus a spiral `± atan2` around each minutia. A spiral makes one ridge end or fork exactly there, so an
/// extractor finds true minutiae rather than noise.
public struct SyntheticFinger: Hashable, Sendable {
    public let seed: UInt64
    private let skin: RidgePattern

    public init(seed: UInt64) {
        self.seed = seed
        skin = RidgePattern(seed: seed)
    }

    public static func == (a: Self, b: Self) -> Bool { a.seed == b.seed }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(seed)
    }

    /// The n-th press: turned, shifted, pressed and stretched a little differently each time, and always the same for the same `n`.
    public func scan(_ n: Int) -> FingerImage {
        var dice = SeededDice(seed: seed &* 0xD134_2543_DE82_EF95 ^ UInt64(bitPattern: Int64(n)) &* 0x9E37_79B9_7F4A_7C15)
        return Touch(using: &dice).image(of: skin)
    }
}
