import Foundation
import Testing
import ThumbturnCore
import ThumbturnTestKit

@Suite struct ExperimentTests {
    private static func arm(_ name: TelemetryLabel, _ weight: Int = 1, _ policy: UnlockPolicy = .unlock) -> Experiment.Arm {
        Experiment.Arm(name, weight: weight, policy: policy)
    }

    private static func problem(_ arms: [Experiment.Arm]) -> String? {
        do throws(ExperimentError) {
            _ = try Experiment("e", arms: arms)
            return nil
        } catch {
            return error.problem
        }
    }

    // MARK: Contradictions

    @Test func aProblemNamesTheMember() {
        var contradictory = UnlockPolicy.unlock
        contradictory.mismatchLimit = 9
        #expect(Self.problem([Self.arm("a"), Self.arm("b")]) == nil)
        #expect(Self.problem([Self.arm("a")]) == "arms: are not 2 to 8")
        #expect(Self.problem((1...9).map { Self.arm(TelemetryLabel("\($0)")) }) == "arms: are not 2 to 8")
        #expect(Self.problem((1...8).map { Self.arm(TelemetryLabel("\($0)")) }) == nil)
        #expect(Self.problem([Self.arm("a"), Self.arm("a")]) == "arms: have a name twice")
        for weight in [0, -1, 10_001] {
            #expect(Self.problem([Self.arm("a"), Self.arm("b", weight)]) == "arms[1].weight: is not 1 to 10000")
        }
        #expect(Self.problem([Self.arm("a", 1), Self.arm("b", 10_000)]) == nil)
        #expect(
            Self.problem([Self.arm("a", 1, contradictory), Self.arm("b")])?.hasPrefix("arms[0].policy.mismatch_limit: ") == true)
    }

    @Test func thePolicyOfAnArmIsCountedByIt() throws {
        let experiment = try Experiment("e", arms: [Self.arm("a"), Self.arm("b")])
        #expect(experiment.arms.map(\.policy.arm) == ["a", "b"])
        #expect("\(experiment)" == "e: a 1, b 1")
    }

    // MARK: JSON

    @Test func anExperimentIsReadAsItIsWritten() throws {
        let experiment = try Experiment("hint", arms: [Self.arm("usual", 3), Self.arm("early", 1, .sensitiveScreen)])
        let json = Array(try JSONEncoder().encode(experiment))
        #expect(try Experiment(json: json) == experiment)
    }

    private static let ladder = #"{"ladder":["biometric","fullCredentials"]}"#

    @Test(
        "what is not an experiment is refused with its place",
        arguments: [
            (#"{"name":"e","arms":[],"more":1}"#, "more"),
            (
                #"{"name":"e","arms":[{"name":"a","weight":1,"policy":P,"more":1},{"name":"b","weight":1,"policy":P}]}"#,
                "arms[0].more"
            ),
            (#"{"name":"e","arms":[{"name":"a","weight":1,"policy":P},{"name":"a","weight":1,"policy":P}]}"#, "a name twice"),
            (#"{"name":"e","arms":[{"name":"a","weight":0,"policy":P},{"name":"b","weight":1,"policy":P}]}"#, "arms[0].weight"),
            (#"{"name":"e","arms":[{"name":"a","weight":1.5,"policy":P},{"name":"b","weight":1,"policy":P}]}"#, "weight"),
            (#"{"name":"e","arms":[{"name":"a","name":"c","weight":1,"policy":P},{"name":"b","weight":1,"policy":P}]}"#, "name"),
            (
                #"{"name":"e","arms":[{"name":"a","weight":1,"policy":{"ladder":["biometric"]}},{"name":"b","weight":1,"policy":P}]}"#,
                "ladder"
            ),
            (
                #"{"name":"e","arms":[{"name":"a","weight":1,"policy":{"ladder":["fullCredentials"],"arm":"x"}},{"name":"b","weight":1,"policy":P}]}"#,
                "arms[0].policy"
            ),
            (#"{"name":"ü","arms":[{"name":"a","weight":1,"policy":P},{"name":"b","weight":1,"policy":P}]}"#, "name"),
            (#"{"arms":[{"name":"a","weight":1,"policy":P},{"name":"b","weight":1,"policy":P}]}"#, "name"),
            (#"[]"#, ""),
        ])
    func refused(_ json: String, _ place: String) throws {
        let text = json.replacingOccurrences(of: ":P", with: ":" + Self.ladder)
        do throws(DecodingError) {
            _ = try Experiment(json: Array(text.utf8))
            Issue.record("\(text) is no experiment")
        } catch {
            guard case .dataCorrupted(let context) = error else { throw error }
            #expect(place.isEmpty || context.debugDescription.contains(place), "\(context.debugDescription)")
        }
    }

    @Test func aLongTextIsNotRead() {
        #expect(throws: DecodingError.self) { try Experiment(json: [UInt8](repeating: 0x20, count: 16 * 1024 + 1)) }
    }

    // MARK: Assignment

    @Test func theLogarithmIsTheRealOneButForRounding() {
        #expect(Experiment.negatedLog(0) == 64 << 40, "the lowest bit is set")
        #expect(Experiment.negatedLog(1) == 64 << 40)
        #expect(Experiment.negatedLog(.max) == 1, "rounded up")
        #expect(Experiment.negatedLog(1 << 63) == 1 << 40)
        var generator = SeededGenerator(seed: 7)
        for _ in 1...10_000 {
            // Small ones as well.
            let number = generator.next() >> UInt64.random(in: 0..<60, using: &generator)
            let exact = 64 - log2(Double(number | 1))
            let own = Double(Experiment.negatedLog(number)) / Double(UInt64(1) << 40)
            #expect(abs(exact - own) < 1e-10, "\(number)")
        }
    }

    /// The shares of the arms among many devices with random numbers.
    private static func assigned(_ weights: [Int], count: Int, seed: UInt64) throws -> [[Int]] {
        let names: [TelemetryLabel] = ["a", "b", "c", "d"]
        let experiment = try Experiment("e", arms: zip(names, weights).map { arm($0, $1) })
        var generator = SeededGenerator(seed: seed)
        var devices = [[Int]](repeating: [], count: weights.count)
        for device in 0..<count {
            let numbers = Dictionary(uniqueKeysWithValues: names.map { ($0, generator.next()) })
            let arm = experiment.arm { numbers[$0.name] ?? 0 }
            devices[names.firstIndex(of: arm.name) ?? 0].append(device)
        }
        return devices
    }

    @Test(
        "arms have devices in proportion to their weights",
        arguments: [[1, 1], [1, 9], [5000, 3000, 2000], [1, 10_000], [7, 7, 7, 9]])
    func shares(_ weights: [Int]) throws {
        let (count, seed) = (20_000, UInt64(11))
        let assigned = try Self.assigned(weights, count: count, seed: seed)
        for (weight, devices) in zip(weights, assigned) {
            let share = Double(weight) / Double(weights.reduce(0, +))
            // Five standard deviations of a binomial distribution.
            let allowed = 5 * (share * (1 - share) * Double(count)).squareRoot() + 1
            #expect(abs(Double(devices.count) - share * Double(count)) < allowed, "\(weights): \(devices.count), seed \(seed)")
        }
    }

    @Test func aChangedWeightMovesOnlyTheDevicesThatTheSharesDemand() throws {
        let (count, seed) = (20_000, UInt64(13))
        let before = try Self.assigned([100, 100, 100], count: count, seed: seed)
        let after = try Self.assigned([200, 100, 100], count: count, seed: seed)
        // The first arm's share grows from a third to a half. No device leaves it, and none moves between the others.
        #expect(Set(after[0]).isSuperset(of: before[0]))
        #expect(Set(before[1]).isSuperset(of: after[1]) && Set(before[2]).isSuperset(of: after[2]))
        let moved = after[0].count - before[0].count
        #expect(abs(Double(moved) - Double(count) / 6) < 300, "\(moved), seed \(seed)")
    }

    @Test func theOrderOfTheArmsDoesNotMatter() throws {
        var generator = SeededGenerator(seed: 17)
        let arms = [Self.arm("a", 2), Self.arm("b", 5), Self.arm("c", 1)]
        let (one, other) = (try Experiment("e", arms: arms), try Experiment("e", arms: arms.reversed()))
        for _ in 1...1000 {
            let numbers = Dictionary(uniqueKeysWithValues: arms.map { ($0.name, generator.next() % 5) })
            #expect(one.arm { numbers[$0.name] ?? 0 }.name == other.arm { numbers[$0.name] ?? 0 }.name, "also of equal numbers")
        }
    }
}
