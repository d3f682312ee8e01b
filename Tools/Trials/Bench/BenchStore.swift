#if Tools
import ArgumentParser
import Foundation
import ThumbturnCommands
import ThumbturnCore
import ThumbturnMessages
import ThumbturnServer

struct BenchStore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "store",
        abstract: "Measures durable writes of the store per second, and those of the disk alone.",
        discussion: """
            A write consumes one challenge: one row, durable when the call returns. Writes that wait for a commit share the next \
            one, so more writers give more rows per commit. For comparison, a page of the same size is written in place and \
            synced (fsync) on the same disk. The rows are counted at the end. Build with -c release.
            """
    )

    @Option(help: "The seconds of measurement for each number of writers.")
    var seconds = 5.0

    @Option(help: "The numbers of concurrent writers, separated by commas.")
    var writers = "1,8,64"

    @Option(help: "A folder on the disk to measure; the folder for temporary files unless given.")
    var folder: String?

    @OptionGroup var output: OutputOptions

    struct Run: Encodable {
        var writers: Int
        var rows_per_second: Double
        var commits_per_second: Double
        var rows_per_commit: Double
        var p50_ms: Double
        var p99_ms: Double
    }

    struct Result: Encodable {
        var fsyncs_per_second: Double
        var runs: [Run]
        var rows: Int
    }

    private func numbers() throws -> [Int] {
        let numbers = writers.split(separator: ",").map { Int($0) ?? 0 }
        guard !numbers.isEmpty, numbers.allSatisfy((1...1024).contains) else {
            throw ValidationError("--writers must be numbers from 1 to 1024, separated by commas.")
        }
        return numbers
    }

    func validate() throws {
        _ = try numbers()
        guard seconds > 0 else { throw ValidationError("--seconds must be more than 0.") }
    }

    func run() async throws {
        output.beginBench("store")
        let parent = folder.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        let place = parent.appendingPathComponent("thumbturn-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: place) }

        output.progress("the disk by itself")
        let fsyncs = try DiskRate.fsyncsPerSecond(in: place, for: .seconds(seconds))
        let store = try SQLStore(path: place.appendingPathComponent("store.sqlite").path, time: NodeTime(.system))
        var result = Result(fsyncs_per_second: fsyncs, runs: [], rows: 0)
        for writers in try numbers() {
            output.progress("\(writers) at once")
            let (run, rows) = try await measure(store, writers)
            result.runs.append(run)
            result.rows += rows
        }
        let stored = try await store.spentCount()
        let durability = try store.durability()
        guard stored == result.rows, durability.isFull else {
            throw BenchError("\(result.rows) rows were written, and \(stored) are stored; \(durability)")
        }
        try output.report(sentences(result), result)
    }

    private func measure(_ store: SQLStore, _ writers: Int) async throws -> (Run, rows: Int) {
        let commits = store.commits
        let began = ContinuousClock.now
        let window = Duration.seconds(seconds)
        let expiry = UnixTime(seconds: Int64(Date().timeIntervalSince1970)) + .seconds(3600)
        var times: [Double] = []
        try await withThrowingTaskGroup(of: [Double].self) { group in
            for _ in 0..<writers {
                group.addTask {
                    var times: [Double] = []
                    while began.duration(to: .now) < window {
                        let start = ContinuousClock.now
                        let spend = Spend(.challenge, id: RandomBytes.sixteen(), expiresAt: expiry, epoch: 0)
                        guard try await store.spend([spend]) else { throw BenchError("A new challenge was already consumed.") }
                        times.append(start.duration(to: .now) / .milliseconds(1))
                    }
                    return times
                }
            }
            for try await more in group { times += more }
        }
        let elapsed = began.duration(to: .now) / .seconds(1)
        let committed = Double(store.commits - commits)
        times.sort()
        let rows = Double(times.count)
        let run = Run(
            writers: writers, rows_per_second: rows / elapsed, commits_per_second: committed / elapsed,
            rows_per_commit: rows / committed,
            p50_ms: times[times.count / 2], p99_ms: times[times.count * 99 / 100]
        )
        return (run, times.count)
    }

    private func sentences(_ result: Result) -> String {
        let runs = result.runs.map { run in
            """
            \(run.writers) at once: \(Int(run.rows_per_second)) rows per second in \(Int(run.commits_per_second)) commits, \
            \(rounded(run.rows_per_commit)) rows per commit; P50 \(rounded(run.p50_ms)) ms, P99 \(rounded(run.p99_ms)) ms
            """
        }
        return
            (runs + [
                "the disk by itself: \(Int(result.fsyncs_per_second)) writes of one page per second, each synced",
                "All \(result.rows) rows are stored; FULL durability.",
            ]).joined(separator: "\n")
    }
}

/// The rate of durable writes of one page by a single writer.
private enum DiskRate {
    /// A page of SQLite with its frame header in the write-ahead log.
    private static let page = Data(repeating: 7, count: 4096 + 24)
    /// The number of pages that are overwritten in turn, as in the log after its first checkpoint.
    private static let pages = 1000

    static func fsyncsPerSecond(in folder: URL, for duration: Duration) throws -> Double {
        let path = folder.appendingPathComponent("pages").path
        guard FileManager.default.createFile(atPath: path, contents: Data(count: page.count * pages)),
            let file = FileHandle(forUpdatingAtPath: path)
        else { throw BenchError("\(folder.path) is not writable.") }
        defer { try? file.close() }
        try file.synchronize()
        let began = ContinuousClock.now
        var count = 0
        while began.duration(to: .now) < duration {
            try file.seek(toOffset: UInt64(count % pages * page.count))
            try file.write(contentsOf: page)
            try file.synchronize()
            count += 1
        }
        return Double(count) / (began.duration(to: .now) / .seconds(1))
    }
}
#endif
