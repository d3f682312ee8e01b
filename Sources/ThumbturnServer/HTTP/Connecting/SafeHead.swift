#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import ThumbturnCore

/// The rule for the head of a request: its target is ASCII (RFC 3986 section 2), and the text of its header fields is
/// cheap to compare; see `StreamSafeText`. Proxies add fields with names of cities and the like, so those may have
/// other letters.
///
/// It stands before the router, which compares text.
enum SafeHead {
    /// A responder that refuses other requests, and hands the rest to this one.
    static func required(by responder: @escaping HTTPChannelHandler.Responder) -> HTTPChannelHandler.Responder {
        { request, writer, channel in
            guard holds(for: request.head) else {
                var response = RequestError.malformed().response(isOAuth: false)
                // The body is not read, so the connection cannot be reused.
                response.headers[.connection] = "close"
                return try await writer.write(response: response.head, body: response.body)
            }
            try await responder(request, writer, channel)
        }
    }

    static func holds(for head: HTTPRequest) -> Bool {
        ASCII.holds(head.path ?? "") && StreamSafeText.holds(head.authority ?? "")
            && head.headerFields.allSatisfy { StreamSafeText.holds($0.value) }
    }
}
#endif
