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
}
#endif
