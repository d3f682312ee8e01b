#if Server
import HTTPTypes
import Hummingbird
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The sign-ins whose wrong attempts count against the sender's network.
extension Routes {
    /// The sign-in with a password, whose answer is the ticket for an enrolment.
    func signIn(_ body: PasswordSignInRequest, _ asked: Route.Incoming<DPoPProof>) async throws -> Response {
        .json(try await service.signIn(body, from: sender(of: asked)))
    }

    /// The sign-in with a recovery code.
    func recover(_ body: RecoveryRequest, _ asked: Route.Incoming<DPoPProof>) async throws -> Response {
        .json(try await service.recover(body, from: sender(of: asked)))
    }

    /// The sign-in of a plain client.
    func signInPlainly(_ body: PlainSignInRequest, _ asked: Route.Incoming<Void>) async throws -> Response {
        .json(try await service.signIn(plain: body, from: network(of: asked.request, asked.context)))
    }

    private func sender(of asked: Route.Incoming<DPoPProof>) -> Sender {
        Sender(jkt: asked.caller.jkt, network: network(of: asked.request, asked.context))
    }
}
#endif
