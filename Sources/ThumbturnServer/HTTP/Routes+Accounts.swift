#if Server
import Hummingbird
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension Routes {
    /// The first mile, and the way back in.
    func addAccountRoutes(to router: Router<ServerContext>) {
        router.post("v1/accounts/sign-in") { request, context in
            let bytes = try await request.bytes(of: "application/json")
            let sender = try sender(of: request, context, body: bytes)
            return Response.json(try await service.signIn(try Self.decode(PasswordSignInRequest.self, bytes), from: sender))
        }
        router.post("v1/accounts/recover") { request, context in
            let bytes = try await request.bytes(of: "application/json")
            let sender = try sender(of: request, context, body: bytes)
            return Response.json(try await service.recover(try Self.decode(RecoveryRequest.self, bytes), from: sender))
        }
    }

    private func sender(of request: Request, _ context: ServerContext, body: [UInt8]) throws -> Sender {
        let dpop = try dpop(of: request, body: body)
        return Sender(jkt: dpop.jkt, network: Network(request, context, behind: service.settings.trustedProxies))
    }
}
#endif
