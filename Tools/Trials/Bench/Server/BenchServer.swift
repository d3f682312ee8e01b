#if Tools
import Foundation
import ThumbturnCommands
import ThumbturnCore
import ThumbturnLoad
import ThumbturnServer

/// The benchmark could not be run, or its result is discarded.
struct BenchError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}

/// Where the servers of one benchmark keep their data, which is deleted afterwards.
struct BenchPlace {
    /// The address for clients. Proofs and tokens name it; connections go to the nodes' ports.
    static let publicURL = "http://localhost"
    let folder: URL
    private let database: ScratchDatabase?

    /// - Parameter server: the PostgreSQL where a new database is made; nil for SQLite.
    init(on server: PostgresAddress?) throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("thumbturn-bench-\(UUID().uuidString)")
        database = try server.map { try ScratchDatabase(beside: $0) }
    }

    /// The settings of a server that answers no requests.
    func settings() throws -> ServerSettings {
        var settings = try ServerSettings(publicURL: Self.publicURL, dataFolder: folder.path)
        settings.database = try database.map { try PostgresAddress($0.address) }
        return settings
    }

    /// The address of the database; nil for SQLite.
    var address: String? { database?.address }

    /// The environment of a server.
    var environment: [String: String] {
        var environment = ProcessInfo.processInfo.environment
        environment["THUMBTURN_DATABASE"] = address
        return environment
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
        try? database?.remove()
    }
}

/// Devices and a back end that are enrolled in the store of one benchmark.
struct BenchPeople {
    var devices: [BenchDevice] = []
    /// The accounts' ids. Each device has an account of its own.
    var accounts: [String] = []
    /// A write key for telemetry.
    private(set) var telemetryKey = ""
    /// A back end that may create approvals.
    let backEnd = BenchBackEnd()

    /// Enrols more devices.
    mutating func enrol(_ count: Int, in place: BenchPlace) async throws {
        let server = try await EmbeddedServer(place.settings())
        if telemetryKey.isEmpty {
            try await server.addClient(named: backEnd.id, scopes: [.approvals], keys: [backEnd.publicKey])
            telemetryKey = try await server.addTelemetryKey(named: "bench")
        }
        let added = (0..<count).map { _ in BenchDevice() }
        accounts += try await server.enrolForLoad(
            added.map {
                [
                    .init(kid: $0.sessionKid, kind: .session, x963: $0.x963($0.session), isActive: true),
                    .init(kid: $0.kid, kind: .biometric, x963: $0.x963($0.biometric), isActive: true),
                ]
            })
        devices += added
        try await server.settleNotices()
    }
}

/// The server processes of one benchmark: one, or the nodes that share a database.
struct BenchServer {
    /// The port of each node.
    let ports: [Int]
    let requests: BenchRequests
    let people: BenchPeople
    /// The time from the start of the first process to its first answer.
    let startMilliseconds: Double
    private let nodes: [Node]

    private struct Node {
        let process: Process
        let output: Pipe
        let port: Int
    }

    var port: Int { ports[0] }
    var devices: [BenchDevice] { people.devices }
    var accounts: [String] { people.accounts }
    var telemetryKey: String { people.telemetryKey }
    var backEnd: BenchBackEnd { people.backEnd }

    /// Starts a server with a new store and a load generator, calls a closure with both, and stops them afterwards, also
    /// after an error.
    ///
    /// - Returns: the closure's results and the server's counts.
    static func run<Result, More>(
        _ options: LoadOptions, store: StoreOptions? = nil,
        _ work: (BenchServer, OpenLoop) async throws -> (Result, More)
    ) async throws -> (Result, More, ServedCounts) {
        let place = try BenchPlace(on: store?.server())
        defer { place.remove() }
        var people = BenchPeople()
        try await people.enrol(options.devices, in: place)
        return try await run(place, people, nodes: store?.nodes ?? 1, options, work)
    }

    /// Starts the server over a store that is there.
    static func run<Result, More>(
        _ place: BenchPlace, _ people: BenchPeople, nodes count: Int, _ options: LoadOptions,
        _ work: (BenchServer, OpenLoop) async throws -> (Result, More)
    ) async throws -> (Result, More, ServedCounts) {
        let server = try await start(count, place, people)
        let loop = OpenLoop(host: "127.0.0.1", ports: server.ports, connections: options.connections)
        do {
            let (result, more) = try await work(server, loop)
            try await loop.stop()
            return (result, more, try server.stop())
        } catch {
            try? await loop.stop()
            _ = try? server.stop()
            throw error
        }
    }

    private static func start(
        _ count: Int, _ place: BenchPlace, _ people: BenchPeople
    ) async throws -> BenchServer {
        let command = (Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0]))
            .deletingLastPathComponent().appendingPathComponent("TrialServer")
        guard FileManager.default.isExecutableFile(atPath: command.path) else {
            throw BenchError("TrialServer is not beside this command. Build both with: swift build -c release --traits Tools")
        }
        let began = ContinuousClock.now
        let first = try launch(command, place)
        var nodes = [first]
        do {
            let requests = BenchRequests(url: BenchPlace.publicURL, host: "127.0.0.1:\(first.port)")
            let single = OpenLoop(host: "127.0.0.1", ports: [first.port], connections: 1)
            _ = try await single.runUntilFirstAnswer(HelloLoad(requests))
            let start = began.duration(to: .now)
            try await single.stop()
            for _ in 1..<max(1, count) { nodes.append(try launch(command, place)) }
            return BenchServer(
                ports: nodes.map(\.port), requests: requests, people: people, startMilliseconds: start / .milliseconds(1),
                nodes: nodes)
        } catch {
            for node in nodes { node.process.terminate() }
            throw error
        }
    }

    private static func launch(_ command: URL, _ place: BenchPlace) throws -> Node {
        let process = Process()
        process.executableURL = command
        process.environment = place.environment
        process.arguments = ["--data", place.folder.path, "--listen", "127.0.0.1:0", "--public-url", BenchPlace.publicURL]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        // The server's first line has the address that it listens on.
        var line = ""
        while !line.contains("\n"), case let data = output.fileHandleForReading.availableData, !data.isEmpty {
            line += String(decoding: data, as: UTF8.self)
        }
        guard let found = line.firstMatch(of: /listening on [^ ]*:(\d+)\n/), let port = Int(found.1) else {
            process.terminate()
            throw BenchError("TrialServer did not start.")
        }
        return Node(process: process, output: output, port: port)
    }

    /// The processor time of one request to `/health`, of server and load together, in microseconds.
    func hello(over loop: OpenLoop, _ options: LoadOptions, output: OutputOptions) async throws -> Double {
        output.progress("measuring the health route")
        let duration = Duration.seconds(min(options.seconds, 3))
        let before = MachineRates.processTime() + processTime()
        let (report, _) = try await loop.run(HelloLoad(requests), rate: nil, warmUp: .zero, duration: duration)
        let used = MachineRates.processTime() + processTime() - before
        guard !report.latencies.isEmpty else { throw BenchError("The health route did not answer.") }
        return used * 1_000_000 / Double(report.latencies.count)
    }

    /// The processor time of all nodes in seconds.
    func processTime() -> Double {
        nodes.reduce(0) { sum, node in
            guard let text = try? String(contentsOfFile: "/proc/\(node.process.processIdentifier)/stat", encoding: .utf8),
                let fields = text.split(separator: ")").last?.split(separator: " "), fields.count > 12,
                let user = Double(fields[11]), let system = Double(fields[12])
            else { return .nan }
            return sum + (user + system) / 100
        }
    }

    /// The resident memory of all nodes in MB.
    func residentMegabytes() -> Double { megabytes("VmRSS") }

    /// The most resident memory that the nodes had since their start, in MB.
    func peakMegabytes() -> Double { megabytes("VmHWM") }

    private func megabytes(_ field: String) -> Double {
        nodes.reduce(0) { sum, node in
            guard let text = try? String(contentsOfFile: "/proc/\(node.process.processIdentifier)/status", encoding: .utf8),
                let line = text.split(separator: "\n").first(where: { $0.hasPrefix("\(field):") }),
                let kilobytes = line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Double($0) })
            else { return .nan }
            return sum + kilobytes / 1024
        }
    }

    /// Stops the nodes and reads their counts.
    private func stop() throws -> ServedCounts {
        for node in nodes { node.process.terminate() }
        let reports = try nodes.map { node in
            let printed = node.output.fileHandleForReading.readDataToEndOfFile()
            node.process.waitUntilExit()
            return try JSONDecoder().decode(ServedCounts.self, from: printed)
        }
        return reports.dropFirst().reduce(reports[0], +)
    }
}
#endif
