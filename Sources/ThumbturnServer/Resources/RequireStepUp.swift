#if Server
import HTTPTypes
public import Hummingbird
import NIOCore
public import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// Middleware that demands a step-up for an action: an access token for which the person has proved presence (RFC
/// 9470), bound to the request by DPoP (RFC 9449).
///
///     let bank = ResourceServer(.init(issuer: …, audience: …, publicURL: …, keys: …, policy: …, spent: …))
///     router.group("card").add(middleware: RequireStepUp("card-details", at: bank)).get { … }
///
/// In the handler, `ResourceServer.token` holds the claims. If the action demands a signature for each request, the
/// token's single use is consumed before the handler runs; if the handler fails, the person has to sign again. For
/// payments this is safer than executing one twice.
public struct RequireStepUp<Context: RequestContext>: RouterMiddleware {
    private let action: String
    private let resource: ResourceServer
    private let amount: @Sendable ([UInt8]) throws -> Money?

    /// Creates the middleware for one action.
    ///
    /// - Parameters:
    ///   - action: the action's name in the policy: 1 to 64 of a to z, 0 to 9 and -.
    ///   - resource: the resource server; use one value for all routes.
    ///   - amount: reads the amount from the request's body, which is exactly what the DPoP proof covers. If it throws,
    ///     the request is refused as one that cannot be read.
    public init(
        _ action: String, at resource: ResourceServer, amount: @escaping @Sendable ([UInt8]) throws -> Money? = { _ in nil }
    ) {
        precondition(ActionAsk(action) != nil, "an action's name is 1 to 64 of a to z, 0 to 9 and -")
        self.action = action
        self.resource = resource
        self.amount = amount
    }

    /// Verifies the token and the DPoP proof, demands what the policy has for the action, and calls the handler.
    ///
    /// A request that is refused gets a problem document: 401 with `WWW-Authenticate` for a token, a proof or a step-up
    /// that is missing or not enough (RFC 9449 section 7.1, RFC 9470 section 3), and 403 if the policy has no rule for
    /// the action.
    public func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let nonce = resource.nonces.current(at: resource.time.now)
        do {
            let (request, claims) = try await admit(request)
            var response = try await ResourceServer.$token.withValue(claims) { try await next(request, context) }
            response.headers[.dpopNonce] = nonce
            return response
        } catch let refused as RequestError {
            refused.log(context.logger, at: context.endpointPath)
            var response = refused.response(isOAuth: false)
            response.headers[.dpopNonce] = nonce
            return response
        }
    }

    private func admit(_ request: Request) async throws -> (Request, AccessTokenClaims) {
        var request = request
        let body = try await request.cappedBytes()
        request.body = .init(buffer: ByteBuffer(bytes: body))
        // The answer to a request without a token has a challenge but no error code (RFC 6750 section 3.1).
        guard let token = request.authorization(scheme: "DPoP") else {
            throw RequestError.unverified(.init(.token, .missing))
        }
        guard let dpop = request.dpopProof else { throw RequestError.dpop(.malformed, atResource: true) }
        let target = request.dpopTarget(at: resource.settings.publicURL, accessToken: token, body: body)
        let claims = try await resource.verify(token, dpop: dpop, for: target)
        let money: Money?
        do { money = try amount(body) } catch { throw RequestError.malformed() }
        guard let ask = ActionAsk(action, amount: money) else { throw RequestError.malformed() }
        try await resource.judge(claims, for: ask)
        return (request, claims)
    }
}
#endif
