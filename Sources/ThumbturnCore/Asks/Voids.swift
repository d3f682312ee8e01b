/// What ended the worth of earlier asks: locking, leaving, dismissing, revoking, and for one ask its last caller's leaving.
/// There is one counter, which every success is checked against.
///
/// A success carries the tick of its ask, which is taken before the first prompt. It is worth something only while no
/// later void reaches it.
package struct Voids: Hashable, Sendable {
    private var last: UInt64 = 0
    private var everything = Tick(number: 0)
    private var everyone: Tick?
    private var askers: [String: Tick] = [:]
    /// The asks that were made worthless one by one, since everything was.
    private var asks: Set<Tick> = []

    package init() {}

    /// The tick of an ask that begins now.
    package mutating func next() -> Tick {
        last += 1
        return Tick(number: last)
    }

    /// Makes every ask worthless that began before a tick, or until now: the app was locked, or the person left it.
    package mutating func voidEverything(before tick: Tick? = nil) {
        everything = max(everything, tick ?? next())
        // Those that began after the tick stay worthless one by one.
        if tick == nil { asks = [] }
    }

    /// Makes every ask of an account or a vault until now worthless: its person was dismissed, or its keys were revoked.
    package mutating func void(_ asker: String) { askers[asker] = next() }

    /// Makes every ask until now worthless: the person of each account and each vault was dismissed.
    package mutating func dismissEveryone() { everyone = next() }

    /// Makes one ask worthless: no caller hears of its success.
    package mutating func void(_ ask: Tick) { asks.insert(ask) }

    /// Whether the success of an ask is still worth something.
    package func isLive(_ ask: Tick, of asker: String) -> Bool {
        ask > everything && !asks.contains(ask) && !wasDismissed(ask, of: asker)
    }

    /// When an account or a vault was last dismissed; nil where it was not.
    package func dismissal(of asker: String) -> Tick? { [askers[asker], everyone].compactMap { $0 }.max() }

    /// Whether an ask began before its account or vault was last dismissed.
    package func wasDismissed(_ ask: Tick, of asker: String) -> Bool { dismissal(of: asker).map { ask < $0 } ?? false }
}
