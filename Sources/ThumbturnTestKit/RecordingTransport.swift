import Synchronization
public import ThumbturnCore
public import ThumbturnDevice
public import ThumbturnURLSession

/// A transport that passes requests on and records them: everything that an attacker on the network would see.
public final class RecordingTransport: Transport {
    private let next: any Transport
    private let log = Mutex<[(request: TransportRequest, response: TransportResponse)]>([])

    /// Creates a transport that passes requests on to another one.
    public init(_ next: any Transport = URLSessionTransport()) {
        self.next = next
    }

    /// The requests and responses so far, in order.
    public var exchanges: [(request: TransportRequest, response: TransportResponse)] { log.withLock { $0 } }

    public func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        let response = try await next.send(request)
        log.withLock { $0.append((request, response)) }
        return response
    }
}
