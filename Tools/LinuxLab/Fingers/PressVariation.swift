#if canImport(Glibc)
import Glibc
#else
import Foundation
#endif

/// The random differences of one press of a finger from the others.
struct PressVariation: Sendable {
    static let side = 300

    private var turn: Double
    private var shift: (x: Double, y: Double)
    /// Above zero the finger presses hard and ridges widen. Below zero it is dry and they thin.
    private var pressure: Float
    private var contrast: Float
    private var noise: Double
    /// The stretch of the skin, as a broad wave of one or two pixels.
    private var stretch: (height: Double, kx: Double, ky: Double, shift: Double)
    private var generator: SplitMix64

    init(using generator: inout SplitMix64) {
        turn = generator.uniform(-6...6) * .pi / 180
        shift = (generator.uniform(-8...8), generator.uniform(-8...8))
        pressure = Float(generator.uniform(-0.25...0.25))
        contrast = Float(generator.uniform(80...110))
        noise = generator.uniform(8...20)
        let k = 2 * Double.pi / generator.uniform(220...360)
        let direction = generator.uniform(0...(2 * .pi))
        stretch = (generator.uniform(0...1.5), k * cos(direction), k * sin(direction), generator.uniform(0...(2 * .pi)))
        self.generator = SplitMix64(seed: generator.next())
    }

    func image(of skin: RidgePattern) -> FingerImage {
        var grain = generator
        let middle = Double(Self.side) / 2
        let skinMiddle = Double(RidgePattern.side) / 2
        let (c, s) = (cos(turn), sin(turn))
        var pixels = [UInt8](repeating: 255, count: Self.side * Self.side)
        for y in 0..<Self.side {
            for x in 0..<Self.side {
                let dx = Double(x) - middle
                let dy = Double(y) - middle
                let wave = stretch.height * sin(stretch.kx * dx + stretch.ky * dy + stretch.shift)
                let u = skinMiddle + c * dx - s * dy + shift.x + wave
                let v = skinMiddle + s * dx + c * dy + shift.y - wave
                let ridge = skin.ridge(u, v) + pressure
                // A steeper wave gives ridges and valleys with soft edges.
                let edge = max(-1, min(1, ridge * 1.6))
                let contact = Self.contact(dx, dy)
                let ink = Float(contact) * (128 + contrast * edge)
                let grey = 250 - Double(ink) + grain.uniform(-1...1) * noise
                pixels[y * Self.side + x] = UInt8(max(0, min(255, grey)))
            }
        }
        return FingerImage(width: Self.side, height: Self.side, pixels: pixels)
    }

    /// The contact of the finger with the glass: 1 inside an oval, 0 outside, with a soft rim.
    private static func contact(_ dx: Double, _ dy: Double) -> Double {
        let rim = 1 - ((dx * dx) / (146 * 146) + (dy * dy) / (149 * 149)).squareRoot()
        return max(0, min(1, rim * 20))
    }
}

extension RidgePattern {
    /// The interpolated ridge wave at a point, from -1 (valley) to 1 (ridge).
    func ridge(_ x: Double, _ y: Double) -> Float {
        let limit = Double(Self.side - 2)
        let x = max(0, min(limit, x))
        let y = max(0, min(limit, y))
        let (column, row) = (Int(x), Int(y))
        let (fx, fy) = (Float(x - Double(column)), Float(y - Double(row)))
        let at = row * Self.side + column
        func mix(_ plane: [Float]) -> Float {
            let top = plane[at] + (plane[at + 1] - plane[at]) * fx
            let bottom = plane[at + Self.side] + (plane[at + Self.side + 1] - plane[at + Self.side]) * fx
            return top + (bottom - top) * fy
        }
        let (re, im) = (mix(cosine), mix(sine))
        return re / max((re * re + im * im).squareRoot(), 0.05)
    }
}
