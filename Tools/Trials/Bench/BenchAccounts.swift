#if Tools
import ArgumentParser
import Foundation
import ThumbturnCommands
import ThumbturnLoad
import ThumbturnServer

struct BenchAccounts: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accounts",
        abstract: "Measures what a sign-in costs in stores with few and with many accounts.",
        discussion: """
            A store of each size is filled, and then the sizes take turns: as many devices in each sign in over HTTP as fast as \
            they are answered, first without being measured, so that the pages they need are in memory. The cost is the processor \
            time of this machine for each sign-in, without this process: that of the server and of the database. Nothing else may \
            run. Ten million accounts need some 10 GB on the disk and some minutes.
            """
    )

    @OptionGroup var load: LoadOptions
    @OptionGroup var store: StoreOptions

    @Option(help: "The numbers of accounts, ascending, separated by commas.")
    var sizes = "1000,100000,10000000"

    @Option(help: "The number of runs at each size. The medians count, of the ratios too.")
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

    /// A store of one size, and what was measured in it.
    private struct Filled {
        var accounts: Int
        var place: BenchPlace
        var people = BenchPeople()
        var figures: [Figures] = []
    }

    private struct Figures {
        /// Sign-ins in a second.
        var rate: Double
        /// The cost of one in microseconds.
        var cost: Double
    }

    func run() async throws {
        output.beginBench("accounts")
        let numbers = try numbers()
        var stores: [Filled] = []
        defer { for store in stores { store.place.remove() } }
        for accounts in numbers {
            output.progress("filling a store with \(accounts) accounts")
            stores.append(Filled(accounts: accounts, place: try BenchPlace(on: store.server())))
            var filled = stores[stores.count - 1]
            try await filled.people.enrol(min(load.devices, numbers[0]), in: filled.place)
            try LoadFilling.fill(filled.place, to: accounts)
            stores[stores.count - 1] = filled
        }
        // In turns, because the speed of a machine changes within minutes.
        for run in 1...runs {
            output.progress("measuring, run \(run) of \(runs)")
            for index in stores.indices { stores[index].figures.append(try await measure(stores[index])) }
        }
        let result = Result(
            store: store.store.rawValue, nodes: store.nodes,
            sizes: stores.map { filled in
                Size(
                    accounts: filled.accounts, sign_ins_per_second: median(filled.figures.map(\.rate)),
                    cost_us: median(filled.figures.map(\.cost)),
                    ratio: median(zip(filled.figures, stores[0].figures).map { $0.cost / $1.cost }))
            })
        try output.report(sentences(result), result)
    }

    private func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }

    private func measure(_ filled: Filled) async throws -> Figures {
        let (figures, work, counts) = try await BenchServer.run(filled.place, filled.people, nodes: store.nodes, load) {
            server, loop in
            func signIns(_ work: SignInLoad) async throws -> SignInLoad {
                try await loop.run(work, rate: nil, warmUp: .zero, duration: .seconds(load.seconds)).work
            }
            let warm = try await signIns(SignInLoad(server.devices, server.requests))
            let before = (all: MachineRates.timeOfAll(), own: MachineRates.processTime())
            let began = ContinuousClock.now
            let work = try await signIns(warm)
            let elapsed = began.duration(to: .now) / .seconds(1)
            let count = Double(work.accepted.count - warm.accepted.count)
            guard count > 0 else { throw BenchError("No sign-in was completed: \(work.lastProblem ?? "no answer")") }
            let used = MachineRates.timeOfAll() - before.all - (MachineRates.processTime() - before.own)
            return (Figures(rate: count / elapsed, cost: used * 1_000_000 / count), work)
        }
        guard counts.isDurable, counts.sessions >= work.accepted.count, Set(work.accepted).count == work.accepted.count else {
            throw BenchError("The server's counts differ: \(counts)")
        }
        return figures
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
