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
        guard let offer = try? await biometricOffer() else { return false }
        // A vault needs no sign-in before it: its first unlock makes it.
        return offer.isDue(readiness, at: platform.clock.civilTime, under: rules, hasJustSignedIn: true)
    }

    /// Stores the person's answer to the offer. "Set up" adds nothing by itself: the next unlock by the passcode lets the
    /// sensor open the vault again, and for a vault that was not made yet the first unlock does. `delete()` forgets the
    /// answer.
    public func answerBiometricOffer(_ answer: BiometricOffer.Answer) async throws(Failure) {
        try await offerFile.take(answer)
    }

    /// Turns biometrics off for this vault: the sensor's copy of its key is deleted, and neither offered nor made again until
    /// the person wants it. Never prompts. The passcode opens the vault as before; a vault that was not made yet is made
    /// without the sensor.
    ///
    /// - Throws: `policyDenies` where only the sensor opens the vault, by its access or because there was no passcode when it
    ///   was made: nothing could open it any more. To give up such a vault, delete it.
    public func declineBiometrics() async throws(Failure) {
        guard let store = platform.vaults else { throw Failure(.noVault) }
        guard policy.ladder.contains(where: { $0 != .biometric }) else { throw Failure(.policyDenies) }
        try await changes.serialised { () async throws(Failure) in
            // A record that cannot be read opens nothing.
            let record = (try? await record()) ?? nil
            if let record, record.opensOnlyBySensor { throw Failure(.policyDenies) }
            // The answer first: an app that is killed in between makes no new copy, and deletes the old one at the next call.
            try await offerFile.take(.never)
            guard let record else { return }
            try await drop(.biometric, of: record.number, in: store)
        }
    }

    func biometricOffer() async throws(Failure) -> BiometricOffer { try await offerFile.read() }

    /// Whether the person wants no copy of the key behind this rung. Without an answer that can be read none is made.
    func isDeclined(_ rung: Rung) async -> Bool {
        guard rung == .biometric, policy.ladder.contains(where: { $0 != .biometric }) else { return false }
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

// MARK: - The system's lockout

extension Vault {
    /// Asks the sensor. Where the system has locked it out before, or does meanwhile, and the vault has no passcode rung, the
    /// device passcode is asked for once: it ends the lockout and opens nothing, and then the sensor is asked again.
    func liftingLockout<Value>(
        for ask: RunningAsk, _ askSensor: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        if await canLiftLockout(await platform.sensor.biometry()) {
            try await liftLockout(for: ask)
            return try await askSensor()
        }
        do throws(Failure) {
            return try await askSensor()
        } catch {
            guard error.code == .lockedOut, await canLiftLockout(.lockedOut(error.kindOfLockout)) else { throw error }
            try await liftLockout(for: ask)
            return try await askSensor()
        }
    }

    private func liftLockout(for ask: RunningAsk) async throws(Failure) {
        observe(.moved(from: .biometric, to: .devicePasscode, because: .lockedOut, over: policy.transition))
        let hold = try await ask.screen(on: platform)
        defer { hold.release() }
        switch await platform.prompts.liftLockout(ask.request.reason, on: platform) {
        case .matched: return
        case .notMatched: throw Failure(.notMatched)
        case .failed(let failure): throw failure
        }
    }

    func canLiftLockout(_ biometry: BiometryState) async -> Bool {
        guard biometry == .lockedOut(.untilPasscode), platform.sensor.liftsLockouts, !access.rungs.contains(.devicePasscode)
        else { return false }
        return await platform.sensor.isPasscodeSet()
    }
}

// MARK: - Its screens

extension UnlockScreen {
    /// Makes the screen of an unlock of a vault, with buttons that name the ways in. The vault's own policy counts.
    ///
    ///     let screen = UnlockScreen(for: vault, reason: "Open your designs") { secrets in
    ///         try await model.load(secrets)
    ///     }
    ///
    /// - Parameters:
    ///   - vault: the vault that is opened.
    ///   - reason: shown in the system's prompt.
    ///   - purpose: whether the prompt may come by itself.
    ///   - recover: helps the person to recover, such as by opening the settings; called when the button of a recovery is
    ///     pressed.
    ///   - opened: uses the open vault, which closes when it returns.
    public convenience init(
        for vault: Vault, reason: String, purpose: Purpose = .unlock,
        recover: @escaping @MainActor (Recovery) -> Void = { _ in },
        opened: @escaping @Sendable (LocalUnlock) async throws -> Void
    ) {
        self.init(
            for: vault, reason: reason, policy: vault.policy, purpose: purpose, unlock: vault.answering(reason, opened),
            recover: recover)
    }
}

extension AppLockModel {
    /// Makes the lock of an app that only one vault opens, with the contents of its lock screen: messages, and buttons that
    /// name the ways in.
    ///
    /// It asks by itself a moment after the app came to the screen, as the vault's policy says.
    ///
    /// - Parameters:
    ///   - vault: the vault that opens the app.
    ///   - reason: shown in the system's prompt.
    ///   - rules: when the app locks.
    ///   - whenLocked: forgets what the app shows. Earlier successes are worthless already.
    ///   - recover: helps the person to recover; called when the button of a recovery is pressed.
    ///   - opened: uses the open vault, which closes when it returns.
    public convenience init(
        for vault: Vault, reason: String, rules: AppLock.Rules = .init(),
        whenLocked: @escaping @MainActor () -> Void = {}, recover: @escaping @MainActor (Recovery) -> Void = { _ in },
        opened: @escaping @Sendable (LocalUnlock) async throws -> Void
    ) {
        let account = Account(owner: vault, reason: reason, policy: vault.policy)
        self.init(
            rules, vault.platform, account, unlock: vault.answering(reason, opened), whenLocked: whenLocked, recover: recover)
    }
}

extension Vault {
    /// Opens the vault for a body, and returns who answered.
    fileprivate func answering(
        _ reason: String, _ body: @escaping @Sendable (LocalUnlock) async throws -> Void
    ) -> @Sendable (UnlockFlow.Start) async throws -> AnsweredAsk {
        { start in
            try await self.unlocked(reason, by: start) { secrets in
                try await body(secrets)
                return secrets.answered
            }
        }
    }
}
