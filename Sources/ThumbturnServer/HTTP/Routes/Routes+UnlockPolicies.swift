#if Server
import HTTPTypes
import Hummingbird
import NIOCore

extension Routes {
    /// What devices get in place of their apps' own unlock policies: a JWS, the same for every device.
    func document(of policies: UnlockPolicies) -> Route.Answer<Void> {
        { _ in
            try await service.secrets.keepUp()
            let now = service.time.now
            let text = try policies.document(
                of: service.settings.publicURL, signedBy: service.secrets.current.signer(at: now), at: now)
            return Response(
                status: .ok, headers: [.contentType: "application/jwt", .cacheControl: "public, max-age=300"],
                body: .init(byteBuffer: ByteBuffer(string: text)))
        }
    }
}
#endif
