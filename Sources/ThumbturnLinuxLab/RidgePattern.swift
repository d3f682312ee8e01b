#if canImport(Glibc)
import Glibc
#else
import Foundation
#endif

/// The skin of one synthetic finger: `e^(iψ)` on a square of pixels, somewhat larger than what a reader sees of it.
///
/// It holds the cosine and the sine, not ψ itself: ψ jumps by 2π along a line from each minutia, its sine and cosine do not, so a press
/// may sample between the pixels.
struct RidgePattern: Sendable {
    static let side = 360
    /// Pixels from ridge to ridge; nine is usual at 500 dpi.
    static let period = 9.0

    let cosine: [Float]
    let sine: [Float]

    init(seed: UInt64) {
        var dice = SeededDice(seed: seed)
        let carrier = Carrier(using: &dice)
        let minutiae = Self.minutiae(using: &dice)
        var cosine = [Float](repeating: 0, count: Self.side * Self.side)
        var sine = cosine
        for y in 0..<Self.side {
            for x in 0..<Self.side {
                // A spiral adds ± the angle seen from its minutia: that is a product of complex numbers, and needs no atan2.
                let phase = carrier.phase(Double(x), Double(y))
                var re = Float(cos(phase))
                var im = Float(sin(phase))
                for minutia in minutiae {
                    let dx = Float(x) - minutia.x
                    let dy = (Float(y) - minutia.y) * minutia.turn
                    (re, im) = (re * dx - im * dy, re * dy + im * dx)
                    // Keeps the product near 1 while it grows; its length carries nothing.
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

    /// Where a ridge ends or forks. `turn` is the sense of its spiral.
    private struct Minutia {
        var x: Float
        var y: Float
        var turn: Float
    }

    /// About forty minutiae in the reader's view, not closer than two ridges and a half, of alternating sense so that the turns cancel.
    private static func minutiae(using dice: inout SeededDice) -> [Minutia] {
        var found: [Minutia] = []
        var tries = 0
        while found.count < 58, tries < 4000 {
            tries += 1
            let x = Float(dice.even(14...Double(side - 14)))
            let y = Float(dice.even(14...Double(side - 14)))
            let near = found.contains { ($0.x - x) * ($0.x - x) + ($0.y - y) * ($0.y - y) < 24 * 24 }
            if !near { found.append(Minutia(x: x, y: y, turn: found.count.isMultiple(of: 2) ? 1 : -1)) }
        }
        return found
    }
}

/// The smooth part of the ridges: arcs around a far centre, bent by a few broad waves.
private struct Carrier {
    private struct Wave {
        var kx: Double
        var ky: Double
        var shift: Double
        var height: Double
    }

    private var centre: (x: Double, y: Double)
    private var waves: [Wave] = []

    init(using dice: inout SeededDice) {
        let middle = Double(RidgePattern.side) / 2
        let away = dice.even(0...(2 * .pi))
        let distance = dice.even(190...420)
        centre = (middle + cos(away) * distance, middle + sin(away) * distance)
        for _ in 0..<5 {
            let direction = dice.even(0...(2 * .pi))
            let length = dice.even(130...300)
            let k = 2 * .pi / length
            waves.append(
                // A wave tilts the ridges by at most height × k × period / 2π; this keeps each below about fifteen degrees.
                Wave(
                    kx: k * cos(direction), ky: k * sin(direction), shift: dice.even(0...(2 * .pi)),
                    height: 0.18 * dice.even(0.3...1) * length / RidgePattern.period))
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
