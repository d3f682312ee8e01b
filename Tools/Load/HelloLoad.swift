#if Tools
package import NIOCore

/// Requests to the route `/health`, which does nothing.
package struct HelloLoad: OpenLoop.Work {
    private let request: ByteBuffer

    package init(_ requests: BenchRequests) { request = requests.hello() }

    package mutating func begin() -> (ticket: Int, request: ByteBuffer)? { (0, request) }
    package mutating func answered(_ ticket: Int, _ answer: OpenLoop.Answer) -> OpenLoop.Next {
        answer.status == 200 ? .done : .failed
    }
    package mutating func connectionLost(_ ticket: Int) {}
}
#endif
