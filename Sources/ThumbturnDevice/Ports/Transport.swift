public import ThumbturnCore

/// The port to the network.
public protocol Transport: Sendable {
    /// Sends one request and returns the answer, whatever its status. Redirects are not followed. Throws `unreachable`
    /// where there is no answer.
    ///
    /// A transport stops reading once the body is longer than the request's `longestAnswer`, and stops altogether when its
    /// task is cancelled. The library refuses an answer that is too long, cancels the task at the request's `deadline`, and
    /// does not wait for a transport that ignores this; but what a transport has read is in memory by then.
    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse
}

/// One HTTP request. It may carry tokens and proofs, so it prints as its type's name.
public struct TransportRequest: Sendable, Redacted {
    /// The method, in capital letters.
    public var method: String
    /// The absolute URL.
    public var url: String
    /// The header fields.
    public var headers: [String: String]
    /// The body; empty where there is none.
    public var body: [UInt8]
    /// The most bytes of the answer's body, after decompression. A longer answer fails with `unexpectedAnswer`.
    public var longestAnswer = Self.usualLongestAnswer
    /// The time of the whole exchange, from the first byte that is sent to the last one received. The library cancels a call
    /// whose answer is not complete by then, and fails with `unreachable`. An app that calls a transport itself has no
    /// deadline but its own.
    public var deadline: Duration = .seconds(30)

    /// 256 KiB: our own answers are far shorter; the longest is a list of approvals.
    package static let usualLongestAnswer = 256 * 1024

    /// Makes a request, with the usual bounds of the answer: 256 KiB and 30 s.
    public init(method: String, url: String, headers: [String: String] = [:], body: [UInt8] = []) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// One HTTP answer, whatever its status. It may carry tokens, so it prints as its type's name.
public struct TransportResponse: Sendable, Redacted {
    /// The HTTP status.
    public var status: Int
    /// The header fields, with names in lower case.
    public var headers: [String: String]
    /// The body; empty where there is none.
    public var body: [UInt8]

    /// The most header fields of an answer. Our own server sends fewer than twenty.
    package static let mostHeaders = 100
    /// The most bytes of their names and values. The longest field of our own is a demand for a step-up, under 1 KiB.
    package static let longestHeaders = 32 * 1024

    /// Makes an answer.
    public init(status: Int, headers: [String: String], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
