#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension AuthorizationServer {
    /// `POST /v1/devices`: enrols a device with one ticket, one challenge and the proofs of its keys. Either all keys
    /// are enrolled, or none is.
    func enrol(_ request: EnrolRequest, dpop: DPoPProof) async throws -> DeviceRecord {
        guard DeviceName.isAcceptable(request.name), (2...4).contains(request.keys.count) else { throw RequestError.malformed() }
        var intent = EnrolmentIntent(
            device: .random(), name: request.name, keys: request.keys, coolOff: settings.coolOff,
            ifEnrolled: request.ifEnrolled ?? .fail)
        (intent.demandedLiveness, intent.liveness) = (settings.enrolmentLiveness, request.liveness)
        intent.vendors = settings.approvals.livenessVendors
        intent.evidence = try await claim(request.evidence)
        let enrolled = try await run(Ceremony(.enrol(intent), ticket: request.ticket, jkt: dpop.jkt)).device
        return record(of: enrolled, current: enrolled.id)
    }

    /// The evidence of a request, with what the server knows about it. Nothing is judged and nothing is consumed here.
    func claim(_ evidence: KeyEvidence?) async throws -> EvidenceClaim {
        var claim = EvidenceClaim(policy: settings.evidence.current, evidence: evidence)
        switch evidence {
        case .appAttest(let evidence):
            if let id = AppAttestRecord.id(of: evidence) { claim.appAttestKey = try await store.appAttestKey(id) }
        case .androidKey(let evidence):
            do {
                let (claims, spend) = try await verified(evidence.challenge, for: .enrol)
                claim.making = .success(.init(claims: claims, spend: spend))
            } catch let error as VerificationError {
                claim.making = .failure(error)
            }
        case .tpm(let evidence):
            do throws(VerificationError) {
                claim.activation = .success(try activations.verify(evidence.token, at: time.now))
            } catch {
                claim.activation = .failure(error)
            }
        case nil: break
        }
        return claim
    }

    func record(of device: DeviceView, current: DeviceID) -> DeviceRecord {
        DeviceRecord(
            id: device.id.text, name: device.name, keys: device.keys, enrolledAt: device.enrolledAt,
            current: device.id == current, use: device.isPlain ? .plain : nil
        )
    }
}

/// The name that a person gives a device, as it is shown in lists.
enum DeviceName {
    /// 1 to 64 characters in at most 256 bytes, without control and format characters (those can turn or hide text) and
    /// without line separators.
    static func isAcceptable(_ name: String) -> Bool {
        (1...Limits.deviceName).contains(name.count) && name.utf8.count <= Limits.deviceNameBytes
            && !name.unicodeScalars.contains { scalar in
                [.control, .format, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
            }
    }
}
#endif
