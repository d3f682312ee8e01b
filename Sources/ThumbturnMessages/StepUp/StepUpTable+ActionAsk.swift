public import ThumbturnCore

extension StepUpTable {
    /// The demand of this table for an action and its amount.
    public func demand(for ask: ActionAsk) throws(Unasked) -> ActionDemand { try demand(for: ask.name, amount: ask.amount) }
}

extension ActionDemand {
    /// The greatest age of a proof. Where each use needs a signature of its own, that is the lifetime of its challenge,
    /// in which it is redeemed, and the lifetime of its token, in which it is used.
    public var oldest: Duration { signsEach ? Purpose.stepUp.lifetime + ActionGrant.lifeOfOneUse : maximumAge }
}
