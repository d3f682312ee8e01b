public import ThumbturnCore
import ThumbturnMessages

/// The devices of the account. A person who lost a phone removes it from another device.
extension Authenticator {
    /// The devices of this account, the oldest first.
    public func devices() async throws(Failure) -> [EnrolledDevice] {
        let records = try decode(DeviceList.self, from: try await send("GET", to: "/v1/devices")).devices
        let own = try await ownThumbprint()
        return records.map { EnrolledDevice($0, isOwn: $0.keys.contains { $0.kid == own }) }
    }

    /// The thumbprint of this device's session key. A session that full credentials opened is of no device, so the server
    /// does not tell then which one this is.
    private func ownThumbprint() async throws(Failure) -> String? {
        guard let live = try await liveEnrolment() else { return nil }
        return Signing.thumbprint(of: try await platform.keys.publicKey(of: name(of: .session, in: live)))
    }

    /// Removes a device from the account: its sessions end at once, and it can never sign in again. This device is
    /// removed with `revoke()`, without a prompt. One that is gone already is no failure.
    ///
    /// For another device the server demands that the person proved presence in the last five minutes. Where that is
    /// longer ago, they are asked here. The passcode removes no device that has a key for the sensor or a PIN, so it is not
    /// asked for one of these.
    ///
    /// - Parameters:
    ///   - device: one of `devices()`.
    ///   - reason: shown in the system's prompt; an empty one throws `reasonMissing`.
    ///   - policy: which rungs are asked. Its `reuse` does not count.
    /// - Throws: `coolingOff` where the person came to this device with their credentials a short time ago: another device
    ///   can do it; what `authenticate` and `send` throw; `refused` where a fresh proof was not enough; what `revoke`
    ///   throws, for this device.
    public func remove(
        _ device: EnrolledDevice, reason: String = "Remove a device", policy: UnlockPolicy = .unlock
    ) async throws(Failure) {
        try UnlockRequest.check(reason: reason, on: platform)
        guard !device.isCurrent else { return try await revoke() }
        // A session that full credentials opened removes no other device.
        var policy = policy
        policy.ladder.removeAll { $0 == .fullCredentials }
        if device.keys.contains(where: { $0.kind == .biometric || $0.kind == .pin }) {
            policy.ladder.removeAll { $0 == .devicePasscode }
        }
        do throws(Failure) {
            _ = try await change(device, "DELETE", reason: reason, policy: policy)
        } catch {
            // The answer is the same for a device that is gone and for one that may not be removed: the list tells.
            guard error.status == .notFound else { throw error }
            if try await devices().contains(where: { $0.id == device.id }) { throw Failure(.refused, status: error.status) }
        }
    }

    /// Gives a device another name, by which the person tells it from their others.
    ///
    /// - Parameters:
    ///   - device: one of `devices()`.
    ///   - name: 1 to 64 characters in one line.
    ///   - reason: shown in the system's prompt, where the person's last proof of presence is more than five minutes ago;
    ///     an empty one throws `reasonMissing`.
    ///   - policy: which rungs are asked. Its `reuse` does not count.
    /// - Returns: the device with its new name.
    /// - Throws: what `remove` throws; `unexpectedAnswer` for a name that the server does not take.
    @discardableResult
    public func rename(
        _ device: EnrolledDevice, to name: String, reason: String = "Rename a device", policy: UnlockPolicy = .unlock
    ) async throws(Failure) -> EnrolledDevice {
        try UnlockRequest.check(reason: reason, on: platform)
        let json = Signing.encode(DeviceRename(name: name))
        let answer = try await change(device, "PATCH", json: json, reason: reason, policy: policy)
        return EnrolledDevice(try decode(DeviceRecord.self, from: answer.body))
    }

    private func change(
        _ device: EnrolledDevice, _ method: String, json: [UInt8]? = nil, reason: String, policy: UnlockPolicy
    ) async throws(Failure) -> TransportResponse {
        // It becomes part of a path.
        guard EchoedText.isIdentifier(device.id) else { throw Failure(.unexpectedAnswer) }
        let request = ResourceRequest.here(method, "/v1/devices/\(device.id)", .init(json: json))
        return try await reach(request) { (asked) async throws(Failure) in
            try await self.prove(for: asked, reason: reason, policy: policy)
        }
    }
}

// MARK: - Signing out

extension Authenticator {
    /// Ends the session, also one that full credentials opened. The device stays enrolled, so the next sign-in takes the
    /// sensor; with `forgetDevice` the enrolment ends too, as `revoke()` ends it, and the next sign-in takes full
    /// credentials.
    ///
    /// No earlier unlock or step-up stands in for a later one, and a call that is under way throws `cancelledByApp`. What
    /// is kept here ends first and without the network. Then the server is told (RFC 7009): its session and the tokens of
    /// its step-ups end there as well.
    ///
    /// - Parameter forgetDevice: whether the keys of this device are deleted, and its record at the server.
    /// - Throws: `notEnrolled` where there was nothing to end; `unreachable` where the server could not be told. The
    ///   session here is over all the same, and no token of it is left on the device; the server's ends an hour after
    ///   its last refresh at the latest. What `revoke` throws, with `forgetDevice`.
    public func signOut(forgetDevice: Bool) async throws(Failure) {
        guard forgetDevice else { return try await endSessions() }
        try await revoke()
    }

    /// Ends the session of the enrolment and the one that full credentials opened: here, and then at the server. What fails keeps
    /// nothing else from ending.
    private func endSessions() async throws(Failure) {
        // The server is told of these here, and not where the dismissal is heard.
        var ended = takeHeldSessions()
        forgetRecentAuthentication()
        // An authentication that succeeds meanwhile is forgotten as well.
        defer { forgetRecentAuthentication() }
        var failures: [Failure] = []
        var journal = PlaceJournal()
        do throws(Failure) { journal = try await enrolments() } catch { failures.append(error) }
        let numbers = [journal.visit(of: keeper), journal.live].compactMap { $0 }
        // A session that is stored for all processes ends in all of them, with what came from the person.
        if sessionKeeping == .stored, journal.live != nil {
            let next = Int.random(in: 1...Int.max)
            do throws(Failure) { try await edit { $0.renewTenancy(next) } } catch { failures.append(error) }
        }
        for number in numbers {
            if let token = await takeSession(of: number) { ended.append((number, token)) }
            do throws(Failure) { try await forgetSession(of: number) } catch { failures.append(error) }
        }
        if ended.isEmpty, numbers.isEmpty, failures.isEmpty { throw Failure(.notEnrolled) }
        for (number, refreshToken) in ended {
            do throws(Failure) { try await revoke(refreshToken, of: number) } catch { failures.append(error) }
        }
        // What the person answered goes with them: the next one may be another. It goes before the visit: a process that ends
        // in between would find no owner whose answers they are.
        if !numbers.isEmpty, journal.live == nil, journal.visits.allSatisfy({ $0.keeper == keeper }) {
            do throws(Failure) { try await forgetAnswers() } catch { failures.append(error) }
        }
        // Its key has signed for the last time.
        await endVisit()
        if let failure = failures.first { throw failure }
    }
}
