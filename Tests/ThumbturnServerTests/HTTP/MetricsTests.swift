#if Tools
import CoreMetrics
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOPosix
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnLoad
import ThumbturnMessages
@testable import ThumbturnServer

/// The metrics of a server, in the text format of Prometheus, and the dashboard that shows them.
@Suite struct MetricsTests {
    // MARK: The format

    @Test func theTextIsWhatTheFormatSays() throws {
        let metrics = PrometheusMetrics(help: ["a_total": "All \"a\",\\ in\ntwo lines."])
        Counter(label: "a_total", dimensions: [("z", "1"), ("b", "x\"y\\z\nw{}=,ü")], factory: metrics).increment(by: 2)
        Counter(label: "a_total", dimensions: [], factory: metrics).increment()
        Meter(label: "b.c-d", factory: metrics).set(2.5)
        Gauge(label: "0e", dimensions: [("1:2", "")], factory: metrics).record(-3)
        let timer = Timer(label: "t_seconds", factory: metrics)
        for milliseconds in [0, 1, 3, 700, 60_000] { timer.recordMilliseconds(milliseconds) }
        let text = metrics.text()
        #expect(
            text.hasPrefix(
                #"""
                # TYPE _0e gauge
                _0e{_1_2=""} -3
                # HELP a_total All "a",\\ in\ntwo lines.
                # TYPE a_total counter
                a_total 1
                a_total{b="x\"y\\z\nw{}=,ü",z="1"} 2
                # TYPE b_c_d gauge
                b_c_d 2.5
                # TYPE t_seconds histogram
                t_seconds_bucket{le="0.0005"} 1
                t_seconds_bucket{le="0.001"} 2
                t_seconds_bucket{le="0.0025"} 2
                t_seconds_bucket{le="0.005"} 3

                """#), "\(text)")
        #expect(text.hasSuffix("t_seconds_bucket{le=\"+Inf\"} 5\nt_seconds_sum 60.704\nt_seconds_count 5\n"), "\(text)")
        let parsed = try PrometheusPage(text)
        #expect(parsed.samples[#"a_total{b=x"y\z"# + "\nw{}=,ü,z=1}"] == 2)
        #expect(parsed.types["t_seconds"] == "histogram")
    }

    @Test func aCounterNeverGoesBackAndANameHasOneKind() throws {
        let metrics = PrometheusMetrics()
        let counter = Counter(label: "c", factory: metrics)
        counter.increment(by: 3)
        counter.increment(by: -2)
        Meter(label: "c", factory: metrics).set(7)
        Counter(label: "c", factory: metrics).increment()
        counter.destroy()
        #expect(metrics.text() == "# TYPE c counter\nc 4\n")
        #expect(try PrometheusPage(metrics.text()).samples == ["c": 4])
    }

    @Test func thereAreNoMoreSeriesThanTheBound() {
        let metrics = PrometheusMetrics()
        for number in 0..<(PrometheusMetrics.mostSeries + 10) {
            Counter(label: "c", dimensions: [("n", "\(number)")], factory: metrics).increment()
        }
        #expect(metrics.text().split(separator: "\n").count == PrometheusMetrics.mostSeries + 1)
    }

    @Test func numbersThatAreNotFiniteHaveTheirNames() {
        #expect(
            [.nan, .infinity, -.infinity, 1, 0.1, 1e300, -2].map(PrometheusText.number) == [
                "NaN", "+Inf", "-Inf", "1", "0.1", "1e+300", "-2",
            ])
    }

    // MARK: A running server

    @Test func aServerCountsWhatItDoesAndNamesNobody() async throws {
        let metrics = PrometheusMetrics()
        try await LiveServer.run(configure: { $0.metrics = metrics }) { live in
            let one = try await live.device()
            let token = try await one.signIn()
            _ = try await one.refresh(token.refreshToken)
            _ = try await one.get("/v1/devices/no-such-device", token: token.accessToken)
            _ = try await one.delete("/v1/devices/\(Identifier<DeviceKind>.random().text)", token: token.accessToken)
            _ = try await live.connect().send("PROPFIND", "/v1/coffee")
            let key = try await live.telemetryKey()
            let batch = TelemetryBatches.bytes()
            for _ in 0..<2 { #expect(try await live.sendTelemetry(batch, key: key).status == 202) }
            #expect(try await live.sendTelemetry(Array("{}".utf8), key: key).status == 400)
            let text = metrics.text()
            let page = try PrometheusPage(text)
            for (name, value) in [
                ("thumbturn_sessions_total{kind=sign-in}", 1), ("thumbturn_sessions_total{kind=refresh}", 1),
                ("thumbturn_sessions_total{kind=step-up}", 0), ("thumbturn_challenges_total{purpose=enrol}", 1),
                ("thumbturn_requests_total{method=POST,route=/v1/devices,status=2xx}", 1),
                ("thumbturn_requests_total{method=any,route=none,status=4xx}", 2),
                ("thumbturn_requests_total{method=DELETE,route=/v1/devices/{id},status=4xx}", 1),
                ("thumbturn_requests_total{method=POST,route=/v1/telemetry,status=2xx}", 2),
                ("thumbturn_telemetry_batches_total{outcome=counted}", 1),
                ("thumbturn_telemetry_batches_total{outcome=repeated}", 1),
                ("thumbturn_telemetry_batches_total{outcome=malformed}", 1),
                ("thumbturn_telemetry_unlocks_total{outcome=counted}", 1), ("thumbturn_telemetry_waiting_unlocks", 0),
                ("thumbturn_refusals_total{reason=telemetry malformed}", 1),
            ] { #expect(page.samples[name] == Double(value), "\(name): \(page.samples[name] ?? .nan)\n\(text)") }
            #expect((page.samples["thumbturn_transaction_seconds_count"] ?? 0) > 3)
            #expect((page.samples["thumbturn_open_connections"] ?? 0) >= 1)
            for secret in [
                try await live.account(of: one), token.accessToken, "\"ada", "PROPFIND", key, "coffee", "no-such-device",
                "127.0.0.1",
            ] {
                #expect(!text.contains(secret), "\(secret)")
            }
            #expect(Set(page.types.keys).isSubset(of: ServerMetrics.Name.allCases.map(\.rawValue)))
        }
    }

    @Test func theListenerAnswersOnlyMetricsAndDemandsItsKey() async throws {
        let metrics = PrometheusMetrics()
        Counter(label: "c", factory: metrics).increment()
        func answer(
            _ path: String, key: String?, _ authorization: String?
        ) async throws -> (status: Int, body: String, type: String?) {
            let responder = MetricsListener.router(metrics, key: key).buildResponder()
            var head = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: path)
            if let authorization { head.headerFields[.authorization] = authorization }
            let response: (status: Int, headers: HTTPFields, body: [UInt8])
            do {
                response = try await responder.answer(head, [], logger: Logger(label: "test"))
            } catch let error as any HTTPResponseError {
                return (error.status.code, "", nil)
            }
            return (response.status, String(decoding: response.body, as: UTF8.self), response.headers[.contentType])
        }
        let open = try await answer("/metrics", key: nil, nil)
        #expect(open == (200, "# TYPE c counter\nc 1\n", "text/plain; version=0.0.4; charset=utf-8"))
        #expect(try await answer("/v1/me", key: nil, nil).status == 404)
        #expect(try await answer("/metrics", key: "a key", "Bearer a key").status == 200)
        for wrong in [nil, "Bearer a kex", "Bearer", "Basic a key", "a key"] {
            let refused = try await answer("/metrics", key: "a key", wrong)
            #expect(refused.status == 401 && refused.body.isEmpty, "\(wrong ?? "none")")
        }
    }

    @Test func theListenerRunsBesideTheServerAndStopsWithIt() async throws {
        let (metrics, folder) = (PrometheusMetrics(), LiveServer.temporaryFolder())
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        var settings = try ServerSettings(publicURL: "http://127.0.0.1:1", dataFolder: folder)
        settings.metrics = metrics
        let server = try await EmbeddedServer(settings)
        let (ports, running) = AsyncStream.makeStream(of: Int.self)
        let listener = MetricsListener.application(metrics, host: "127.0.0.1", port: 0, key: nil, logger: logger) {
            running.yield($0)
        }
        let application = server.application(host: "127.0.0.1", port: 0, logger: logger, with: [listener])
        try await withThrowingTaskGroup { group in
            group.addTask { try await application.run() }
            group.addTask {
                for await port in ports {
                    let connection = try await LoadConnection(host: "127.0.0.1", port: port, on: .singleton)
                    let answer = try await connection.send("GET", "/metrics")
                    #expect(answer.status == 200)
                    #expect(try PrometheusPage(answer.text).types["thumbturn_transaction_seconds"] == "histogram")
                    try await connection.close()
                    return
                }
            }
            _ = try await group.next()
            group.cancelAll()
        }
    }

    // MARK: The dashboard

    @Test func theDashboardShowsMetricsThatExistAndEachOfThem() throws {
        let file = repository.appendingPathComponent("packaging/grafana/thumbturn.json")
        let dashboard = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        let panels = try #require(dashboard["panels"] as? [[String: Any]])
        let queries = panels.flatMap { $0["targets"] as? [[String: Any]] ?? [] }.compactMap { $0["expr"] as? String }
        #expect(queries.count >= panels.count && panels.count >= ServerMetrics.Name.allCases.count - 1)
        let known = Set(
            ServerMetrics.Name.allCases.flatMap { name in
                name == .transactions ? ["_bucket", "_sum", "_count"].map { name.rawValue + $0 } : [name.rawValue]
            })
        var named: Set<String> = []
        for query in queries {
            let names = query.matches(of: /thumbturn_\w+/).map { String($0.0) }
            #expect(!names.isEmpty && known.isSuperset(of: names), "\(query)")
            named.formUnion(names)
        }
        for name in ServerMetrics.Name.allCases { #expect(named.contains { $0.hasPrefix(name.rawValue) }, "\(name.rawValue)") }
        let ids = panels.compactMap { $0["id"] as? Int }
        #expect(Set(ids).count == panels.count && panels.allSatisfy { ($0["title"] as? String)?.isEmpty == false })
    }
}

/// A page of the text format 0.0.4, read strictly.
private struct PrometheusPage {
    private(set) var types: [String: String] = [:]
    /// The values by name and labels, as `name{label=value,…}` without escapes.
    private(set) var samples: [String: Double] = [:]

    struct Wrong: Error { let line: String }

    init(_ text: String) throws {
        guard text.isEmpty || text.hasSuffix("\n") else { throw Wrong(line: "the end") }
        var current = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
            if let type = line.wholeMatch(of: /# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram)/) {
                current = String(type.1)
                // A metric's lines stand together.
                guard types.updateValue(String(type.2), forKey: current) == nil else { throw Wrong(line: String(line)) }
            } else if line.wholeMatch(of: /# HELP [a-zA-Z_:][a-zA-Z0-9_:]* [^\n]*/) == nil {
                try read(String(line), of: current)
            }
        }
        try checkHistograms()
    }

    private mutating func read(_ line: String, of family: String) throws {
        guard let match = line.wholeMatch(of: /([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? ([^ ]+)/),
            let value = match.3 == "+Inf" ? .infinity : Double(match.3)
        else { throw Wrong(line: line) }
        let name = String(match.1)
        let parts = types[family] == "histogram" ? ["_bucket", "_sum", "_count"].map { family + $0 } : [family]
        guard parts.contains(name) else { throw Wrong(line: line) }
        var (labels, rest): ([String], Substring) = ([], match.2 ?? "")
        while !rest.isEmpty {
            guard let label = rest.prefixMatch(of: /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\[\\"n])*)"(?:,|$)/) else {
                throw Wrong(line: line)
            }
            let value = label.2.replacing(/\\(.)/) { $0.1 == "n" ? "\n" : String($0.1) }
            labels.append("\(label.1)=\(value)")
            rest = rest[label.range.upperBound...]
        }
        let key = labels.isEmpty ? name : "\(name){\(labels.joined(separator: ","))}"
        guard samples.updateValue(value, forKey: key) == nil else { throw Wrong(line: line) }
    }

    /// The buckets of a histogram grow, and the last one has all values.
    private func checkHistograms() throws {
        for (name, type) in types where type == "histogram" {
            let buckets = samples.compactMap { key, value -> (Double, Double)? in
                guard
                    let bound = key.wholeMatch(of: try! Regex("\(name)_bucket\\{le=(.*)\\}", as: (Substring, Substring).self))?.1
                else { return nil }
                return (bound == "+Inf" ? .infinity : Double(bound) ?? .nan, value)
            }.sorted { $0.0 < $1.0 }
            guard zip(buckets, buckets.dropFirst()).allSatisfy({ $0.1 <= $1.1 }), buckets.last?.0 == .infinity,
                buckets.last?.1 == samples["\(name)_count"], samples["\(name)_sum"] != nil
            else { throw Wrong(line: name) }
        }
    }
}
#endif
