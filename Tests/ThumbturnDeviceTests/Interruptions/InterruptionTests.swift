import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// Everything that a person does on the phone, cut before and after each of its requests by something else that happens.
@Suite struct InterruptionTests {
    /// One of this many cuts is made; all of them take minutes, and are made by `scripts/nightly`.
    static let share: UInt64 = ProcessInfo.processInfo.environment["THUMBTURN_ROUNDS"] == nil ? 4 : 1
    static let seed: UInt64 = 19

    @Test("whatever comes in between, the place has one owner and grants nothing of before", arguments: Operation.all.indices)
    func cutAtEveryRequest(_ index: Int) async throws {
        let operation = Operation.all[index]
        var (points, runs, outcomes) = (0, 0, [String: Int]())
        var generator = SeededGenerator(seed: Self.seed + UInt64(index))
        for keeping in [SessionKeeping.stored, .untilLock] {
            let whole = try await InterruptionRun(operation, keeping).perform()
            #expect(whole.problems == [], "\(operation.name), \(keeping), without a cut")
            points = whole.points
            for point in 0..<points {
                for cut in Cut.allCases where generator.next() % Self.share == 0 {
                    let run = try await InterruptionRun(operation, keeping, cut, at: point).perform()
                    runs += 1
                    outcomes[run.outcome, default: 0] += 1
                    #expect(run.problems == [], "\(operation.name), \(keeping): \(cut) \(run.place), and it is \(run.outcome)")
                }
            }
        }
        #expect(outcomes.count > 1 || operation.kind == .upkeep, "some cuts end it, and some do not")
        let endings = outcomes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        print(
            "interrupted: \(operation.name), \(points) points, \(runs) runs, one in \(Self.share), seed \(Self.seed): \(endings)")
    }
}
