#if canImport(Glibc)
import Glibc
#else
import Foundation
#endif

/// The ridges of one synthetic finger: `e^(iψ)` on a square of pixels, somewhat larger than the reader's image.
///
/// It holds the cosine and the sine instead of ψ itself. ψ jumps by 2π along a line from each minutia, but its sine and
/// cosine do not, so a press may interpolate between pixels.
struct RidgePattern: Sendable {
    static let side = 360
    /// Pixels from ridge to ridge; nine is usual at 500 dpi.
    static let period = 9.0

    let cosine: [Float]
    let sine: [Float]

    init(seed: UInt64) {
        var generator = SplitMix64(seed: seed)
        let carrier = Carrier(using: &generator)
        let minutiae = Self.minutiae(using: &generator)
        var cosine = [Float](repeating: 0, count: Self.side * Self.side)
        var sine = cosine
        for y in 0..<Self.side {
            for x in 0..<Self.side {
                // A spiral adds ± the angle seen from its minutia, which is a product of complex numbers and needs no
                // atan2.
                let phase = carrier.phase(Double(x), Double(y))
                var re = Float(cos(phase))
                var im = Float(sin(phase))
                for minutia in minutiae {
                    let dx = Float(x) - minutia.x
                    let dy = (Float(y) - minutia.y) * minutia.turn
                    (re, im) = (re * dx - im * dy, re * dy + im * dx)
                    // Keeps the product's length near 1. The length has no meaning.
                    let scale = 1 / (dx.magnitude + dy.magnitude + 0.01)
                    re *= scale
                    im *= scale
                }
                let length = max((re * re + im * im).squareRoot(), .leastNormalMagnitude)
                cosine[y * Self.side + x] = re / length
                sine[y * Self.side + x] = im / length
            }
        }
        self.cosine = cosine
        self.sine = sine
    }

    /// A point where a ridge ends or forks. `turn` is the direction of its spiral.
    private struct Minutia {
        var x: Float
        var y: Float
        var turn: Float
    }

    /// About forty minutiae in the reader's view, at least two and a half ridges apart, with alternating direction so
    /// that the turns cancel.
    private static func minutiae(using generator: inout SplitMix64) -> [Minutia] {
        var found: [Minutia] = []
        var tries = 0
        while found.count < 58, tries < 4000 {
            tries += 1
            let x = Float(generator.uniform(14...Double(side - 14)))
            let y = Float(generator.uniform(14...Double(side - 14)))
            let near = found.contains { ($0.x - x) * ($0.x - x) + ($0.y - y) * ($0.y - y) < 24 * 24 }
            if !near { found.append(Minutia(x: x, y: y, turn: found.count.isMultiple(of: 2) ? 1 : -1)) }
        }
        return found
    }
}

/// The smooth part of the phase: arcs around a distant centre, bent by a few broad waves.
private struct Carrier {
    private struct Wave {
        var kx: Double
        var ky: Double
        var shift: Double
        var height: Double
    }

    private var centre: (x: Double, y: Double)
    private var waves: [Wave] = []

    init(using generator: inout SplitMix64) {
        let middle = Double(RidgePattern.side) / 2
        let away = generator.uniform(0...(2 * .pi))
        let distance = generator.uniform(190...420)
        centre = (middle + cos(away) * distance, middle + sin(away) * distance)
        for _ in 0..<5 {
            let direction = generator.uniform(0...(2 * .pi))
            let length = generator.uniform(130...300)
            let k = 2 * .pi / length
            waves.append(
                // A wave tilts the ridges by at most height × k × period / 2π; this keeps each below about fifteen
                // degrees.
                Wave(
                    kx: k * cos(direction), ky: k * sin(direction), shift: generator.uniform(0...(2 * .pi)),
                    height: 0.18 * generator.uniform(0.3...1) * length / RidgePattern.period))
        }
    }

    func phase(_ x: Double, _ y: Double) -> Double {
        let dx = x - centre.x
        let dy = y - centre.y
        var phase = 2 * Double.pi / RidgePattern.period * (dx * dx + dy * dy).squareRoot()
        for wave in waves { phase += wave.height * sin(wave.kx * x + wave.ky * y + wave.shift) }
        return phase
    }
}
