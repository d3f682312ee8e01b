#if Tools && os(Linux)
import Synchronization
import Thumbturn
import ThumbturnMessages

/// The time that a sign-in spends in each part, in milliseconds.
final class Stopwatch: Sendable {
    enum Part: Hashable, Sendable {
        case tpm, server
    }

    private let spent = Mutex<[Part: Double]>([:])

    subscript(part: Part) -> Double { spent.withLock { $0[part] ?? 0 } }
    func reset() { spent.withLock { $0 = [:] } }

    func time<Result, E: Error>(_ part: Part, _ work: () async throws(E) -> Result) async throws(E) -> Result {
        let start = ContinuousClock.now
        defer {
            let elapsed = (ContinuousClock.now - start) / .milliseconds(1)
            spent.withLock { $0[part, default: 0] += elapsed }
        }
        return try await work()
    }
}

/// Device keys whose uses are timed.
struct TimedKeys: DeviceKeys {
    var keys: any DeviceKeys
    var stopwatch: Stopwatch

    func create(_ name: KeyName) async throws(Failure) -> PublicKey { try await keys.create(name) }
    func state(of name: KeyName) async -> KeyState { await stopwatch.time(.tpm) { await keys.state(of: name) } }
    func publicKey(of name: KeyName) async throws(Failure) -> PublicKey { try await keys.publicKey(of: name) }
    func sign(_ message: [UInt8], with name: KeyName, presence: Presence?) async throws(Failure) -> [UInt8] {
        try await stopwatch.time(.tpm) { () throws(Failure) in try await keys.sign(message, with: name, presence: presence) }
    }
    func delete(_ name: KeyName) async throws(Failure) { try await keys.delete(name) }
    func deleteAll(server: String, account: String) async throws(Failure) {
        try await keys.deleteAll(server: server, account: account)
    }
}

/// A transport whose requests are timed.
struct TimedTransport: Transport {
    var transport: any Transport
    var stopwatch: Stopwatch

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        try await stopwatch.time(.server) { () throws(Failure) in try await transport.send(request) }
    }
}
#endif
