#if Server
package import HTTPTypes
package import Hummingbird
package import Logging
import NIOCore
import Synchronization

extension RouterResponder<ServerContext> {
    /// Answers a request that comes without a connection, in this process.
    package func answer(
        _ head: HTTPRequest, _ body: [UInt8], logger: Logger
    ) async throws -> (status: Int, headers: HTTPFields, body: [UInt8]) {
        let response = try await respond(
            to: Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body))), context: ServerContext(logger: logger))
        let sink = Sink()
        try await response.body.write(sink)
        return (response.status.code, response.headers, sink.bytes.withLock { $0 })
    }
}

/// Takes the body of an answer.
private final class Sink: ResponseBodyWriter {
    let bytes = Mutex<[UInt8]>([])

    func write(_ buffer: ByteBuffer) { bytes.withLock { $0 += Array(buffer: buffer) } }
    consuming func finish(_: HTTPFields?) {}
}
#endif
