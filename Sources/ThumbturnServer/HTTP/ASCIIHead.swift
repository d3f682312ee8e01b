#if Server
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore

/// The rule that the target and the header fields of a request are ASCII (RFC 3986 section 2, RFC 9110 section 5.5).
///
/// It stands before the router, which compares text: comparing other text can cost quadratic time; see
/// `StreamSafeText`.
enum ASCIIHead {
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
        isASCII(head.path ?? "") && head.headerFields.allSatisfy { isASCII($0.value) }
    }

    private static func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }
}
#endif
