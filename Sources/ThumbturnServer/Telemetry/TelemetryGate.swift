#if Server
import Synchronization

/// Bounds how many batches are read and parsed at the same time, so that telemetry takes no more memory and processor time than
/// sign-ins can spare.
final class TelemetryGate: Sendable {
    private struct State {
        var all = 0
        /// A network without a batch in progress has no entry.
        var ofNetwork: [Network: Int] = [:]
    }

    private let state = Mutex(State())
    private let mostOfNetwork: Int

    /// - Parameter mostOfNetwork: the most batches of one network.
    init(mostOfNetwork: Int = Limits.telemetryAtOnceOfNetwork) {
        self.mostOfNetwork = mostOfNetwork
    }

    /// Runs `work` if there is room for another batch of this network.
    func admit<Value>(from network: Network, _ work: () async throws -> Value) async throws -> Value {
        try begin(network)
        defer { end(network) }
        return try await work()
    }

    private func begin(_ network: Network) throws(RequestError) {
        let refusal: RequestError? = state.withLock { state in
            guard state.all < Limits.telemetryAtOnce else { return .unavailable(.init(.telemetry, .overloaded)) }
            let ofNetwork = state.ofNetwork[network, default: 0]
            guard ofNetwork < mostOfNetwork else { return .tooManyRequests(.init(.telemetry, .overloaded)) }
            state.all += 1
            state.ofNetwork[network] = ofNetwork + 1
            return nil
        }
        if let refusal { throw refusal }
    }

    private func end(_ network: Network) {
        state.withLock { state in
            state.all -= 1
            let left = state.ofNetwork[network, default: 1] - 1
            state.ofNetwork[network] = left == 0 ? nil : left
        }
    }
}
#endif
