#if Tools
import ThumbturnLoad

/// The figures of one benchmark over HTTP, with the limit of the machine.
struct RateFigures: Encodable {
    var per_second: Double
    var limit_per_second: Double
    var ratio: Double
    var p50_ms: Double
    var p99_ms: Double
    var p999_ms: Double
    /// Operations with an unexpected answer or none.
    var unanswered: Int
    /// Completed operations, including those of the warm-up.
    var done: Int
    var connections: Int
    /// Operations begun per second; nil if each began after the answer to another one.
    var begun_per_second: Double?
    var verify_us: Double
    var sign_us: Double
    var hello_us: Double

    init(
        _ report: OpenLoop.Report, done: Int, _ load: LoadOptions, _ rate: RateOptions, _ rates: MachineRates, hello: Double,
        limit: Double
    ) {
        per_second = Double(report.latencies.count) / load.seconds
        limit_per_second = limit
        ratio = per_second / limit
        p50_ms = report.quantile(0.5)
        p99_ms = report.quantile(0.99)
        p999_ms = report.quantile(0.999)
        unanswered = report.errors
        self.done = done
        connections = load.connections
        begun_per_second = rate.rate
        verify_us = rates.verify
        sign_us = rates.sign
        hello_us = hello
    }

    /// The figures in words.
    ///
    /// - Parameter operations: the name of the operation in the plural.
    func sentences(of operations: String) -> String {
        let begun = begun_per_second.map { "\(rounded($0)) begun per second" } ?? "each begun after the answer to another"
        return """
            \(rounded(per_second)) \(operations) per second over \(connections) connections, \(begun); \
            \(unanswered) without the expected answer
            limit of this machine: \(Int(limit_per_second)) per second; reached: \(rounded(ratio * 100)) %
            P50 \(rounded(p50_ms)) ms, P99 \(rounded(p99_ms)) ms, P99.9 \(rounded(p999_ms)) ms
            processor time: verify \(rounded(verify_us)) µs, sign \(rounded(sign_us)) µs, \
            a request to the health route \(rounded(hello_us)) µs
            """
    }
}
#endif
