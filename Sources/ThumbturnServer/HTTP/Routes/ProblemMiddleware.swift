#if Server
import Hummingbird
import HTTPTypes
import Logging
import NIOCore
import ThumbturnCore
import ThumbturnVerifier

/// Turns every error into a problem document of one of the neutral types, and adds a DPoP nonce to every answer.
struct ProblemMiddleware: RouterMiddleware {
    let nonce: @Sendable () -> String
    /// Counts a wrong request against the network that it came from.
    let countStranger: @Sendable (Request, ServerContext) async throws -> Void
    /// The network that a request came from, for the audit log.
    let network: @Sendable (Request, ServerContext) -> Network
    /// Counts a refusal for the audit log.
    let countRefusal: @Sendable (LogReason) -> Void
    /// Called when the database has secrets that this process has not read yet.
    let catchUp: @Sendable () async -> Void

    func handle(
        _ request: Request, context: ServerContext,
        next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await AuditOrigin.$current.withValue(AuditOrigin(network: network(request, context))) {
                try await next(request, context)
            }
        } catch {
            // The request is counted before the answer is sent. If counting fails, the answer is that failure.
            var error = error
            if let refused = error as? RequestError, refused.isByStranger {
                do { try await countStranger(request, context) } catch let failure { error = failure }
            }
            if case StoreError.anotherEpoch = error { await catchUp() }
            response = answer(to: error, request, context)
        }
        // A cache would give devices an old nonce (RFC 9449 section 8.2).
        if response.headers[.cacheControl]?.hasPrefix("public") != true { response.headers[.dpopNonce] = nonce() }
        return response
    }

    private func answer(to error: any Error, _ request: Request, _ context: ServerContext) -> Response {
        let refused: RequestError
        switch error {
        case let known as RequestError: refused = known
        case let http as any HTTPResponseError:
            refused =
                switch http.status.code {
                case 404, 405: .notFound
                case 413: .tooLarge
                default: .malformed()
                }
        // For example a store that failed: nothing was accepted, and the client may try again.
        default:
            context.logger.debug("internal error", metadata: ["error": "\(type(of: error))"])
            refused = .unavailable(.init(.server, .internalError))
        }
        refused.log(context.logger, at: context.endpointPath)
        countRefusal(refused.reason)
        // RFC 6749 section 5.2 demands plain JSON at the endpoints of OAuth. The members are those of a problem
        // document.
        let isOAuth = Routes.oauthPaths.contains(request.uri.path)
        return refused.response(isOAuth: isOAuth)
    }
}

extension RequestError {
    /// Logs the reason for the operator. No part of it was sent by the client, except in the explanation of a refused
    /// evidence: of that, printable ASCII is logged, and not more than 500 characters.
    func log(_ logger: Logger, at endpoint: String?) {
        var metadata: Logger.Metadata = [
            "endpoint": .string(endpoint ?? "none"), "status": .stringConvertible(problem.status),
            "error": .string(problem.error ?? "none"), "reason": .string(reason.code),
        ]
        if let explanation {
            let printable = explanation.unicodeScalars.prefix(500).map { (" "..."~").contains($0) ? Character($0) : "?" }
            metadata["explanation"] = .string(String(printable))
        }
        logger.log(level: isNoted ? .notice : .debug, "refused", metadata: metadata)
    }

    func response(isOAuth: Bool) -> Response {
        var response = Response.json(problem, status: .init(code: problem.status))
        response.headers[.contentType] = isOAuth ? "application/json" : "application/problem+json"
        response.headers[.wwwAuthenticate] = challenge
        // The rest of a body that is too large is not read, so the connection cannot be reused.
        if problem.status == 413 { response.headers[.connection] = "close" }
        // RFC 9110 section 10.2.3 and RFC 6585 section 4.
        if [429, 503].contains(problem.status) { response.headers[.retryAfter] = "\(retryAfter.components.seconds)" }
        return response
    }
}
#endif
