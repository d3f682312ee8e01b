#if Server
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

extension AuthorizationServer {
    /// `POST /v1/password`: sets the password of the caller's account. The former one is not needed, because the step-up
    /// shows who asks.
    ///
    /// The token is consumed before the password is hashed: hashing takes long, and a copied request must not cause it.
    func changePassword(_ request: PasswordChangeRequest, _ caller: Caller) async throws {
        guard Passwords.isAcceptable(request.password) else { throw RequestError.malformed() }
        // A visit, which no key opened, changes nothing of the account.
        _ = try caller.key(at: time.now)
        guard let ask = ActionAsk(StepUpAction.changePassword.name) else {
            preconditionFailure("the name of a preset action is valid")
        }
        try await caller.claims.judge(for: ask, by: settings.stepUp.current, at: time.now) { _ in
            let spend = Spend(
                .stepUp, id: caller.session.id.bytes, expiresAt: caller.claims.exp, epoch: secrets.current.epoch)
            return try await store.spend([spend])
        }
        let hash: String
        do {
            hash = try await passwords.hash(request.password, for: .account(caller.session.account))
        } catch let full as Passwords.QueueFull {
            throw RequestError(full)
        }
        await beforeSpending()
        guard try await store.setPassword(hash, by: caller.session) else { throw RequestError.endedSession }
    }

    // MARK: For the operator

    /// Replaces an account's password.
    package func setPassword(_ password: String, ofAccountNamed name: String) async throws {
        let account = try await existingAccount(named: name)
        try Self.checkNew(password)
        try await store.setPassword(try await passwords.hash(password), of: account.id)
    }

    /// Switches an account off. Throws `SetupError.accountDisabled` if it is off already.
    package func disable(accountNamed name: String) async throws {
        guard try await store.disable(try await existingAccount(named: name).id) else { throw SetupError.accountDisabled(name) }
    }

    /// Switches an account on again. Throws `SetupError.accountEnabled` if it is on already.
    package func enable(accountNamed name: String) async throws {
        guard try await store.enable(try await existingAccount(named: name).id) else { throw SetupError.accountEnabled(name) }
    }

    /// Revokes all devices of an account, and returns their number.
    package func end(accountNamed name: String) async throws -> Int {
        try await store.revokeDevices(of: try await existingAccount(named: name).id)
    }

    /// The state of an account.
    package func state(ofAccountNamed name: String) async throws -> AccountState {
        guard let state = try await store.state(of: try await existingAccount(named: name).id) else {
            throw SetupError.accountUnknown(name)
        }
        return state
    }
}
#endif
