#if Server
import HTTPTypes
import Hummingbird
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension Routes {
    func enrol(_ body: EnrolRequest, _ asked: Route.Incoming<DPoPProof>) async throws -> Response {
        .json(try await service.enrol(body, dpop: asked.caller), status: .created)
    }

    func activateTPM(_ body: TPMActivationRequest, _ asked: Route.Incoming<DPoPProof>) async throws -> Response {
        .json(try service.activate(body, dpop: asked.caller))
    }

    /// Issues a ticket with which the calling device authorises the enrolment of another one, or a visit that of its own.
    func vouch(_ body: VouchRequest, _ asked: Route.Incoming<Caller>) async throws -> Response {
        .json(try await service.vouch(body, asked.caller))
    }

    func devices(_ asked: Route.Incoming<Caller>) async throws -> Response {
        .json(try await service.devices(asked.caller))
    }

    // MARK: The calling device

    func currentDevice(_ asked: Route.Incoming<DPoPProof>) async throws -> Response {
        .json(try await service.currentDevice(asked.caller))
    }

    func changeKey(_ body: KeyChangeRequest, _ asked: Route.Incoming<DPoPProof>) async throws -> Response {
        .json(try await service.change(body, dpop: asked.caller))
    }

    func renameCurrentDevice(_ body: DeviceRename, _ asked: Route.Incoming<Caller>) async throws -> Response {
        .json(try await service.rename("current", body, asked.caller))
    }

    func revokeCurrentDevice(_ asked: Route.Incoming<Caller>) async throws -> Response {
        try await service.revoke("current", asked.caller)
        return Response(status: .noContent)
    }

    /// Ends the enrolment of a device whose person is not signed in.
    func endCurrentDevice(_ asked: Route.Incoming<DPoPProof>) async throws -> Response {
        try await service.endDevice(asked.caller)
        return Response(status: .noContent)
    }

    // MARK: Any device of the account

    func renameDevice(_ body: DeviceRename, _ asked: Route.Incoming<Caller>) async throws -> Response {
        .json(try await service.rename(try asked.id(), body, asked.caller))
    }

    func revokeDevice(_ asked: Route.Incoming<Caller>) async throws -> Response {
        try await service.revoke(try asked.id(), asked.caller)
        return Response(status: .noContent)
    }
}
#endif
