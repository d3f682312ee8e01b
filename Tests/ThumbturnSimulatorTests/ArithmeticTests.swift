#if Server
import Foundation
import Testing
import ThumbturnSimulator

/// The functions behind chance have the same bits everywhere, and are right.
@Suite struct ArithmeticTests {
    @Test func theFunctionsAreCloseToTheSystems() {
        for step in -6000...6000 {
            let x = Double(step) / 10
            #expect(abs(Arithmetic.exp(x) / Foundation.exp(x) - 1) < 1e-13, "exp(\(x))")
        }
        for step in 1...5000 {
            for x in [Double(step) / 1000, Double(step) * 1e6] {
                #expect(abs(Arithmetic.log(x) - Foundation.log(x)) < 1e-13 * max(abs(Foundation.log(x)), 1), "log(\(x))")
            }
        }
    }

    @Test(arguments: [
        (0.5, 0), (0.975, 1.959963984540054), (0.025, -1.959963984540054), (0.999, 3.090232306167813), (1e-6, -4.753424308822899),
    ])
    func theQuantilesAreThoseOfTheNormalDistribution(_ p: Double, _ z: Double) {
        #expect(abs(Arithmetic.normalQuantile(p) - z) < 2e-8)
    }

    /// The last bits, as they were when the default population was fitted.
    @Test func theBitsDoNotChange() {
        #expect(Arithmetic.exp(1).bitPattern == 4_613_303_445_314_885_482)
        #expect(Arithmetic.log(10).bitPattern == 4_612_367_379_483_415_829)
        #expect(Arithmetic.normalQuantile(0.975) == 1.959963986120195)
        var draws = Draws(seed: 7, person: 3, session: 2)
        #expect(
            [draws.unit(), draws.unit(), draws.unit()].map(\.bitPattern) == [
                4605807134119641437, 4599752629372557238, 4603293836759522389,
            ])
    }

    @Test func timesAreLogNormal() {
        let seed: UInt64 = 11
        let times = Times(median: 2000, spread: 0.5)
        var draws = Draws(seed: seed, person: 0, session: 0)
        var sorted = (0..<20_000).map { _ in draws.time(times) }
        sorted.sort()
        let within = 0.04
        #expect(abs(sorted[10_000] / .milliseconds(2000) - 1) < within, "seed \(seed)")
        #expect(abs(sorted[16_827] / .milliseconds(2000) / Foundation.exp(0.5) - 1) < within, "seed \(seed)")
    }
}
#endif
