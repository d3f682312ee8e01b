#if Tools
import ThumbturnCore
import ThumbturnMessages
import ThumbturnServer

extension AuthorizationServer {
    /// Enrols plain clients with public keys that have no private half, to measure refused sign-ins.
    ///
    /// - Returns: the account's id.
    func enrolDecoys(_ count: Int, _ kind: PlainKey.Kind, ofAccountNamed name: String) async throws -> AccountID {
        let account = try await EmbeddedServer(self).account(named: name)
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
            .ticket, id: DeviceID.random().bytes, expiresAt: time.now + .seconds(60), epoch: epoch)
        return Tickets.Right(
            account: account.id, spend: spend, voucher: nil, freshness: .fresh,
            credentialGeneration: account.credentialGeneration)
    }
}

extension EmbeddedServer {
    /// Enrols devices without tickets, for a benchmark that needs thousands of them. Each has a session key, a
    /// biometric key and an account of its own.
    ///
    /// - Returns: the accounts' ids, in the order of the devices.
    func enrolForLoad(_ devices: [[NewDevice.Key]]) async throws -> [String] {
        try await withThrowingTaskGroup { tasks in
            for (index, keys) in devices.enumerated() {
                tasks.addTask {
                    let id = AccountID.random()
                    let account = Account(id: id, name: "load \(id.text)", passwordHash: "")
                    _ = try await service.store.addAccount(account)
                    let device = NewDevice(
                        id: .random(), account: id, name: "Load", sessionJKT: keys[0].kid, keys: keys, coolOff: .zero
                    )
                    let ticket = service.ticketOfTheOperator(to: account)
                    _ = try await service.store.enrol(
                        device,
                        by: Authorisation(rules: .enrol, spends: [ticket.spend], grounds: .ticket(ticket), jkt: keys[0].kid))
                    return (index, id.text)
                }
            }
            var accounts = [String](repeating: "", count: devices.count)
            for try await (index, account) in tasks { accounts[index] = account }
            return accounts
        }
    }

    /// Marks all due notices as delivered, without delivering them.
    func settleNotices() async throws {
        while case let due = try await service.store.takeDueNotices(), !due.isEmpty {
            try await withThrowingTaskGroup { tasks in
                for (notice, _) in due { tasks.addTask { try await service.store.settle(notice.id) } }
                try await tasks.waitForAll()
            }
        }
    }
}
#endif
