#if Server
import HTTPTypes
public import Hummingbird
import NIOCore
public import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// Lets a request through only with a token whose person has just proved presence for this action (RFC 9470), bound to the request by
/// DPoP (RFC 9449).
///
///     let bank = ResourceServer(.init(issuer: …, audience: …, publicURL: …, keys: …, policy: …, spent: …))
///     router.group("card").add(middleware: RequireStepUp("card-details", at: bank)).get { … }
///
/// In the handler `ResourceServer.token` says who it is. Where the action wants a signature each, the token's one use is taken before
/// the handler runs: a handler that fails has used it up, and the person is asked anew. That is the side to err on for money.
public struct RequireStepUp<Context: RequestContext>: RouterMiddleware {
    private let action: String
    private let resource: ResourceServer
    private let amount: @Sendable ([UInt8]) throws -> Money?

    /// - Parameters:
    ///   - action: its name in the policy.
    ///   - amount: what the request is about, read from its body: the very bytes that the DPoP proof covers. Whatever it throws is
    ///     answered as a request that cannot be read.
    public init(
        _ action: String, at resource: ResourceServer, amount: @escaping @Sendable ([UInt8]) throws -> Money? = { _ in nil }
    ) {
        precondition(ActionAsk(action) != nil, "an action's name is 1 to 64 of a to z, 0 to 9 and -")
        self.action = action
        self.resource = resource
        self.amount = amount
    }

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
        let (tokens, proofs) = (request.headers[values: .authorization], request.headers[values: .dpop])
        // Who shows nothing is told what to show, and no error (RFC 6750 section 3.1).
        guard !tokens.isEmpty else { throw RequestError.unverified(.init(.token, .missing)) }
        let parts = tokens[0].split(separator: " ", maxSplits: 1)
        guard tokens.count == 1, parts.count == 2, parts[0].lowercased() == "dpop" else {
            throw RequestError.unverified(.init(.token, .missing))
        }
        guard proofs.count == 1, !proofs[0].contains(",") else { throw RequestError.dpop(.malformed, atResource: true) }
        let claims = try await resource.verify(
            .init(
                token: String(parts[1]), dpop: proofs[0], method: request.method.rawValue, path: request.uri.path, body: body
            )
        )
        let money: Money?
        do { money = try amount(body) } catch { throw RequestError.malformed() }
        guard let ask = ActionAsk(action, amount: money) else { throw RequestError.malformed() }
        try await resource.judge(claims, for: ask)
        return (request, claims)
    }
}
#endif
