#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension AuthorizationServer {
    /// `GET /v1/devices/current`, with a DPoP proof and no token: the device and its keys. A device whose change got no
    /// answer learns here whether the change was made.
    func currentDevice(_ dpop: DPoPProof) async throws -> DeviceRecord {
        guard let device = try await store.device(withSessionKey: dpop.jkt),
            let view = try await store.devices(of: device.account).first(where: { $0.id == device.id })
        else { throw RequestError.notFound }
        return record(of: view, current: device.id)
    }

    /// `POST /v1/devices/current/keys`: adds, replaces or removes a key. `KeyChangeRules` decide what authorises which
    /// change.
    func change(_ request: KeyChangeRequest, dpop: DPoPProof) async throws -> DeviceRecord {
        guard (request.proof == nil) != (request.ticket == nil) else { throw RequestError.malformed() }
        var intent = KeyChangeIntent(
            key: request.key,
            policy: KeyChangeRules(letsPasscodeReplaceBiometricKey: settings.letsPasscodeReplaceBiometricKey),
            coolOff: settings.coolOff)
        intent.evidence = try await claim(request.evidence)
        let ceremony = Ceremony(
            .changeKeys(intent), proofs: request.proof.map { [$0] } ?? [], ticket: request.ticket, jkt: dpop.jkt)
        let device = try await run(ceremony).device
        return record(of: device, current: device.id)
    }
}
#endif
