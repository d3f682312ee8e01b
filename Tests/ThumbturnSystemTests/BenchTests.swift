#if Tools
import Foundation
import TestSupport
import Testing

/// Short runs of the benchmarks: their counts agree, and all their figures are present. No test depends on a speed.
@Suite struct BenchTests {
    static let shortRun = ["--seconds", "0.5", "--warm-up", "0", "--connections", "2", "--devices", "20"]
    static let figureNames: Set = [
        "per_second", "limit_per_second", "ratio", "p50_ms", "p99_ms", "p999_ms", "done", "verify_us", "sign_us", "hello_us",
    ]

    private func bench(_ arguments: [String]) async throws -> (figures: [String: Any], run: Finished) {
        let run = try await Built.run(Built.path("thumbturn-trials"), ["bench"] + arguments + ["--json"])
        let figures = try #require(
            try? JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any], "\(run.errors)")
        return (figures, run)
    }

    @Test func signIn() async throws {
        // Beside other tests no rate may have a P99 as low as the default.
        let once = ["--runs", "1", "--sign-ins-before-rest", "100", "--rest", "0", "--highest-p99", "60000"]
        let (figures, _) = try await bench(["sign-in"] + once + Self.shortRun)
        for name in [
            "sign_ins_per_second", "limit_per_second", "ratio", "p50_ms", "p99_ms", "p999_ms", "rss_mb", "verify_us", "sign_us",
            "hello_us",
        ] {
            #expect((figures[name] as? Double ?? 0) > 0, "\(name)")
        }
    }

    @Test("refreshes and complete approvals", arguments: ["refresh", "approve"], [[], ["--rate", "20"]])
    func rates(_ name: String, _ more: [String]) async throws {
        let (figures, run) = try await bench([name] + Self.shortRun + more)
        for name in Self.figureNames { #expect((figures[name] as? Double ?? 0) > 0, "\(name)") }
        #expect(figures["unanswered"] as? Int == 0, "\(run.errors)")
        #expect(figures["begun_per_second"] as? Double == (more.isEmpty ? nil : 20))
    }

    @Test func store() async throws {
        let (figures, _) = try await bench(["store", "--seconds", "0.2", "--writers", "1,8"])
        #expect((figures["fsyncs_per_second"] as? Double ?? 0) > 0)
        let runs = try #require(figures["runs"] as? [[String: Any]])
        #expect(runs.map { $0["writers"] as? Int } == [1, 8])
        for run in runs {
            for name in ["rows_per_second", "commits_per_second", "p50_ms", "p99_ms"] {
                #expect((run[name] as? Double ?? 0) > 0, "\(name)")
            }
        }
        #expect(runs[0]["rows_per_commit"] as? Double == 1, "a single writer does not wait for others")
        #expect((figures["rows"] as? Int ?? 0) > 0)
    }

    /// No bar is checked: a busy machine meets none of them.
    @Test func hostile() async throws {
        let few = ["--rate", "20", "--hostile-rate", "100", "--slow-bodies", "20", "--input-size", "512"]
        let (figures, run) = try await bench(["hostile"] + Self.shortRun + few)
        let parsers = try #require(figures["parsers"] as? [[String: Any]])
        #expect(parsers.count >= 17)
        for parser in parsers {
            #expect((parser["milliseconds"] as? Double ?? 0) > 0 && (parser["bytes"] as? Int ?? 0) > 0, "\(parser)")
        }
        for name in ["alone", "beside"] {
            let honest = try #require(figures[name] as? [String: Any])
            #expect(honest["per_second"] is Double && honest["unanswered"] is Int, "\(name): \(run.errors)")
        }
        #expect((figures["hostile"] as? [String: Any])?["sent"] is Int && (figures["memory_mb"] as? Double ?? 0) > 0)
        #expect((figures["bars"] as? [String: Any])?.count == 4)
    }

    @Test(
        "options out of range are refused",
        arguments: [
            ["sign-in", "--runs", "0"], ["sign-in", "--highest-p99", "0"], ["refresh", "--connections", "65"],
            ["refresh", "--rate", "0"],
            ["approve", "--seconds", "0"],
            ["approve", "--seconds", "241"], ["store", "--writers", "1,none"], ["store", "--seconds", "-1"],
            ["hostile", "--rate", "0"], ["hostile", "--slow-bodies", "-1"],
            ["hostile", "--input-size", "1"], ["hostile", "--hostile-connections", "0"],
        ])
    func outOfRange(_ arguments: [String]) async throws {
        #expect(try await Built.run(Built.path("thumbturn-trials"), ["bench"] + arguments).status == 64)
    }

    @Test func thePersonGetsSentencesAndProgress() async throws {
        let run = try await Built.run(Built.path("thumbturn-trials"), ["bench", "store", "--seconds", "0.1", "--writers", "2"])
        #expect(run.status == 0 && run.output.hasPrefix("2 at once: ") && run.output.contains("the disk by itself: "))
        #expect(run.errors.contains("2 at once …\n"))
    }
}
#endif
