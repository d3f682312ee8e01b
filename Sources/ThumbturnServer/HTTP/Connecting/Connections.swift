#if Server
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import CoreMetrics
import Synchronization

/// Counts the open connections of this process, in all and by network, and behind proxies the requests in progress.
final class Connections: Sendable {
    private let limits: ConnectionLimits
    private let state: Mutex<State>

    private struct State {
        var admitted = 0
        var turnedAway = 0
        /// The connections of each network or, behind proxies, its requests in progress. A network without any has no entry.
        var ofNetwork: [Network: Int] = [:]
    }

    /// Whether a connection is served.
    enum Admission: Hashable {
        case admitted
        /// One network has the most connections that it may have: its next request is answered with 429.
        case addressIsFull
        /// The server has the most connections that it may have: the next request is answered with 503.
        case serverIsFull
        /// Too many connections are being told so already.
        case dropped
    }

    /// The open connections that are served, and those that are not, for the operator.
    private let openConnections: Meter
    private let turnedAway: Counter

    init(_ limits: ConnectionLimits, metrics: any MetricsFactory = NOOPMetricsHandler.instance) {
        self.limits = limits
        openConnections = Meter(label: ServerMetrics.Name.connections.rawValue, factory: metrics)
        turnedAway = Counter(label: ServerMetrics.Name.turnedAway.rawValue, factory: metrics)
        state = Mutex(State())
    }

    /// Counts a connection that was accepted. Each call needs one of `close`.
    ///
    /// - Parameter network: where the connection comes from; nil behind proxies, where all come from the proxies.
    func open(from network: Network?) -> Admission {
        state.withLock { state in
            let ofNetwork = network.flatMap { state.ofNetwork[$0] } ?? 0
            let admission: Admission =
                if state.admitted >= limits.inAll {
                    .serverIsFull
                } else if network != nil, ofNetwork >= limits.byAddress {
                    .addressIsFull
                } else {
                    .admitted
                }
            guard admission == .admitted else {
                turnedAway.increment()
                guard state.turnedAway < Limits.turnedAway else { return .dropped }
                state.turnedAway += 1
                return admission
            }
            state.admitted += 1
            if let network { state.ofNetwork[network, default: 0] += 1 }
            openConnections.set(state.admitted)
            return .admitted
        }
    }

    /// Forgets a connection that was closed.
    func close(_ admission: Admission, from network: Network?) {
        state.withLock { state in
            switch admission {
            case .admitted:
                state.admitted -= 1
                openConnections.set(state.admitted)
                if let network { Self.forget(network, &state) }
            case .addressIsFull, .serverIsFull: state.turnedAway -= 1
            case .dropped: break
            }
        }
    }

    /// Counts a request behind proxies. False if the network has the most requests in progress that it may have; otherwise
    /// the call needs one of `end`.
    func begin(from network: Network) -> Bool {
        state.withLock { state in
            guard state.ofNetwork[network, default: 0] < limits.byAddress else { return false }
            state.ofNetwork[network, default: 0] += 1
            return true
        }
    }

    /// Forgets a request that was answered.
    func end(from network: Network) { state.withLock { Self.forget(network, &$0) } }

    private static func forget(_ network: Network, _ state: inout State) {
        let left = state.ofNetwork[network, default: 1] - 1
        state.ofNetwork[network] = left == 0 ? nil : left
    }

    /// The counts at this moment.
    var counts: (admitted: Int, turnedAway: Int, networks: Int) {
        state.withLock { ($0.admitted, $0.turnedAway, $0.ofNetwork.count) }
    }
}

extension ConnectionLimits {
    /// These limits, lowered to what the operating system's limit of open files allows.
    func lowered(toOpenFiles files: Int?) -> ConnectionLimits {
        guard let files else { return self }
        var lowered = self
        lowered.inAll = min(inAll, max(1, files - Limits.reservedFiles))
        return lowered
    }

    /// The most files that this process may have open at a time; nil if the system has no limit.
    static var openFiles: Int? {
        var limit = rlimit()
        #if canImport(Glibc)
        let status = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        let status = unsafe getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return status == 0 ? Int(exactly: limit.rlim_cur) : nil
    }
}
#endif
