#if Tools
import Foundation
import Hummingbird
import Logging
import NIOPosix
import Synchronization
import Thumbturn
import ThumbturnCommands
import ThumbturnCore
import ThumbturnLoad
import ThumbturnMessages
import ThumbturnServer
import ThumbturnSimulator
import ThumbturnTelemetry

/// Phones of four models report their unlocks to a server over HTTP for some days. In the middle of it the sensors of one
/// model get slow, and the report has to show which.
struct TelemetryStory {
    let phones: Int
    let seed: UInt64
    /// Where the report's page is written; nil for nowhere.
    let page: String?

    private struct Model {
        let context: TelemetryContext
        /// Of ten phones.
        let share: Int
    }

    private static let days = 8
    /// Days of UTC, from the first one on.
    private static let slowSince = 4
    private static let slow = 2
    private static let slowness = 4.0
    private static let unlocksOfDay = 2
    private static let connections = 12

    private static let models: [Model] = [
        ("iOS", "iPhone17,3", "26.1", SensorName.faceID, 4), ("iOS", "iPhone14,6", "26.1", .touchID, 2),
        ("Android", "Pixel 9", "16", .fingerprint, 2), ("Android", "SM-S921B", "16", .fingerprint, 2),
    ].map { system, model, version, sensor, share in
        Model(
            context: TelemetryContext(
                system: TelemetryLabel(system), model: TelemetryLabel(model), systemVersion: TelemetryLabel(version),
                appVersion: "4.2.0", sensor: sensor, policy: UnlockPolicy.unlock.name),
            share: share)
    }

    private static var slowModel: String { models[slow].context.model?.text ?? "" }

    /// The model of a phone, by its number.
    private static func model(of phone: Int) -> Int {
        var place = phone % models.reduce(0) { $0 + $1.share }
        return models.firstIndex { model in
            place -= model.share
            return place < 0
        } ?? 0
    }

    func play() async throws {
        let days = DayClock()
        let (server, folder) = try await Self.server(days)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let key = try await server.addTelemetryKey(named: "story")
        try await Self.run(server) { port in try await reportUnlocks(to: port, key, days) }
        announce("The operator asks for the report of the days, by model.")
        let entries = try await server.service.store.telemetry(from: days.first, to: days.today)
        let report = TelemetryReport(entries, by: .model)
        print(report.text)
        try check(report, days)
        guard let page else { return }
        let html = report.html(title: "Unlocks of simulated phones")
        try Data(html.utf8).write(to: URL(fileURLWithPath: page), options: .withoutOverwriting)
        confirm("The page with the plots is in \(page)")
    }

    // MARK: The phones

    private func reportUnlocks(to port: Int, _ key: String, _ days: DayClock) async throws {
        announce("\(phones) phones of \(Self.models.count) models report their unlocks over HTTP, for \(Self.days) days.")
        let population = try Population(json: Population.defaultFile)
        var fleet = (0..<phones).map { ReportingPhone($0, of: population, under: .unlock, seed: seed) }
        let connections = try await Self.open(Self.connections, to: port)
        let began = ContinuousClock.now
        var events = 0
        for day in 0..<Self.days {
            if day > 0 { days.advance() }
            if day == Self.slowSince {
                for phone in fleet.indices where Self.model(of: phone) == Self.slow {
                    fleet[phone].slowSensor(by: Self.slowness)
                }
                announce(
                    "From \(UTCDay.text(days.today.number)) on each \(Self.slowModel) takes \(Int(Self.slowness)) times as long "
                        + "to recognise a finger.")
            }
            let (reporting, more) = await Self.batches(of: fleet, at: days.now)
            fleet = reporting.phones
            try await Self.send(reporting.batches, over: connections, key)
            events += more
            confirm("\(UTCDay.text(days.today.number)): \(reporting.batches.count) batches")
        }
        for connection in connections { try await connection.close() }
        let rate = Double(events) / max(began.duration(to: .now) / .seconds(1), 0.001)
        confirm("\(events) events of \(phones) phones were taken, \(Int(rate)) each second with the phones' own work")
    }

    /// What each phone reports of a day: one batch.
    private static func batches(
        of fleet: [ReportingPhone], at now: UnixTime
    ) async -> ((phones: [ReportingPhone], batches: [[UInt8]]), events: Int) {
        let size = (fleet.count + 15) / 16
        let starts = Array(stride(from: 0, to: fleet.count, by: max(size, 1)))
        let parts = await withTaskGroup(of: (Int, [ReportingPhone], [[UInt8]], Int).self) { group in
            for start in starts {
                group.addTask {
                    var phones = Array(fleet[start..<min(start + size, fleet.count)])
                    var events = 0
                    var generator = SystemRandomNumberGenerator()
                    let batches = phones.indices.map { index in
                        let context = models[model(of: start + index)].context
                        let unlocks = (0..<unlocksOfDay).flatMap { _ in phones[index].unlock() }.map { flow in
                            events += flow.count
                            return UnlockReport(flow, began: now, in: context)
                        }
                        return StrictJSON.encode(
                            TelemetryBatch(unlocks, id: .init(using: &generator), day: .init(using: &generator)))
                    }
                    return (start, phones, batches, events)
                }
            }
            return await group.reduce(into: []) { $0.append($1) }.sorted { $0.0 < $1.0 }
        }
        return ((parts.flatMap(\.1), parts.flatMap(\.2)), parts.reduce(0) { $0 + $1.3 })
    }

    private static func send(_ batches: [[UInt8]], over connections: [LoadConnection], _ key: String) async throws {
        let headers = [("Authorization", "Bearer \(key)")]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, connection) in connections.enumerated() {
                group.addTask {
                    for batch in stride(from: number, to: batches.count, by: connections.count) {
                        let answer = try await connection.send(
                            "POST", "/v1/telemetry", type: "application/json", headers: headers, body: batches[batch])
                        guard answer.status == 202 else {
                            throw UnexpectedOutcome("a batch was answered with \(answer.status)")
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    // MARK: The server

    private static func server(_ days: DayClock) async throws -> (EmbeddedServer, folder: String) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("thumbturn-story-\(UUID().uuidString)").path
        var settings = try ServerSettings(publicURL: "http://127.0.0.1:1", dataFolder: folder)
        // All phones are at one address, and a day takes seconds.
        (settings.telemetryRates, settings.telemetrySpacing) = (nil, .zero)
        do {
            return (EmbeddedServer(try await AuthorizationServer(settings, clock: days.node)), folder)
        } catch {
            try? FileManager.default.removeItem(atPath: folder)
            throw error
        }
    }

    /// Runs the server until the closure has ended.
    private static func run(
        _ server: EmbeddedServer, _ body: @escaping @Sendable (Int) async throws -> Void
    ) async throws {
        let (ports, started) = AsyncStream.makeStream(of: Int.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { started.finish() }
                var logger = Logger(label: "thumbturn")
                logger.logLevel = .error
                try await server.application(host: "127.0.0.1", port: 0, logger: logger) { started.yield($0) }.run()
            }
            defer { group.cancelAll() }
            for await port in ports { return try await body(port) }
            throw UnexpectedOutcome("the server did not start")
        }
    }

    private static func open(_ count: Int, to port: Int) async throws -> [LoadConnection] {
        var connections: [LoadConnection] = []
        for _ in 0..<count { connections.append(try await LoadConnection(host: "127.0.0.1", port: port, on: .singleton)) }
        return connections
    }

    // MARK: The report

    private func check(_ report: TelemetryReport, _ days: DayClock) throws {
        guard report.rows.count == Self.models.count, report.rows.allSatisfy({ $0.days.count == Self.days }) else {
            throw UnexpectedOutcome("the report lacks a model or a day")
        }
        let since = days.first.number + Self.slowSince
        guard let found = report.findings.first(where: { $0.measure == .sensor }), found.value == Self.slowModel,
            found.day == since
        else { throw UnexpectedOutcome("the report does not tell of the \(Self.slowModel) since \(UTCDay.text(since))") }
        guard report.findings.allSatisfy({ $0.value == Self.slowModel }) else {
            throw UnexpectedOutcome("the report names a model whose sensors are as before")
        }
        confirm("The report says which model, and since when: \(found.sentence)")
    }
}

/// A clock that goes on with the real one, and a day ahead each time that it is told.
private final class DayClock: Sendable {
    let first: TelemetryDay
    private let days = Mutex(0)
    private let began = ContinuousClock.now
    private let start: UnixTime

    init() {
        start = UnixTime(seconds: Int64(Date().timeIntervalSince1970) / 86_400 * 86_400)
        first = TelemetryDay(of: start)
    }

    private var elapsed: Duration { began.duration(to: .now) + .seconds(86_400 * Int64(days.withLock { $0 })) }
    var now: UnixTime { start + .seconds(elapsed.components.seconds) }
    var today: TelemetryDay { TelemetryDay(of: now) }
    func advance() { days.withLock { $0 += 1 } }
    var node: NodeClock { NodeClock(civil: { self.now }, monotonic: { self.elapsed }) }
}
#endif
