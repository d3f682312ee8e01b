#if Tools
import Foundation
import NIOCore
import NIOPosix
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnLoad
import ThumbturnMessages

/// The operator's commands for telemetry as processes, beside a running server.
@Suite struct TelemetryCommandTests {
    /// Reports of one unlock each, from devices of their own.
    private static func batches(_ count: Int) -> [[UInt8]] {
        var generator = SystemRandomNumberGenerator()
        let unlock = UnlockReport(
            [.promptShown(.biometric), .authenticated(.biometric, after: .seconds(1), attempts: 1)],
            began: UnixTime(seconds: Int64(Date().timeIntervalSince1970)),
            in: TelemetryContext(system: "iOS", model: "iPhone17,3"))
        return (0..<count).map { _ in
            StrictJSON.encode(TelemetryBatch([unlock], id: .init(using: &generator), day: .init(using: &generator)))
        }
    }

    @Test func fromAWriteKeyToAReportAndMetrics() async throws {
        let folder = Built.temporaryFolder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func command(_ arguments: String...) async throws -> Finished {
            try await Built.run(Built.path("thumbturn-server"), arguments + ["--data", folder])
        }
        try await ServerProcess.addAccount(in: folder)
        let made = try await command("telemetry", "key", "add", "shop")
        let key = made.output.trimmingCharacters(in: .newlines)
        #expect(made.status == 0 && key.count == 43)
        let twice = try await command("telemetry", "key", "add", "shop")
        #expect(twice.status == 1 && twice.errors.contains("shop exists already"))
        let listed = try await command("telemetry", "key", "list")
        #expect(listed.output.hasPrefix("shop\t") && !listed.output.contains(key))

        let day = Date().formatted(.iso8601.year().month().day())
        let days = ["--from", "2020-01-01", "--to", "2999-12-31", "--by", "model"]
        let nothing = try await Built.run(Built.path("thumbturn-server"), ["report", "--data", folder] + days)
        #expect(nothing.status == 1 && nothing.errors.contains("docs/telemetry.md"))
        let backwards = try await command("report", "--from", "2999-12-31", "--to", "2020-01-01", "--by", "model")
        #expect(backwards.status == 64 && backwards.errors.contains("--from must not be after --to"))
        let noDay = try await command("report", "--from", "2026-02-30", "--to", "2026-03-01", "--by", "model")
        #expect(noDay.status == 64)

        let (port, metricsPort) = (try await Built.freePort(), try await Built.freePort())
        let server = try await ServerProcess.start(
            "thumbturn-server",
            ["serve", "--data", folder, "--listen", "127.0.0.1:\(port)", "--metrics", "127.0.0.1:\(metricsPort)"], port: port)
        defer { server.stop() }
        let connection = try await server.connect()
        for batch in Self.batches(20) {
            let answer = try await connection.send(
                "POST", "/v1/telemetry", type: "application/json", headers: [("Authorization", "Bearer \(key)")], body: batch)
            #expect(answer.status == 202)
        }
        var listener: LoadConnection?
        // Its listener is a service of its own, which may begin a moment later.
        while listener == nil { listener = try? await LoadConnection(host: "127.0.0.1", port: metricsPort, on: .singleton) }
        let metrics = try #require(try await listener?.send("GET", "/metrics"))
        #expect(metrics.status == 200)
        #expect(
            String(decoding: metrics.body, as: UTF8.self).contains(#"thumbturn_telemetry_unlocks_total{outcome="counted"} 20"#))

        let report = try await Built.run(Built.path("thumbturn-server"), ["report", "--data", folder] + days)
        #expect(report.status == 0 && report.output.contains("iPhone17,3") && report.output.contains(day))
        let page = try await Built.run(
            Built.path("thumbturn-server"), ["report", "--data", folder, "--html", folder + "/report.html"] + days)
        #expect(page.status == 0)
        let again = try await Built.run(
            Built.path("thumbturn-server"), ["report", "--data", folder, "--html", folder + "/report.html"] + days)
        #expect(again.status == 1 && again.errors.contains("report.html"))
        #expect(try String(contentsOfFile: folder + "/report.html", encoding: .utf8).contains("iPhone17,3"))

        let removed = try await command("telemetry", "key", "remove", "shop")
        #expect(removed.status == 0)
        let batch = try #require(Self.batches(1).first)
        let refused = try await connection.send(
            "POST", "/v1/telemetry", type: "application/json", headers: [("Authorization", "Bearer \(key)")], body: batch)
        #expect(refused.status == 401)
        let unknown = try await command("telemetry", "key", "remove", "shop")
        #expect(unknown.status == 1 && unknown.errors.contains("telemetry key list"))
    }
}
#endif
