package import ThumbturnCore

/// A transport whose every call ends: with a bounded answer, with a named failure, at the request's deadline, or at once
/// when the caller is cancelled. The library sends every request through one, whatever transport the app gave it.
///
/// This is the only place that keeps a request's deadline: it cancels the inner call, and a transport has to stop then.
/// The inner call is not a child task of the caller, because the caller must not hang on a transport that ignores its
/// cancellation. An answer that comes later is dropped.
package struct BoundedTransport: Transport {
    private let transport: any Transport
    private let clock: any DeviceClock

    /// Makes a transport that bounds each call of another one, in the time of this clock.
    package init(_ transport: any Transport, clock: any DeviceClock) {
        self.transport = transport
        self.clock = clock
    }

    package func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        try await PendingAnswer.wait(for: request) { answer in
            let end = clock.now.advanced(by: request.deadline)
            let deadline = Task(executorPreference: clock.executor) {
                guard (try? await clock.sleep(until: end)) != nil else { return }
                answer.stop(Failure(.unreachable, recovery: .retry))
            }
            let call = Task(executorPreference: clock.executor) {
                do throws(Failure) {
                    answer.received(try await transport.send(request))
                } catch {
                    answer.stop(error)
                }
                deadline.cancel()
            }
            answer.onStop {
                call.cancel()
                deadline.cancel()
            }
        }
    }
}
