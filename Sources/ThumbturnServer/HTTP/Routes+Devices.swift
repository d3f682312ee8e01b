#if Server
import Hummingbird
import ThumbturnCore
import ThumbturnMessages

extension Routes {
    /// Other devices of an account, and what its owner should hear of.
    func addDeviceRoutes(to router: Router<ServerContext>) {
        router.patch("v1/devices/{id}") { request, context in
            let id = try context.parameters.require("id")
            let bytes = try await request.bytes(of: "application/json")
            let caller = try await caller(request, body: bytes)
            return Response.json(try await service.rename(id, try Self.decode(DeviceRename.self, bytes), caller))
        }
        router.post("v1/tickets") { request, _ in
            let bytes = try await request.bytes(of: "application/json")
            let caller = try await caller(request, body: bytes)
            return Response.json(try service.vouch(try Self.decode(VouchRequest.self, bytes), caller))
        }
        router.get("v1/notices") { request, _ in Response.json(try await service.notices(try await caller(request))) }
    }
}
#endif
