import Synchronization
public import ThumbturnCore
public import ThumbturnDevice

/// Passes requests on and remembers them: what somebody on the wire would hold in their hands.
public final class RecordingTransport: Transport {
    private let next: any Transport
    private let log = Mutex<[(request: TransportRequest, response: TransportResponse)]>([])

    /// Passes requests on to another transport.
    public init(_ next: any Transport = URLSessionTransport()) {
        self.next = next
    }

    /// What was sent and answered so far, in order.
    public var exchanges: [(request: TransportRequest, response: TransportResponse)] { log.withLock { $0 } }

    public func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        let response = try await next.send(request)
        log.withLock { $0.append((request, response)) }
        return response
    }
}
