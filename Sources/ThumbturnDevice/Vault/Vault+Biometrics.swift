public import ThumbturnCore

// What the person of a vault chose: the same as for an account.
extension Vault {
    /// Sets the rung that the person prefers to be asked first; nil for the order of the access. It counts where the vault
    /// has that rung. `delete()` forgets it.
    public func prefer(_ rung: Rung?) async throws(Failure) {
        try await history.prefer(rung)
    }

    /// Whether to offer biometrics for this vault now; see `BiometricOffer`. Before the vault is made too, and also where no
    /// face or finger is enrolled yet: `Readiness.biometry` tells, and the offer says how to add one. Silent: it never
    /// prompts and never throws.
    public func shouldOfferBiometrics(under rules: BiometricOffer.Rules = .init()) async -> Bool {
        await shouldOfferBiometrics(await readiness(), under: rules)
    }

    func shouldOfferBiometrics(_ readiness: Readiness, under rules: BiometricOffer.Rules) async -> Bool {
        guard !platform.prompts.isBehindLock, canSetUpBiometrics(readiness), let offer = try? await biometricOffer() else {
            return false
        }
        // It needs no sign-in before it: its first unlock makes it.
        return offer.isDue(readiness, at: platform.clock.civilTime, under: rules, hasJustSignedIn: true)
    }

    /// Stores the person's answer to the offer. "Set up" adds nothing by itself: the next unlock by the passcode lets the
    /// sensor open the vault again, and for a vault that was not made yet the first unlock does. `delete()` forgets the
    /// answer.
    public func answerBiometricOffer(_ answer: BiometricOffer.Answer) async throws(Failure) {
        try await storeOfferAnswer(answer)
        await platform.report(.offerAnswered(answer), of: asker)
    }

    /// The same without an offer: by the switch in the settings, which telemetry does not count.
    func storeOfferAnswer(_ answer: BiometricOffer.Answer) async throws(Failure) { try await offerFile.take(answer) }

    /// Turns biometrics off for this vault: the sensor's copy of its key is deleted, and neither offered nor made again until
    /// the person wants it. Never prompts. The passcode opens the vault as before; a vault that was not made yet is made
    /// without the sensor.
    ///
    /// - Throws: `policyDenies` where only the sensor opens the vault, by its access or because there was no passcode when it
    ///   was made: nothing could open it any more. To give up such a vault, delete it.
    public func declineBiometrics() async throws(Failure) {
        guard let store = platform.vaults else { throw Failure(.noVault) }
        try await changes.serialised { () async throws(Failure) in
            // A record that cannot be read opens nothing.
            let record = (try? await record()) ?? nil
            guard !opensOnlyBySensor(record) else { throw Failure(.policyDenies) }
            if let record { try await checkOtherRung(of: record) }
            // The answer first: an app that is killed in between makes no new copy, and deletes the old one at the next call.
            try await offerFile.take(.never)
            // Another process may have made the vault since the record was read.
            guard let record = (try? await self.record()) ?? nil, record.rungs.contains(.biometric) else { return }
            try await drop(.biometric, of: record.number, in: store)
        }
    }

    /// Throws where no rung but the sensor could open the vault now: its contents would be lost with the sensor's copy.
    private func checkOtherRung(of record: VaultRecord) async throws(Failure) {
        let readiness = try await readiness(of: record)
        guard !readiness.usableRungs.contains(where: { $0 != .biometric }) else { return }
        throw readiness.ladder.last.flatMap { readiness.obstacle(to: $0) }?.inVault(readiness) ?? Failure(.policyDenies)
    }

    /// Whether no rung but the sensor opens the vault here: by its access and policy, or because there was no passcode when it
    /// was made. Another process may have a policy with more rungs, so nothing that is kept is changed because of the policy.
    func opensOnlyBySensor(_ record: VaultRecord?) -> Bool {
        record?.opensOnlyBySensor == true || !policy.ladder.contains { $0 != .biometric }
    }

    func biometricOffer() async throws(Failure) -> BiometricOffer { try await offerFile.read() }

    /// Whether the person wants no copy of the key behind this rung. Without an answer that can be read none is made.
    func isDeclined(_ rung: Rung) async -> Bool {
        guard rung == .biometric, !opensOnlyBySensor(nil) else { return false }
        return (try? await biometricOffer().isDeclined) ?? true
    }

    /// Forgets what the person answered and preferred, how quick they were, and what was enrolled when they were confirmed:
    /// the next one may be another person.
    func forgetPerson() async throws(Failure) {
        try await offerFile.delete()
        try await enrolmentMark.delete()
        try await history.forget()
    }

    var history: UnlockHistory { UnlockHistory(asker: asker, platform: platform) }
    var enrolmentMark: EnrolmentMarkFile { EnrolmentMarkFile(server: Self.realm, account: name, on: platform) }
    private var offerFile: BiometricOfferFile { BiometricOfferFile(server: Self.realm, account: name, on: platform) }
}
