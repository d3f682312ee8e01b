#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension AuthorizationServer {
    /// `GET /v1/devices`: the devices of the caller's account.
    func devices(_ caller: Caller) async throws -> DeviceList {
        let devices = try await store.devices(of: caller.session.account)
        return DeviceList(devices: devices.map { record(of: $0, current: caller.session.device) })
    }

    /// `PATCH /v1/devices/{id}`: renames a device. The owner tells devices apart by their names, so renaming another
    /// device needs the same proof of presence as removing it.
    func rename(_ device: String, _ request: DeviceRename, _ caller: Caller) async throws -> DeviceRecord {
        guard DeviceName.isAcceptable(request.name) else { throw RequestError.malformed() }
        guard let id = self.id(of: device, caller) else { throw RequestError.notFound }
        try requirePresence(caller)
        try admit(caller.session.device)
        guard let renamed = try await store.rename(id, to: request.name, by: caller.session.id) else {
            throw RequestError.notFound
        }
        return record(of: renamed, current: caller.session.device)
    }

    /// `DELETE /v1/devices/{id}`: revokes a device. A device may always end its own enrolment, even if it is the
    /// account's last one; the person then enrols again with full credentials. To end another device's enrolment, the
    /// person must have been verified within `deviceChangeMaximumAge`, on a device whose cool-off is over, by a key
    /// that `DeviceChangeRules` allow to remove the target's keys.
    func revoke(_ device: String, _ caller: Caller) async throws {
        guard let id = self.id(of: device, caller) else { throw RequestError.notFound }
        if id != caller.session.device {
            try requirePresence(caller)
            guard let target = try await store.devices(of: caller.session.account).first(where: { $0.id == id }) else {
                throw RequestError.notFound
            }
            guard DeviceChangeRules.mayRemove(target, by: try caller.key(at: time.now).factor) else {
                throw RequestError.stepUp(maximumAge: settings.deviceChangeMaximumAge)
            }
        }
        guard try await store.revoke(id, by: caller.session.id) else { throw RequestError.notFound }
    }

    /// `DELETE /v1/devices/current` without a token: the holder of a device's session key may end that device without
    /// being signed in.
    func endDevice(_ dpop: DPoPProof) async throws {
        guard try await store.revoke(deviceWithSessionKey: dpop.jkt) else { throw RequestError.notFound }
    }

    /// `POST /v1/tickets`: an enrolled device authorises the enrolment of another one, with a fresh proof in place of
    /// the password; or a visit that of the device that its person is about to enrol.
    func vouch(_ request: VouchRequest, _ caller: Caller) async throws -> EnrolmentTicket {
        guard Base64URL.decode(request.jkt)?.count == 32 else { throw RequestError.malformed() }
        guard !caller.session.isVisit else { return try await ticket(for: request.jkt, ofVisit: caller.session) }
        try requirePresence(caller)
        // An enrolment with the ticket may be refused with a row of the audit log.
        try admit(caller.session.device)
        guard DeviceChangeRules.vouching(by: try caller.key(at: time.now).factor) != .none else {
            throw RequestError.stepUp(maximumAge: settings.deviceChangeMaximumAge)
        }
        let ticket = tickets.issue(
            to: caller.session.account, generation: caller.session.credentialGeneration, jkt: request.jkt,
            freshness: .fresh, voucher: caller.session.id, at: time.now, lifetime: settings.ticketLifetime
        )
        return EnrolmentTicket(
            ticket: ticket, account: caller.session.account.text, isFresh: true,
            expiresIn: settings.ticketLifetime.components.seconds)
    }

    /// Throws during the cool-off of the caller's device, unless the request changes only that device. A visit has no device; the
    /// handlers judge it.
    ///
    /// - Parameter target: the device that is changed, as the path has it; nil where none is. What is no id is the handler's to refuse.
    func requireSettled(_ caller: Caller, toChange target: String? = nil) throws {
        let now = time.now
        guard !caller.session.isVisit, let rest = try caller.key(at: now).coolOff else { return }
        if let target {
            guard let id = id(of: target, caller), !DeviceChangeRules.mayChange(id, by: caller.session, at: now) else { return }
        }
        throw RequestError.coolsOff(rest, for: .device)
    }

    /// Throws unless the person was verified within `deviceChangeMaximumAge`, by a key and not for one action.
    private func requirePresence(_ caller: Caller) throws {
        let now = time.now
        // A visit, which no key opened, changes no device.
        _ = try caller.key(at: now)
        // A signature for one action authorises no other.
        guard caller.session.granted == nil, let age = TokenTimes.age(of: caller.session.authTime, at: now),
            age <= settings.deviceChangeMaximumAge
        else {
            throw RequestError.stepUp(maximumAge: settings.deviceChangeMaximumAge)
        }
    }

    private func id(of device: String, _ caller: Caller) -> DeviceID? {
        device == "current" ? caller.session.device : DeviceID(device)
    }
}
#endif
