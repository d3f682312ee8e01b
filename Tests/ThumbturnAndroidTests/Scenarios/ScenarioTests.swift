import AndroidScenarios
import Foundation
import ScenarioScript
import Testing
import ThumbturnCore
@testable import ThumbturnAndroid
@testable import ThumbturnTestKit

/// Scenario files as an Android plays them, through the adapter over the fake system.
@Suite struct AndroidScenarioTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Scenarios")
    static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }.sorted()

    static func scenario(_ name: String) throws -> Scenario {
        try Scenario(json: Data(contentsOf: folder.appendingPathComponent(name + ".json"))).onAPhoneWhosePromptStays
    }

    static let played = names.filter { Difference.unplayable[$0] == nil }

    @Test func everyFileIsPlayedOrHasAReason() {
        #expect(Self.names.count >= 61)
        for table in [
            Difference.unplayable.keys.sorted(), Difference.ofAndroid.keys.sorted(),
        ] {
            #expect(Set(table).isSubset(of: Self.names), "a table names a missing file")
        }
        #expect(Set(Difference.unplayable.keys).isDisjoint(with: Difference.ofAndroid.keys))
    }

    @Test("a file without a mismatch of the sensor is played as it is", arguments: names)
    func asItIs(_ name: String) throws {
        let file = try Scenario(json: Data(contentsOf: Self.folder.appendingPathComponent(name + ".json")))
        let mismatches = file.moments.contains { if case .answered(.notMatched, prompt: _) = $0.event { true } else { false } }
        if !mismatches { #expect(file.onAPhoneWhosePromptStays == file) }
    }

    @Test("through the adapter", arguments: played)
    func throughTheAdapter(_ name: String) async throws {
        let scenario = try Self.scenario(name)
        let world = AndroidWorld(for: scenario)
        let notes = try await world.run { try await Performance(scenario, in: world).play() }
        let differences = Difference.found(notes.seen, scenario, [Difference.ofAndroid[name]])
        #expect(differences == [])

        #expect(world.android.calls(.decryptNow) > 0, "it goes through the adapter")
        #expect(notes.shown == notes.prompts, "the adapter shows each prompt")
        if case .granted(let rung, _, _) = scenario.end, rung != .fullCredentials { #expect(notes.signatures > 0) }
        #expect(world.handles == 0, "no object of Java is left behind")
    }

    @Test(
        "every other outcome is noticed", arguments: [("1200 ms", "1201 ms"), ("granted by biometric", "granted by appPIN")])
    func otherwise(_ right: String, _ wrong: String) async throws {
        let scenario = try Self.scenario("match")
        let world = AndroidWorld(for: scenario)
        let seen = try await world.run { try await Performance(scenario, in: world).play() }.seen
        #expect(Difference.found(seen, scenario, []) == [])
        #expect(Difference.found(seen.map { $0.replacing(right, with: wrong) }, scenario, []).count == 2)
        #expect(Difference.found(Array(seen.dropLast()), scenario, []).count == 1)
    }
}
