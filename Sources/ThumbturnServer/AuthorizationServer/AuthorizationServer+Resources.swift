#if Server
import ThumbturnCore
import ThumbturnVerifier

/// Who sends a request: a live session, shown by its token and by a DPoP proof of its key.
struct Caller {
    var session: SessionView
    var claims: AccessTokenClaims
}

extension AuthorizationServer {
    /// Judges a token together with the DPoP proof that came with it. The session is looked up each time: revoked means refused,
    /// at once.
    func caller(token: String, dpop: DPoPProof) async throws -> Caller {
        let claims: AccessTokenClaims
        do {
            claims = try AccessToken(
                token, keys: secrets.current.tokenKeys, issuer: settings.publicURL, audience: settings.audience, at: time.now
            ).claims
        } catch {
            throw Refused.invalidToken("token \(error.rawValue)")
        }
        guard claims.cnf.jkt == dpop.jkt else { throw Refused.invalidToken("token \(Refusal.foreignKey.rawValue)") }
        guard let id = SessionID(claims.sid), let session = try await store.session(id), session.isLive else {
            throw Refused.invalidToken("token session over")
        }
        return Caller(session: session, claims: claims)
    }

    /// `GET /v1/me`.
    func me(_ caller: Caller) -> Me {
        Me(
            account: caller.session.account.text, name: caller.session.accountName, device: caller.session.device.text,
            acr: caller.claims.acr, amr: caller.claims.amr, authTime: caller.session.authTime
        )
    }

    /// `GET /v1/devices`.
    func devices(_ caller: Caller) async throws -> DeviceList {
        let devices = try await store.devices(of: caller.session.account)
        return DeviceList(devices: devices.map { record(of: $0, current: caller.session.device) })
    }

    /// `DELETE /v1/devices/{id}`. A device may always end its own enrolment; to end another's, the person has been verified a
    /// moment ago, by a device that is past its cool-off.
    func revoke(_ device: String, _ caller: Caller) async throws {
        let isOwn = device == "current" || device == caller.session.device.text
        if !isOwn {
            let now = time.now
            guard now >= caller.session.coolsOffUntil else { throw Refused.unverified("revoke during cool-off") }
            guard now - caller.session.authTime <= settings.deviceChangeMaximumAge else {
                throw Refused.stepUp(maximumAge: settings.deviceChangeMaximumAge)
            }
        }
        guard let id = isOwn ? caller.session.device : DeviceID(device),
            try await store.revoke(id, by: caller.session.id)
        else { throw Refused.notFound }
    }

    /// `DELETE /v1/devices/current` without a token: whoever holds a device's session key may end that device, whether or not
    /// anybody is signed in.
    func endDevice(_ dpop: DPoPProof) async throws {
        guard try await store.revoke(deviceWithSessionKey: dpop.jkt) else { throw Refused.notFound }
    }
}
#endif
