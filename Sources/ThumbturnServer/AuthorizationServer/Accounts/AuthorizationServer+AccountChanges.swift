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
}
#endif
