#if Server
import ThumbturnCore
import ThumbturnMessages

extension AuthorizationServer {
    /// Enrols plain clients with public keys that have no private half, to measure refused sign-ins.
    ///
    /// - Returns: the account's id.
    package func enrolDecoys(_ count: Int, _ kind: PlainKey.Kind, ofAccountNamed name: String) async throws -> AccountID {
        let account = try await existingAccount(named: name)
        for _ in 1...count {
            let key = try PlainKey(spkiDER: kind.makeDecoy())
            let device = NewDevice(id: .random(), account: account.id, name: "Test", sessionJKT: "", keys: [], coolOff: .zero)
            let isEnrolled = try await store.enrol(
                device, with: NewPlainKey(kid: key.kid, spki: key.spki), by: ticketOfTheOperator(to: account))
            precondition(isEnrolled, "an account may have this many plain keys")
        }
        return account.id
    }

    /// The right to enrol a device of a new account, without a ticket that was handed out.
    func ticketOfTheOperator(to account: Account) -> Tickets.Right {
        let spend = Spend(
            .ticket, id: DeviceID.random().bytes, expiresAt: time.now + .seconds(60), epoch: secrets.current.epoch)
        return Tickets.Right(
            account: account.id, spend: spend, voucher: nil, freshness: .fresh,
            credentialGeneration: account.credentialGeneration)
    }
}
#endif
