#if Tools
import ThumbturnLoad

/// What one run of something whole over HTTP came to, beside what the machine could do at most.
struct RateFigures: Encodable {
    var per_second: Double
    var limit_per_second: Double
    var ratio: Double
    var p50_ms: Double
    var p99_ms: Double
    var p999_ms: Double
    /// Those that were not answered as they should be.
    var unanswered: Int
    /// Those that were done, with the warm-up's.
    var done: Int
    var connections: Int
    /// So many were begun in a second; nil where each began when another was answered.
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

    /// - Parameter what: in the plural.
    func sentences(of what: String) -> String {
        let begun = begun_per_second.map { "\(rounded($0)) begun in a second" } ?? "each begun when another was answered"
        return """
            \(rounded(per_second)) \(what) per second over \(connections) connections, \(begun); \(unanswered) not answered as they should be
            limit of this machine: \(Int(limit_per_second)) per second; reached: \(rounded(ratio * 100)) %
            P50 \(rounded(p50_ms)) ms, P99 \(rounded(p99_ms)) ms, P99.9 \(rounded(p999_ms)) ms
            processor time: verify \(rounded(verify_us)) µs, sign \(rounded(sign_us)) µs, a request of a route that does nothing \(rounded(hello_us)) µs
            """
    }
}
#endif
