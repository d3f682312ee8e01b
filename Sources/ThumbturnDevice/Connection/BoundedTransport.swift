import ThumbturnCore

/// A transport whose every call ends: with a bounded answer, with a named failure, by the request's deadline, or at once
/// when the caller is cancelled.
///
/// The inner call is not a child task of the caller, because the caller must not hang on a transport that ignores its
/// cancellation. An answer that comes later is dropped.
struct BoundedTransport: Transport {
    let transport: any Transport
    let clock: any DeviceClock

    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        let (outcomes, mailbox) = AsyncStream.makeStream(of: Result<TransportResponse, Failure>.self)
        let call = Task(executorPreference: clock.executor) {
            do throws(Failure) {
                mailbox.yield(.success(try await transport.send(request)))
            } catch {
                mailbox.yield(.failure(error))
            }
        }
        let end = clock.now.advanced(by: request.deadline)
        let deadline = Task(executorPreference: clock.executor) {
            guard (try? await clock.sleep(until: end)) != nil else { return }
            mailbox.yield(.failure(Failure(.unreachable, recovery: .retry)))
        }
        defer {
            call.cancel()
            deadline.cancel()
        }
        for await outcome in outcomes {
            let response = try outcome.get()
            guard response.isWithin(request) else { throw Failure(.unexpectedAnswer) }
            return response
        }
        // The stream is never finished, so its end is the cancellation of the caller.
        throw Failure(.cancelledByApp)
    }
}

extension TransportResponse {
    /// Whether the answer is as short as the request allows.
    fileprivate func isWithin(_ request: TransportRequest) -> Bool {
        body.count <= request.longestAnswer && headers.count <= Self.mostHeaders
            && headers.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } <= Self.longestHeaders
    }
}
