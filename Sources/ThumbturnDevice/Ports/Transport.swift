public import ThumbturnCore

/// The port to the network.
public protocol Transport: Sendable {
    /// Sends one request and returns the answer, whatever its status. Redirects are not followed.
    /// Throws `unreachable` when there is none.
    func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse
}

/// One request. It may carry tokens and proofs, so it has no description.
public struct TransportRequest: Sendable, Redacted {
    /// In capital letters.
    public var method: String
    /// The absolute address.
    public var url: String
    /// The header fields.
    public var headers: [String: String]
    /// Empty where there is none.
    public var body: [UInt8]

    /// A request.
    public init(method: String, url: String, headers: [String: String] = [:], body: [UInt8] = []) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }
}

/// One answer, whatever its status. It may carry tokens, so it has no description.
public struct TransportResponse: Sendable, Redacted {
    /// The HTTP status.
    public var status: Int
    /// Names in lower case.
    public var headers: [String: String]
    /// Empty where there is none.
    public var body: [UInt8]

    /// An answer.
    public init(status: Int, headers: [String: String], body: [UInt8]) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}
