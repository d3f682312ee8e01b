import Foundation
import Testing
import ThumbturnCore
import ThumbturnTestKit

@Suite struct ScenarioTests {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    static let folder = root.appendingPathComponent("Tests/Scenarios")
    static let files = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".json") }.sorted()

    static func scenario(_ file: String) throws -> Scenario {
        try Scenario(json: Data(contentsOf: folder.appendingPathComponent(file)))
    }

    @Test func thereAreEnoughScenariosAndEachHasItsName() throws {
        let names = try Self.files.map { try Self.scenario($0).name }
        #expect(names.count >= 25 && Set(names).count == names.count)
    }

    @Test("everything happens as it is told", arguments: files)
    func asTold(_ file: String) throws {
        #expect(try Self.scenario(file).run().differences == [])
    }

    @Test("a story without one of its events is another story", arguments: files)
    func withoutEach(_ file: String) throws {
        let scenario = try Self.scenario(file)
        #expect(scenario.eventCount > 0)
        for index in 0..<scenario.eventCount {
            #expect(!scenario.run(without: index).differences.isEmpty, "\(file) without event \(index)")
        }
    }

    @Test func theExampleInTheDocumentationReplays() throws {
        let text = try String(contentsOf: Self.root.appendingPathComponent("docs/scenarios.md"), encoding: .utf8)
        let example = try #require(text.split(separator: "```json\n").last?.split(separator: "```").first)
        #expect(try Scenario(json: Data(example.utf8)).run().differences == [])
    }

    @Test func aDifferenceIsReportedWithItsTimeAndItsEvent() throws {
        let told = try String(contentsOf: Self.folder.appendingPathComponent("nobody-answers.json"), encoding: .utf8)
        let other = told.replacing("{\"showHint\": \"devicePasscode\"}", with: "{\"showHint\": \"appPIN\"}")
        let differences = try Scenario(json: Data(other.utf8)).run().differences
        #expect(differences.count == 1)
        #expect(differences.first?.hasPrefix("at 8000 ms, woke: expected [showHint appPIN, ") == true)
        let end = told.replacing("\"attempts\": 2", with: "\"attempts\": 3")
        #expect(try Scenario(json: Data(end.utf8)).run().differences.count == 1)
    }

    @Test func anEndThatDiffersIsADifference() throws {
        let told = try String(contentsOf: Self.folder.appendingPathComponent("match.json"), encoding: .utf8)
        let end = try #require(told.range(of: "\"end\": "))
        let other = told[..<end.upperBound] + "{\"failed\": {\"code\": \"timedOut\", \"recovery\": \"retry\"}}\n}\n"
        let differences = try Scenario(json: Data(other.utf8)).run().differences
        #expect(differences.count == 1 && differences.first?.hasPrefix("the end: expected failed ") == true)
    }

    @Test(
        "a mistake is named with its place",
        arguments: [
            ("\"format\": \"thumbturn-scenario/1\"", "\"format\": \"thumbturn-scenario/2\"", "format: "),
            ("\"name\": ", "\"nam\": ", "the file: has no member \"nam\""),
            ("\"shows\": ", "\"name\": ", "line 4: has the member"),
            ("  \"pains\": [],\n", "", "the file: lacks the member \"pains\""),
            ("\"pains\": []", "\"pains\": [45]", "pains[0]: "),
            ("\"policy\": \"unlock\"", "\"policy\": \"unlok\"", "policy: \"unlok\" is none of "),
            ("\"policy\": \"unlock\"", "\"policy\": {\"ladder\": []}", "policy: ladder: is empty"),
            ("\"policy\": \"unlock\"", "\"policy\": {\"ladders\": []}", "policy.ladders: "),
            ("\"policy\": \"unlock\"", "\"policy\": {}", "policy: lacks the member \"ladder\""),
            ("\"policy\": \"unlock\"", "\"policy\": {\"ladder\": [\"nose\"]}", "policy.ladder[0]: "),
            ("\"policy\": \"unlock\"", "\"policy\": {\"ladder\": 1}", "policy.ladder: expected an array"),
            ("\"policy\": \"unlock\"", "\"person\": {\"preferred\": \"PIN\"}, \"policy\": \"unlock\"", "person.preferred: "),
            ("\"by\": \"tap\"", "\"by\": \"tip\"", "start.by: "),
            ("\"biometry\": \"ready\"", "\"biometry\": \"redy\"", "start.biometry: "),
            ("{\"session\": \"usable\"", "{\"sesion\": \"usable\"", "start.keys: has no member \"sesion\""),
            ("\"at\": 12000", "\"at\": 7000", "events[1].at: is before the event above"),
            ("\"at\": 8000", "\"at\": -1", "events[0].at: "),
            ("\"at\": 8000", "\"at\": 8000.5", "events[0].at: "),
            ("\"event\": \"woke\"", "\"event\": \"awoke\"", "events[0].event: awoke has no meaning here"),
            ("\"event\": \"woke\"", "\"event\": {\"woke\": 1}", "events[0].event: woke with a value has no meaning here"),
            ("\"event\": \"woke\"", "\"event\": true", "events[0].event: expected a string, a whole number"),
            ("\"answer\": \"matched\"", "\"answer\": \"matches\"", "events[2].event.answered.answer: "),
            ("{\"showHint\": \"devicePasscode\"}", "{\"showHints\": \"devicePasscode\"}", "events[0].effects[0]: "),
            ("{\"showHint\": \"devicePasscode\"}", "{\"showHint\": \"passcode\"}", "events[0].effects[0].showHint: "),
            ("{\"showHint\": \"devicePasscode\"}", "{\"showHint\": \"devicePasscode\", \"x\": 1}", "events[0].effects[0]: "),
            ("\"end\": {\"granted\"", "\"end\": {\"grant\"", "end: "),
        ])
    func mistakes(_ right: String, _ wrong: String, _ says: String) throws {
        let told = try String(contentsOf: Self.folder.appendingPathComponent("nobody-answers.json"), encoding: .utf8)
        let range = try #require(told.range(of: right))
        let error = #expect(throws: ScenarioProblem.self) {
            try Scenario(json: Data(told.replacingCharacters(in: range, with: wrong).utf8))
        }
        #expect(error?.description.hasPrefix(says) == true, "\(error?.description ?? "none")")
    }

    /// The message once spelled the whole value, and each level of it anew.
    @Test func aMistakeInALongFileHasAShortMessage() throws {
        let told = try String(contentsOf: Self.folder.appendingPathComponent("nobody-answers.json"), encoding: .utf8)
        let nested = Array(repeating: "[[[[[[[[]]]]]]]]", count: 4000).joined(separator: ",")
        func message(_ right: String, _ wrong: String) throws -> String {
            let range = try #require(told.range(of: right))
            let text = told.replacingCharacters(in: range, with: wrong)
            let problem = try #require(throws: ScenarioProblem.self) { try Scenario(json: Data(text.utf8)) }
            return problem.description
        }
        #expect(
            try message("\"event\": \"woke\"", "\"event\": {\"woke\": [\(nested)]}")
                == "events[0].event: woke with a value has no meaning here")
        #expect(try message("\"policy\": \"unlock\"", "\"policy\": [\(nested)]") == "policy: expected an object, found an array")
        let effects = try message("{\"showHint\": \"devicePasscode\"}", nested)
        #expect(effects == "events[0].effects[0]: is no name and no object")
    }

    @Test func textThatIsNoJSONIsReportedWithItsLine() throws {
        let error = #expect(throws: ScenarioProblem.self) { try Scenario(json: Data("{\n  \"format\": oops\n}".utf8)) }
        #expect(error?.description.hasPrefix("line 2: expected") == true, "\(error?.description ?? "none")")
    }

    @Test func aFileIsCappedBeforeItIsRead() throws {
        let long = Data(repeating: UInt8(ascii: "["), count: 262_145)
        let error = #expect(throws: ScenarioProblem.self) { try Scenario(json: long) }
        #expect(error?.description == "the file: is longer than 262144 bytes")
    }
}

/// The table of pains names scenarios and tests that exist.
@Suite struct PainsTests {
    struct Row {
        var number: Int
        var shownBy: String
        var names: [String]
    }

    static let rows: [Row] = {
        let text = (try? String(contentsOf: ScenarioTests.root.appendingPathComponent("docs/pains.md"), encoding: .utf8)) ?? ""
        return text.matches(of: /(?m)^\| (\d+) \| .* \| (.*) \|$/).map { row in
            Row(
                number: Int(row.1) ?? 0, shownBy: String(row.2),
                names: row.2.matches(of: /`([^`]+)`/).map { String($0.1) }.filter { $0.contains(".") }
            )
        }
    }()

    /// The sources of all tests.
    static let sources: [String] = {
        let files = FileManager.default.enumerator(
            at: ScenarioTests.root.appendingPathComponent("Tests"), includingPropertiesForKeys: nil)
        return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
            .compactMap { try? String(contentsOf: $0, encoding: .utf8) }
    }()

    @Test func eachNumberIsThereOnce() {
        #expect(Self.rows.map(\.number) == Array(1...44))
    }

    @Test func eachIsShownOrSaysWhyNot() {
        for row in Self.rows where row.names.isEmpty { #expect(row.shownBy.hasPrefix("Not shown: "), "\(row.number)") }
    }

    @Test func eachNamedTestExists() {
        for row in Self.rows {
            for name in row.names where !name.hasSuffix(".json") {
                let parts = name.split(separator: ".")
                #expect(
                    Self.sources.contains { $0.contains("struct \(parts[0]) {") && $0.contains("func \(parts[1])(") },
                    "\(row.number): \(name)")
            }
        }
    }

    @Test func scenariosAndTheTableNameEachOther() throws {
        for row in Self.rows {
            let naming = try ScenarioTests.files.filter { try ScenarioTests.scenario($0).pains.contains(row.number) }
            #expect(Set(naming) == Set(row.names.filter { $0.hasSuffix(".json") }), "\(row.number)")
        }
    }
}
