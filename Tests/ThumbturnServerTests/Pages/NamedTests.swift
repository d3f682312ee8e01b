import Foundation
import TestSupport

/// The tests of this repository, as pages name them: `Suite.test`, or a scenario.
enum NamedTests {
    private static let sources: [String] = {
        let files = FileManager.default.enumerator(
            at: repository.appendingPathComponent("Tests"), includingPropertiesForKeys: nil)
        return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
            .compactMap { try? String(contentsOf: $0, encoding: .utf8) }
    }()

    /// Whether a suite of this name has a test of this name; or whether there is such a scenario, as `match.json`, which
    /// `ScenarioTests.asTold` plays.
    static func exist(_ name: String) -> Bool {
        if name.hasSuffix(".json") {
            return FileManager.default.fileExists(atPath: repository.appendingPathComponent("Tests/Scenarios/\(name)").path)
        }
        let parts = name.split(separator: ".")
        return parts.count == 2
            && sources.contains { $0.contains("struct \(parts[0]) {") && isATest("func \(parts[1])(", in: $0) }
    }

    /// Whether the function has the attribute `@Test`: no other function is declared between the two.
    private static func isATest(_ function: String, in source: String) -> Bool {
        guard let found = source.range(of: function),
            let attribute = source.range(of: "@Test", options: .backwards, range: source.startIndex..<found.lowerBound)
        else { return false }
        return !source[attribute.upperBound..<found.lowerBound].contains("func ")
    }
}
