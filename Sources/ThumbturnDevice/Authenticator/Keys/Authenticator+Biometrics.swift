public import ThumbturnCore

extension Authenticator {
    /// Switches the sensor off for this account until a stronger rung has succeeded, for a person who may be forced to
    /// use it.
    ///
    /// Silent, without a prompt and offline; a prompt that is up unlocks nothing any more. It outlives the app and a
    /// restart of the device, and neither a match undoes it nor an enrolment or a change of keys that began before. It
    /// holds for the account in every process of the app that shares its place.
    ///
    /// - Throws: `platform` where it cannot be written down: then the sensor is still on.
    public func requireStrongerRungNextTime() async throws(Failure) {
        forgetRecentAuthentication()
        // An authentication that succeeded while it was being written is forgotten as well.
        defer { forgetRecentAuthentication() }
        try await sensorSwitch.turnOff()
    }

    /// Whether to offer biometrics now; see `BiometricOffer`. On a device that is not enrolled, for as long as
    /// `addBiometrics()` needs no other sign-in. Never behind a lock of the app. Also where no face or finger is enrolled yet:
    /// `Readiness.biometry` tells, and the offer says how to add one. Silent: it never prompts and never throws.
    public func shouldOfferBiometrics(
        for policy: UnlockPolicy = .unlock, under rules: BiometricOffer.Rules = .init()
    ) async -> Bool {
        await shouldOfferBiometrics(await readiness(for: policy), under: rules)
    }

    func shouldOfferBiometrics(_ readiness: Readiness, under rules: BiometricOffer.Rules) async -> Bool {
        guard !platform.prompts.isBehindLock, let offer = try? await biometricOffer() else { return false }
        return offer.isDue(
            readiness, at: platform.clock.civilTime, under: rules, hasJustSignedIn: await liveOffer() != nil)
    }

    /// Stores the person's answer to the offer. "Set up" makes no key by itself: it lets the next enrolment make one,
    /// which needs the full sign-in. So switching biometrics off and on is no way around a sensor that was switched
    /// off, or a key that died.
    ///
    /// The answer belongs to the enrolment of this device, or to the next one where there is none. It goes with that
    /// person: `revoke()` and the enrolment of another account forget it.
    public func answerBiometricOffer(_ answer: BiometricOffer.Answer) async throws(Failure) {
        try await storeOfferAnswer(answer)
        await platform.report(.offerAnswered(answer), of: asker)
    }

    /// The same without an offer: by the switch in the settings, which telemetry does not count.
    func storeOfferAnswer(_ answer: BiometricOffer.Answer) async throws(Failure) { try await offerFile.take(answer) }

    /// Turns biometrics off for this account: the biometric key is deleted, and neither offered nor made again until
    /// the person wants it. Never prompts. The other rungs stay as they are.
    ///
    /// The server still lists the key, which can never sign again: it removes a factor only for a proof, and this call
    /// asks for none. `removeBiometricKey` removes it there, also afterwards; otherwise the record goes with the
    /// enrolment.
    ///
    /// - Throws: `superseded` while an enrolment or a change of keys is running.
    public func declineBiometrics() async throws(Failure) {
        // The answer first: an app that is killed in between makes no new key, and deletes the old one at the next
        // call.
        try await offerFile.take(.never)
        guard try await liveEnrolment() != nil else { return }
        await stopSettling()
        guard let lock = try platform.tryLock(enrolmentsName) else { throw Failure(.superseded) }
        defer { lock.release() }
        try await edit { $0.drop(.biometric) }
        try await deleteKey(try await liveName(of: .biometric))
        _ = try? await settleChange()
    }

    /// Forgets what the person answered, what they preferred and how quick they were: the enrolment is theirs no more, and the
    /// next one may be another person's.
    func forgetAnswers() async throws(Failure) {
        try await offerFile.delete()
        try await history.forget()
        try await AssignmentToken.forget(for: assignmentRealm, on: platform)
    }

    func biometricOffer() async throws(Failure) -> BiometricOffer { try await offerFile.read() }

    private nonisolated var offerFile: BiometricOfferFile {
        let any = name(of: .session, in: 0)
        return BiometricOfferFile(server: any.server, account: any.account, on: platform)
    }
}
