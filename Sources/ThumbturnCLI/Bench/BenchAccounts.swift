#if Tools
import ArgumentParser
import Foundation
import ThumbturnLoad
import ThumbturnServer

struct BenchAccounts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "Measures what a sign-in costs in stores with few and with many accounts.",
        discussion: """
            One store grows from size to size. At each size the same devices sign in over HTTP as fast as they are answered, first \
            without being measured, so that the pages they need are in memory. The cost is the processor time of this machine for \
            each sign-in, without this process: that of the server and of the database. Nothing else may run. Ten million accounts need some 10 GB on the disk and some minutes.
            """
    )

    @OptionGroup var load: LoadOptions
    @OptionGroup var store: StoreOptions

    @Option(help: "The numbers of accounts, ascending, separated by commas.")
    var sizes = "1000,100000,10000000"

    @Option(help: "The number of runs at each size; the median counts.")
    var runs = 3

    @OptionGroup var output: OutputOptions

    struct Size: Encodable {
        var accounts: Int
        var sign_ins_per_second: Double
        var cost_us: Double
        /// The cost beside that of the smallest size.
        var ratio: Double
    }

    struct Result: Encodable {
        var store: String
        var nodes: Int
        var sizes: [Size]
    }

    private func numbers() throws -> [Int] {
        let numbers = sizes.split(separator: ",").map { Int($0) ?? 0 }
        guard let first = numbers.first, first > 0, numbers == numbers.sorted() else {
            throw ValidationError("--sizes must be ascending numbers, separated by commas.")
        }
        return numbers
    }

    func validate() throws {
        _ = try numbers()
        guard runs > 0 else { throw ValidationError("--runs must be more than 0.") }
    }

    func run() async throws {
        output.beginBench("accounts")
        let place = try BenchPlace(on: store.server())
        defer { place.remove() }
        var people = BenchPeople()
        var result = Result(store: store.store.rawValue, nodes: store.nodes, sizes: [])
        let sizes = try numbers()
        try await people.enrol(min(load.devices, sizes[0]), in: place)
        for size in sizes {
            output.progress("\(size) accounts")
            try LoadFilling.fill(place.settings(), to: size)
            output.progress("measuring")
            let (measured, work, counts) = try await BenchServer.run(place, people, nodes: store.nodes, load) { server, loop in
                try await measure(server, loop)
            }
            guard counts.isDurable, counts.sessions >= work.accepted.count, Set(work.accepted).count == work.accepted.count else {
                throw BenchError("The server's counts differ: \(counts)")
            }
            let first = result.sizes.first?.cost_us ?? measured.cost
            result.sizes.append(
                Size(
                    accounts: size, sign_ins_per_second: measured.rate, cost_us: measured.cost, ratio: measured.cost / first))
        }
        try output.report(sentences(result), result)
    }

    private func measure(
        _ server: BenchServer, _ loop: OpenLoop
    ) async throws -> ((rate: Double, cost: Double), SignInLoad) {
        var work = SignInLoad(server.devices, server.requests)
        var figures: [(rate: Double, cost: Double)] = []
        for run in 0...runs {
            let before = (all: MachineRates.timeOfAll(), own: MachineRates.processTime(), signIns: work.accepted.count)
            let began = ContinuousClock.now
            work = try await loop.run(work, rate: nil, warmUp: .zero, duration: .seconds(load.seconds)).work
            let elapsed = began.duration(to: .now) / .seconds(1)
            let signIns = Double(work.accepted.count - before.signIns)
            guard signIns > 0 else { throw BenchError("No sign-in was completed: \(work.lastProblem ?? "no answer")") }
            let used = MachineRates.timeOfAll() - before.all - (MachineRates.processTime() - before.own)
            // The first run is the warm-up.
            if run > 0 { figures.append((signIns / elapsed, used * 1_000_000 / signIns)) }
        }
        let costs = figures.map(\.cost).sorted()
        let rates = figures.map(\.rate).sorted()
        return ((rates[rates.count / 2], costs[costs.count / 2]), work)
    }

    private func sentences(_ result: Result) -> String {
        let sizes = result.sizes.map { size in
            """
            \(size.accounts) accounts: \(Int(size.sign_ins_per_second)) sign-ins per second, \(rounded(size.cost_us)) µs each in \
            server and database, \(String(format: "%.2f", size.ratio)) of the first
            """
        }
        let place = "\(result.store), \(result.nodes == 1 ? "one node" : "\(result.nodes) nodes")"
        return ([place] + sizes).joined(separator: "\n")
    }
}
#endif
