#if Server
extension EmbeddedServer {
    package func counts() throws -> Counters.Report {
        let counters = service.counters
        return Counters.Report(
            verifications: counters.verifications.total, tokens: counters.tokens.total, spends: counters.spends.total,
            sessions: counters.sessions.total, refreshes: counters.refreshes.total,
            redemptions: counters.redemptions.total, unlocks: counters.unlocks.total,
            isDurable: try service.store.durability().isFull
        )
    }

    /// Enrols devices without tickets, for a benchmark that needs thousands of them. Each has a session key, a
    /// biometric key and an account of its own.
    ///
    /// - Returns: the accounts' ids, in the order of the devices.
    package func enrolForLoad(_ devices: [[NewDevice.Key]]) async throws -> [String] {
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
    package func settleNotices() async throws {
        while case let due = try await service.store.takeDueNotices(), !due.isEmpty {
            try await withThrowingTaskGroup { tasks in
                for (notice, _) in due { tasks.addTask { try await service.store.settle(notice.id) } }
                try await tasks.waitForAll()
            }
        }
    }
}
#endif
