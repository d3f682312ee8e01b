import ThumbturnCore

/// A request that has its turn.
struct RunningAsk: Sendable {
    let request: UnlockRequest
    /// Its place in the order of asks and voids, from when its first caller came.
    let tick: Tick
    let prompts: PromptCoordinator

    /// Whether its success would still be worth something.
    var isLive: Bool { prompts.isLive(tick, of: request.asker) }

    /// Throws `cancelledByApp` where its callers have left, or where it was voided since it began. Comes before anything
    /// is sent or kept for it.
    func check() throws(Failure) {
        guard !Task.isCancelled, isLive else { throw Failure(.cancelledByApp) }
    }

    /// The evidence that a rung's key answered.
    func answered(by rung: Rung, at moment: Moment) -> AnsweredAsk {
        AnsweredAsk(rung: rung, asker: request.asker, tick: tick, at: moment, prompts: prompts)
    }
}
