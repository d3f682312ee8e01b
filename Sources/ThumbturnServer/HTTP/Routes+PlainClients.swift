#if Server
import Hummingbird
import ThumbturnCore
import ThumbturnMessages

extension Routes {
    /// There are none unless the operator says so.
    func addPlainClients(to router: Router<ServerContext>) {
        guard service.settings.allowsPlainClients else { return }
        router.post("v1/plain/devices") { request, _ in
            let bytes = try await request.bytes(of: "application/json")
            let dpop = try dpop(of: request, body: bytes)
            let body = try Self.decode(PlainEnrolRequest.self, bytes)
            return Response.json(try await service.enrol(body, dpop: dpop), status: .created)
        }
        router.post("v1/plain/challenges") { request, _ in
            let body = try Self.decode(PlainChallengeRequest.self, try await request.bytes(of: "application/json"))
            return Response.json(try service.challenge(body))
        }
        router.post("v1/plain/sign-in") { request, context in
            let body = try Self.decode(PlainSignInRequest.self, try await request.bytes(of: "application/json"))
            let network = Network(request, context, behind: service.settings.trustedProxies)
            return Response.json(try await service.signIn(body, from: network))
        }
    }
}
#endif
