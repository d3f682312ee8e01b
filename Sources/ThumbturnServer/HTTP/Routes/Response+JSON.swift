#if Server
import HTTPTypes
import Hummingbird
import NIOCore
import ThumbturnVerifier

extension Response {
    /// An answer with a JSON body, which caches must not store unless `cacheControl` says so.
    static func json(_ value: some Encodable, status: HTTPResponse.Status = .ok, cacheControl: String = "no-store") -> Response {
        Response(
            status: status, headers: [.contentType: ContentType.json.rawValue, .cacheControl: cacheControl],
            body: .init(byteBuffer: ByteBuffer(bytes: WireJSON.encode(value)))
        )
    }
}
#endif
