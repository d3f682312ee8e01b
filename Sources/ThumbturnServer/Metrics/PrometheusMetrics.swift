#if Server
package import CoreMetrics
import Synchronization

/// Keeps metrics in memory and writes them in the text format 0.0.4 of Prometheus.
///
/// A process bootstraps it at most once; a library never does. More than `mostSeries` series are not kept: libraries choose
/// their labels themselves.
package final class PrometheusMetrics: MetricsFactory {
    /// The most series, each a name with one set of labels.
    static let mostSeries = 10_000
    /// The upper bounds of the buckets of all histograms, in the unit of the metric: seconds for timers.
    static let buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

    /// The type of a metric, as the format names it.
    enum Kind: String { case counter, gauge, histogram }

    private struct Family {
        let kind: Kind
        var series: [[PrometheusText.Label]: any Series] = [:]
    }

    private struct State {
        var families: [String: Family] = [:]
        var count = 0
    }

    private let state = Mutex(State())
    private let help: [String: String]

    /// - Parameter help: what metrics count, by their names.
    package init(help: [String: String] = [:]) {
        self.help = help
    }

    /// All metrics in the text format, sorted by name and labels.
    package func text() -> String {
        let families = state.withLock { $0.families }
        var text = PrometheusText()
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            text.begin(name, family.kind.rawValue, help: help[name])
            for (labels, series) in family.series.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
                series.write(name, labels, to: &text)
            }
        }
        return text.text
    }

    /// The series of a name and labels, made if there is none. Nil where the name is of another kind already, or there are too
    /// many.
    private func series<Made: Series>(
        _ label: String, _ dimensions: [(String, String)], _ kind: Kind, _ make: () -> Made
    ) -> Made? {
        let name = PrometheusText.name(label)
        let labels = dimensions.map { PrometheusText.Label(name: PrometheusText.labelName($0.0), value: $0.1) }.sorted(by: <)
        return state.withLock { state in
            var family = state.families[name] ?? Family(kind: kind)
            guard family.kind == kind else { return nil }
            if let known = family.series[labels] { return known as? Made }
            guard state.count < Self.mostSeries else { return nil }
            let made = make()
            family.series[labels] = made
            state.families[name] = family
            state.count += 1
            return made
        }
    }

    // MARK: MetricsFactory

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        guard let made: CounterSeries = series(label, dimensions, .counter, { CounterSeries() }) else {
            return NOOPMetricsHandler.instance
        }
        return made
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        if aggregate {
            guard let made: HistogramSeries = series(label, dimensions, .histogram, { HistogramSeries() }) else {
                return NOOPMetricsHandler.instance
            }
            return made
        }
        guard let made: GaugeSeries = series(label, dimensions, .gauge, { GaugeSeries() }) else {
            return NOOPMetricsHandler.instance
        }
        return made
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        guard let made: GaugeSeries = series(label, dimensions, .gauge, { GaugeSeries() }) else {
            return NOOPMetricsHandler.instance
        }
        return made
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        guard let made: HistogramSeries = series(label, dimensions, .histogram, { HistogramSeries() }) else {
            return NOOPMetricsHandler.instance
        }
        return made
    }

    // A series stays when its metric is destroyed: a counter that came again from 0 would look like a restart.
    package func destroyCounter(_: any CounterHandler) {}
    package func destroyMeter(_: any MeterHandler) {}
    package func destroyRecorder(_: any RecorderHandler) {}
    package func destroyTimer(_: any TimerHandler) {}
}

/// The values of one name with one set of labels.
private protocol Series: AnyObject, Sendable {
    func write(_ name: String, _ labels: [PrometheusText.Label], to text: inout PrometheusText)
}

private final class CounterSeries: Series, CounterHandler {
    private let count = Atomic<Int64>(0)

    func increment(by amount: Int64) {
        // A counter never goes back.
        if amount > 0 { count.wrappingAdd(amount, ordering: .relaxed) }
    }

    func reset() { count.store(0, ordering: .relaxed) }

    func write(_ name: String, _ labels: [PrometheusText.Label], to text: inout PrometheusText) {
        text.sample(name, labels, "\(count.load(ordering: .relaxed))")
    }
}

private final class GaugeSeries: Series, RecorderHandler, MeterHandler {
    private let value = Mutex(0.0)

    func record(_ value: Int64) { set(Double(value)) }
    func record(_ value: Double) { set(value) }
    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }

    func write(_ name: String, _ labels: [PrometheusText.Label], to text: inout PrometheusText) {
        text.sample(name, labels, PrometheusText.number(value.withLock { $0 }))
    }
}

private final class HistogramSeries: Series, RecorderHandler, TimerHandler {
    private struct State {
        /// How many values were in each bucket, without those below it; the last one is for all greater values.
        var counts = [Int](repeating: 0, count: PrometheusMetrics.buckets.count + 1)
        var sum = 0.0
    }

    private let state = Mutex(State())

    func record(_ value: Int64) { record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func record(_ value: Double) {
        let bucket = PrometheusMetrics.buckets.firstIndex { value <= $0 } ?? PrometheusMetrics.buckets.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
        }
    }

    func write(_ name: String, _ labels: [PrometheusText.Label], to text: inout PrometheusText) {
        let state = state.withLock { $0 }
        var count = 0
        for (bound, inBucket) in zip(PrometheusMetrics.buckets + [.infinity], state.counts) {
            count += inBucket
            text.sample(name + "_bucket", labels + [.init(name: "le", value: PrometheusText.number(bound))], "\(count)")
        }
        text.sample(name + "_sum", labels, PrometheusText.number(state.sum))
        text.sample(name + "_count", labels, "\(count)")
    }
}
#endif
