#if Server
import HTTPTypes
import Hummingbird
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension Routes {
    func enrolPlainKey(_ body: PlainEnrolRequest, _ asked: Route.Incoming<DPoPProof>) async throws -> Response {
        .json(try await service.enrol(body, dpop: asked.caller), status: .created)
    }

    func issuePlainChallenge(_ body: PlainChallengeRequest, _: Route.Incoming<Void>) async throws -> Response {
        .json(try service.challenge(body))
    }

    func signInPlainly(_ body: PlainSignInRequest, _ asked: Route.Incoming<Void>) async throws -> Response {
        .json(try await service.signIn(body, from: network(of: asked.request, asked.context)))
    }
}
#endif
