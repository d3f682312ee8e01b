#if Server
import ThumbturnCore
import ThumbturnVerifier

extension AuthorizationServer {
    /// Throws for a key that pauses after wrong signatures: then none is judged, and the challenge is spent all the same. Only the
    /// holder of the key's own session key comes so far, so it is told how long.
    func refuseIfPaused(_ key: EnrolledKey, spending spends: [Spend], error: OAuthError? = nil) async throws {
        let now = time.now
        guard key.isPaused(at: now) else { return }
        _ = try await store.spend(spends)
        var refused = error == nil ? RequestError.unverified(.init(.proof, .paused)) : .invalidGrant(.init(.proof, .paused))
        refused.problem.retryAfter = (key.pausedUntil - now).components.seconds
        throw refused
    }

    /// Something was wrong that came without the session key that it needs: it counts against the network alone.
    func countStranger(_ network: Network) async throws {
        try await store.count(against: [throttlePlaces.address(network)], limits: throttleLimits)
    }
}

extension RequestError {
    /// Marks what came without the session key that it needs.
    func counting(_ refusal: VerificationError) -> RequestError {
        [.foreignKey, .unknownKey].contains(refusal) ? byStranger : self
    }
}
#endif
