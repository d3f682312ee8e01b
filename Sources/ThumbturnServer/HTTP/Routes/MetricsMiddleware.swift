#if Server
import HTTPTypes
import Hummingbird

/// Counts the answers by route.
struct MetricsMiddleware: RouterMiddleware {
    let metrics: ServerMetrics
    /// The paths of the routes. Hummingbird has a path of its own for requests that no route answers, whose methods may be any
    /// text.
    let routes: Set<String>

    func handle(
        _ request: Request, context: ServerContext,
        next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        let response = try await next(request, context)
        let route = context.endpointPath.flatMap { routes.contains($0) ? $0 : nil }
        metrics.countAnswer(response.status.code, method: request.method.rawValue, route: route)
        return response
    }
}
#endif
