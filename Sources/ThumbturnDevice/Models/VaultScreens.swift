public import ThumbturnCore

// The screens of a vault.
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
    ///   - opened: uses the open vault, which closes when it returns. Where it throws, the screen has stopped.
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
    ///   - opened: uses the open vault, which closes when it returns. The lock opens then; where it throws, the app stays locked.
    public convenience init(
        for vault: Vault, reason: String, rules: AppLock.Rules = .init(),
        whenLocked: @escaping @MainActor () -> Void = {}, recover: @escaping @MainActor (Recovery) -> Void = { _ in },
        opened: @escaping @Sendable (LocalUnlock) async throws -> Void
    ) {
        let opener = Opener(subject: vault, reason: reason, policy: vault.policy)
        self.init(
            rules, vault.platform, opener, unlock: vault.answering(reason, opened), whenLocked: whenLocked, recover: recover)
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
