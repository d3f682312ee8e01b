#if Tools
import Foundation
import TestSupport
import Testing

/// `thumbturn simulate` as a process.
@Suite struct SimulateCommandTests {
    private func simulate(_ arguments: String...) async throws -> Finished {
        try await Built.run(Built.path("thumbturn"), ["simulate"] + arguments)
    }

    /// Runs with a folder of its own.
    private func inFolder(_ body: (_ folder: String) async throws -> Void) async throws {
        let folder = Built.temporaryFolder()
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    @Test func theSameSeedPrintsTheSameBytesBesideTheArticle() async throws {
        let once = try await simulate("--sessions", "2000", "--seed", "1")
        let again = try await simulate("--sessions", "2000", "--seed", "1")
        #expect(once.status == 0 && once.output == again.output)
        for words in ["fixed prompt of 30 s", "adaptive default", "completion", "Completion: +9 %", "got in 0 times"] {
            #expect(once.output.contains(words), "\(words)")
        }
        let other = try await simulate("--sessions", "2000", "--seed", "2")
        #expect(other.output != once.output)
    }

    @Test func quantilesAreExactAndMergingHasNoOrder() async throws {
        let run = try await Built.run(
            Built.path("thumbturn-trials"), ["bench", "aggregation", "--samples", "100000", "--seconds", "0.2"])
        #expect(run.status == 0, "\(run.output)\(run.errors)")
        #expect(run.output.contains("million events counted per second") && run.output.contains("the same bytes"))
    }

    @Test func aPolicyAndAPopulationFromFilesGiveJSONAndACurve() async throws {
        try await inFolder { folder in
            let population = try await simulate("population")
            try Data(population.output.utf8).write(to: URL(fileURLWithPath: folder + "/people.json"))
            try Data(#"{"ladder": ["biometric", "fullCredentials"]}"#.utf8).write(
                to: URL(fileURLWithPath: folder + "/short.json"))
            let run = try await simulate(
                "--policy", "unlock", "--policy", folder + "/short.json", "--population", folder + "/people.json", "--sessions",
                "400",
                "--json", "--plot", folder + "/charts")
            let object = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
            let policies = try #require(object["policies"] as? [[String: Any]])
            #expect(policies.compactMap { $0["name"] as? String } == ["unlock", "short"])
            // It is not compared with the article.
            #expect(object["article"] == nil)
            let chart = try String(contentsOfFile: folder + "/charts/completion.svg", encoding: .utf8)
            #expect(chart.contains("<svg") && chart.contains("short"))
        }
    }

    @Test func whatCannotBeUsedIsNamed() async throws {
        try await inFolder { folder in
            func file(_ name: String, _ text: String) throws -> String {
                try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
                return folder + "/" + name
            }
            let population = try await simulate("population").output
            let share = try file("share.json", population.replacing(#""strangers": 0.002"#, with: #""strangers": 2"#))
            let policy = try file("policy.json", #"{"ladder": ["biometric", "fullCredentials"], "hint_after": 0}"#)
            for (arguments, words) in [
                (["--population", share], "share.json: strangers: is 0 to 1, and was 2"),
                (["--policy", policy], "hint_after: "), (["--policy", "nowhere.json"], "nowhere.json: there is no such file"),
                (["--sessions", "0"], "--sessions must be 1 to"), (["fit", share], "share.json: "),
                (["tune", "--at-most", "speed=1"], "--at-most is FIGURE=VALUE"),
                (["tune", "--objective", "beauty"], "objective"),
            ] {
                let refused = try await Built.run(Built.path("thumbturn"), ["simulate"] + arguments)
                #expect(refused.status == 64 && refused.errors.contains(words), "\(refused.errors)")
            }
        }
    }

    @Test func theSearchesTellWhatTheyFound() async throws {
        let sensitivity = try await simulate("sensitivity", "--sessions", "80")
        #expect(sensitivity.status == 0 && sensitivity.output.contains("patience.median"))
        let tuned = try await simulate("tune", "--sessions", "80", "--objective", "completion")
        #expect(tuned.status == 0 && tuned.output.contains("64 policies tried") && tuned.output.contains("Best by completion"))
        let impossible = try await simulate("tune", "--sessions", "80", "--at-most", "any_p95=0")
        #expect(impossible.status == 1 && impossible.errors.contains("--at-most"))
    }
}
#endif
