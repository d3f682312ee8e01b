#if Server
import Crypto
package import Hummingbird
import HTTPTypes
package import Logging
import NIOCore
import ThumbturnMessages

/// A listener of its own for `GET /metrics`, apart from the one of clients.
package enum MetricsListener {
    /// The application that answers. It runs as a service of the server's application.
    ///
    /// - Parameter key: what has to be sent as a bearer token; nil for none.
    package static func application(
        _ metrics: PrometheusMetrics, host: String, port: Int, key: String?, logger: Logger,
        onRunning: @escaping @Sendable (Int) async -> Void = { _ in }
    ) -> some ApplicationProtocol {
        Application(
            router: router(metrics, key: key),
            configuration: ApplicationConfiguration(address: .hostname(host, port: port), serverName: nil),
            onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? port) }, logger: logger)
    }

    package static func router(_ metrics: PrometheusMetrics, key: String?) -> Router<ServerContext> {
        let router = Router(context: ServerContext.self)
        router.get("metrics") { request, _ in
            guard isAllowed(request, key: key) else {
                return Response(status: .unauthorized, headers: [.wwwAuthenticate: "Bearer"])
            }
            return Response(
                status: .ok, headers: [.contentType: PrometheusText.mediaType, .cacheControl: "no-store"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text())))
        }
        return router
    }

    private static func isAllowed(_ request: Request, key: String?) -> Bool {
        guard let key else { return true }
        guard let sent = request.authorization(scheme: "Bearer") else { return false }
        // The hashes are compared, in constant time.
        return SHA256.hash(data: Array(sent.utf8)) == SHA256.hash(data: Array(key.utf8))
    }
}
#endif
