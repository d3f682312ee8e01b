#if STAND_INS
import Foundation
import Security
import ScenarioScript
import Testing
import ThumbturnCore
@testable import ThumbturnTestKit

/// Scenario files as an iPhone plays them: first only the simulated phone, then the adapter on the stand-ins.
@Suite struct AppleScenarioTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Scenarios")
    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()

    static func scenario(_ name: String) throws -> Scenario {
        try Scenario(json: Data(contentsOf: folder.appendingPathComponent(name + ".json")))
    }

    static let played = names.filter { Difference.unplayable[$0] == nil }

    @Test func everyFileIsPlayedOrHasAReason() {
        #expect(Self.names.count >= 61)
        for table in [
            Difference.unplayable.keys.sorted(), Difference.ofThePhone.keys.sorted(), Difference.ofTheAdapter.keys.sorted(),
        ] {
            #expect(Set(table).isSubset(of: Self.names), "a table names a missing file")
        }
        #expect(Set(Difference.unplayable.keys).isDisjoint(with: Difference.ofThePhone.keys))
    }

    @Test("by the phone itself", arguments: played.filter { $0 != Difference.ofTheStandIns })
    func byThePhone(_ name: String) async throws {
        let scenario = try Self.scenario(name)
        let world = Performance.world(for: scenario)
        let performance = Performance(scenario, in: world) { world.phone.platform(transport: $0) }
        let notes = try await world.run { try await performance.play() }
        let differences = Self.differences(notes.seen, scenario, [Difference.ofThePhone[name]])
        #expect(differences == [])
    }

    @Test("through the adapter", arguments: played)
    func throughTheAdapter(_ name: String) async throws {
        let scenario = try Self.scenario(name)
        let world = Performance.world(for: scenario)
        let performance = Performance(scenario, in: world) { world.platform(transport: $0) }
        let notes = try await world.run { try await performance.play() }
        let differences = Self.differences(notes.seen, scenario, [Difference.ofThePhone[name], Difference.ofTheAdapter[name]])
        #expect(differences == [])

        #expect(world.device.calls("SecItemCopyMatching") > 0, "it goes through the adapter")
        #expect(notes.evaluations == notes.prompts, "the adapter shows each prompt, with a context of its own")
        if case .granted = scenario.end { #expect(notes.signatures > 0) }
        world.expectNothingOnTheSide()
        if differences.isEmpty { Noted.scenario(name) }
    }

    @Test(
        "every other outcome is noticed", arguments: [("1200 ms", "1201 ms"), ("granted by biometric", "granted by appPIN")])
    func otherwise(_ right: String, _ wrong: String) async throws {
        let scenario = try Self.scenario("match")
        let world = Performance.world(for: scenario)
        let performance = Performance(scenario, in: world) { world.platform(transport: $0) }
        let seen = try await world.run { try await performance.play() }.seen
        #expect(Self.differences(seen, scenario, []) == [])
        #expect(Self.differences(seen.map { $0.replacing(right, with: wrong) }, scenario, []).count == 2)
        #expect(Self.differences(Array(seen.dropLast()), scenario, []).count == 1)
    }

    /// The differences, one line each.
    private static func differences(_ seen: [String], _ scenario: Scenario, _ known: [Difference?]) -> [String] {
        let expected = known.compactMap(\.self).reduce(scenario.expected) { $1.applied(to: $0) }
        let denied = known.compactMap { $0?.not }.joined().filter { !scenario.expected.contains($0) }
        return denied.map { "a table denies a line that the file does not have: \($0)" }
            + seen.sorted().difference(from: expected.sorted()).map { change in
                switch change {
                case .insert(_, let line, _): "+ \(line)"
                case .remove(_, let line, _): "- \(line)"
                }
            }
    }
}
#endif
