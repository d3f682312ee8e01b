#if STAND_INS
import Foundation
import Testing
import ThumbturnCore
import ThumbturnTestKit

/// Scenario files as an iPhone plays them: first the simulated phone by itself, then the adapter on the stand-ins.
@Suite struct AppleScenarioTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Scenarios")
    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()

    static func scenario(_ name: String) throws -> Scenario {
        try Scenario(json: Data(contentsOf: folder.appendingPathComponent(name + ".json")))
    }

    static let played = names.filter { Difference.unplayable[$0] == nil }

    @Test func eachFileIsPlayedOrSaysWhyNot() {
        #expect(Self.names.count >= 55)
        for table in [Set(Difference.unplayable.keys), Set(Difference.ofThePhone.keys)] {
            #expect(table.isSubset(of: Self.names), "a table names a file that is not there")
        }
        #expect(Set(Difference.unplayable.keys).isDisjoint(with: Difference.ofThePhone.keys))
    }

    @Test("by the phone itself", arguments: played.filter { $0 != Difference.ofTheStandIns })
    func byThePhone(_ name: String) async throws {
        let scenario = try Self.scenario(name)
        let world = Performance.world(for: scenario)
        let performance = Performance(scenario, in: world) { world.phone.platform(transport: $0) }
        let seen = try await world.run { try await performance.play() }
        Self.compare(seen, scenario, [Difference.ofThePhone[name]])
    }

    private static func compare(_ seen: [String], _ scenario: Scenario, _ differences: [Difference?]) {
        let expected = differences.compactMap(\.self).reduce(scenario.expected) { $1.applied(to: $0) }
        let (missing, added) = (expected.filter { !seen.contains($0) }, seen.filter { !expected.contains($0) })
        #expect(missing == [] && added == [], "\(scenario.name)")
        #expect(seen.count == expected.count, "\(scenario.name)")
        for line in differences.compactMap({ $0?.not }).joined() {
            #expect(scenario.expected.contains(line), "a table denies what no file says")
        }
    }
}
#endif
