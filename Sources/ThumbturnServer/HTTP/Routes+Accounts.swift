#if Server
import HTTPTypes
import Hummingbird
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension Routes {
    /// The sign-in with a password, whose answer is the ticket for an enrolment.
    func signIn(_ body: PasswordSignInRequest, _ asked: Route.Incoming<DPoPProof>) async throws -> Response {
        .json(try await service.signIn(body, from: sender(of: asked)))
    }

    /// The sign-in with a recovery code.
    func recover(_ body: RecoveryRequest, _ asked: Route.Incoming<DPoPProof>) async throws -> Response {
        .json(try await service.recover(body, from: sender(of: asked)))
    }

    /// Sets the account's password, with a step-up.
    func changePassword(_ body: PasswordChangeRequest, _ asked: Route.Incoming<Caller>) async throws -> Response {
        try await service.changePassword(body, asked.caller)
        return Response(status: .noContent)
    }

    func me(_ asked: Route.Incoming<Caller>) async throws -> Response { .json(service.me(asked.caller)) }

    func notices(_ asked: Route.Incoming<Caller>) async throws -> Response { .json(try await service.notices(asked.caller)) }

    private func sender(of asked: Route.Incoming<DPoPProof>) -> Sender {
        Sender(jkt: asked.caller.jkt, network: network(of: asked.request, asked.context))
    }
}
#endif
