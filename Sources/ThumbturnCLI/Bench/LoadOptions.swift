#if Tools
import ArgumentParser

/// What the benchmarks over HTTP have in common.
struct LoadOptions: ParsableArguments {
    @Option(help: "How long one run measures, after the warm-up.")
    var seconds = 10.0

    @Option(help: "Seconds of warm-up before each run.")
    var warmUp = 3.0

    @Option(help: "Connections at once, up to 64.")
    var connections = 64

    @Option(help: "Enrolled devices to pick from at random.")
    var devices = 10_000

    func validate() throws {
        guard seconds > 0, warmUp >= 0, devices > 0, (1...64).contains(connections) else {
            throw ValidationError("--seconds and --devices want more than 0, --warm-up 0 or more, --connections 1 to 64.")
        }
    }
}

/// How fast work begins, where no rate is searched.
struct RateOptions: ParsableArguments {
    @Option(
        help: """
            So many begin in a second, whether or not earlier ones were answered, and latency counts from then. Without it each \
            connection begins anew when it has its answer.
            """
    )
    var rate: Double?

    func validate() throws {
        if let rate, rate <= 0 { throw ValidationError("--rate wants more than 0.") }
    }
}
#endif
