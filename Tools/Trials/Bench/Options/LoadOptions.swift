#if Tools
import ArgumentParser

/// The options that the benchmarks over HTTP have in common.
struct LoadOptions: ParsableArguments {
    @Option(help: "The seconds of measurement in one run, after the warm-up.")
    var seconds = 10.0

    @Option(help: "The seconds of warm-up before each run.")
    var warmUp = 3.0

    @Option(help: "The number of connections, up to 64.")
    var connections = 64

    @Option(help: "The number of enrolled devices, picked at random.")
    var devices = 10_000

    func validate() throws {
        guard seconds > 0, warmUp >= 0, devices > 0, (1...64).contains(connections) else {
            throw ValidationError("--seconds and --devices must be more than 0, --warm-up 0 or more, and --connections 1 to 64.")
        }
    }
}

/// The rate of requests, for benchmarks that do not search for one.
struct RateOptions: ParsableArguments {
    @Option(
        help: """
            The number that begin each second, whether or not earlier ones are answered; latency counts from the scheduled time. \
            Without it each connection begins the next one when it has its answer.
            """
    )
    var rate: Double?

    func validate() throws {
        if let rate, rate <= 0 { throw ValidationError("--rate must be more than 0.") }
    }
}
#endif
