#if Server
import HTTPTypes
package import Hummingbird
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The server's routes.
///
/// Each route is one line of `RouteList.swift`: its method, its path, the credentials that it needs, and the function of the
/// service that it calls. `Routes+Callers.swift` authenticates the callers. Only routes that do more than call one function
/// have handlers, in `Routes+….swift`, by subject.
package struct Routes: Sendable {
    let service: AuthorizationServer

    package init(_ service: AuthorizationServer) {
        self.service = service
    }

    /// The endpoints whose refusals have the form of RFC 6749 section 5.2: plain JSON.
    static let oauthPaths: Set = ["/v1/token", "/v1/introspect", "/v1/revoke"]

    /// The router with all routes and the middleware for errors and DPoP nonces.
    package func router() -> Router<ServerContext> {
        let router = Router(context: ServerContext.self)
        router.add(middleware: MetricsMiddleware(metrics: service.metrics, routes: Set(list.map { "/" + $0.path })))
        router.add(
            middleware: ProblemMiddleware(
                nonce: { service.nonces.current(at: service.time.now) },
                countStranger: { request, context in try await service.countStranger(network(of: request, context)) },
                network: { request, context in network(of: request, context) },
                countRefusal: { reason in
                    service.refusals.count(reason)
                    service.metrics.countRefusal(reason)
                },
                catchUp: { try? await service.secrets.reload(atMostOncePerSecond: true) }))
        for route in list {
            router.on(RouterPath(route.path), method: route.method) { try await route.access.answer($0, $1) }
        }
        return router
    }
}
#endif
