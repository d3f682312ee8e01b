#if Server
import Foundation
import HTTPTypes
package import Hummingbird
package import Logging
package import ThumbturnDevice
import ThumbturnServer

extension RouterResponder<ServerContext> {
    /// Answers a request of a device's transport.
    package func answer(_ request: TransportRequest, logger: Logger) async throws -> TransportResponse {
        guard let method = HTTPRequest.Method(rawValue: request.method), let parts = URLComponents(string: request.url) else {
            throw HTTPError(.badRequest)
        }
        let path = parts.percentEncodedPath + (parts.percentEncodedQuery.map { "?\($0)" } ?? "")
        var head = HTTPRequest(method: method, scheme: parts.scheme, authority: parts.host, path: path)
        for (name, value) in request.headers {
            guard let name = HTTPField.Name(name) else { throw HTTPError(.badRequest) }
            head.headerFields[name] = value
        }
        let answer = try await self.answer(head, request.body, logger: logger)
        let fields = answer.headers.map { ($0.name.canonicalName, $0.value) }
        return TransportResponse(
            status: answer.status, headers: Dictionary(fields) { "\($0), \($1)" }, body: answer.body)
    }
}
#endif
