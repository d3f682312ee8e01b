#if Tools
import ArgumentParser
import ThumbturnCommands
import ThumbturnVerifier

struct BenchEvidence: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "evidence",
        abstract: "Measures each verification of evidence on one core, and its share of pure signature checks.",
        discussion: """
            The evidence is minted under test roots, with keys as real devices and their makers have them: Apple's authorities on \
            P-384, Google's two roots of RSA with 4096 bits and on P-384, makers of TPMs on P-384. A chain is verified as if it \
            were the first one of its maker, and with known issuers: the authorities above the device's own certificates were \
            verified before, which a server remembers.

            The pure signature checks are the same signatures over the same bytes by the same keys, with the import of each key; \
            both are measured in turns in one run, by the processor time of this process. The bar: each verification under 1 ms, as \
            a server does it: with known issuers. Build with -c release.
            """
    )

    @Option(help: "The seconds for each verification.")
    var seconds = 1.0

    @OptionGroup var output: OutputOptions

    /// The figures of one verification.
    struct Row: Encodable {
        var name: String
        /// The processor time of one verification in microseconds.
        var us: Double
        var per_second: Double
        /// How many signatures it checks.
        var signatures: Int
        /// The processor time of these signature checks alone in microseconds.
        var signatures_us: Double
        /// The share of the signature checks in the verification: 1 if it did nothing else.
        var signatures_share: Double
    }

    struct Result: Encodable {
        var rows: [Row]
        /// Whether each verification takes less than 1 ms, as a server does it and where it is the first of a maker.
        var bars: [String: Bool]
    }

    func validate() throws {
        guard seconds > 0, seconds <= 600 else { throw ValidationError("--seconds must be more than 0, and 600 at most.") }
    }

    func run() async throws {
        output.beginBench("evidence")
        output.progress("minting the evidence")
        var rows: [Row] = []
        for subject in try EvidenceSubject.all() {
            output.progress(subject.name)
            rows.append(try measure(subject))
        }
        let first = rows.filter { $0.name.hasSuffix(EvidenceSubject.firstTime) }
        let others = rows.filter { !$0.name.hasSuffix(EvidenceSubject.firstTime) }
        let result = Result(
            rows: rows,
            bars: [
                "under_1_ms": others.allSatisfy { $0.us < 1000 }, "under_1_ms_first_time": first.allSatisfy { $0.us < 1000 },
            ])
        try output.report(sentences(result), result)
    }

    private func measure(_ subject: EvidenceSubject) throws -> Row {
        var (whole, bare): ([Double], [Double]) = ([], [])
        // In turns, so that a slow moment of the machine hits both.
        for _ in 0..<5 {
            whole.append(try microseconds { try subject.verify() })
            bare.append(
                try microseconds {
                    guard subject.signatures.allSatisfy({ $0() }) else { throw BenchError("A signature is not valid.") }
                })
        }
        let (time, signatures) = (whole.sorted()[2], bare.sorted()[2])
        return Row(
            name: subject.name, us: time, per_second: 1_000_000 / time, signatures: subject.signatures.count,
            signatures_us: signatures, signatures_share: signatures / time)
    }

    /// The processor time of one call.
    private func microseconds(_ operation: () throws -> Void) throws -> Double {
        let began = MachineRates.processTime()
        let until = ContinuousClock.now.advanced(by: .seconds(seconds / 10))
        var count = 0
        repeat {
            for _ in 0..<10 { try operation() }
            count += 10
        } while ContinuousClock.now < until
        return (MachineRates.processTime() - began) * 1_000_000 / Double(count)
    }

    private func sentences(_ result: Result) -> String {
        func bar(_ name: String) -> String { result.bars[name] == true ? "met" : "not met" }
        let rows = result.rows.map { row in
            let name = row.name + String(repeating: " ", count: max(1, 60 - row.name.count))
            return "  \(name)\(Int(row.us)) µs, \(Int(row.per_second)) per second; \(row.signatures) "
                + "\(row.signatures == 1 ? "signature" : "signatures"): \(Int(row.signatures_us)) µs, "
                + "\(rounded(row.signatures_share * 100)) %"
        }
        return """
            one verification on one core, its rate, and its share of pure signature checks:
            \(rows.joined(separator: "\n"))
            bar: under 1 ms each: \(bar("under_1_ms")); the first time too: \(bar("under_1_ms_first_time"))
            """
    }
}
#endif
