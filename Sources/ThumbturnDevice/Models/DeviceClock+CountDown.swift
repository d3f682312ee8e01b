import ThumbturnCore

extension DeviceClock {
    /// Tells the time that is left until a point in time, each second, for a screen that counts a pause down.
    ///
    /// - Parameters:
    ///   - end: the end of the pause.
    ///   - tell: is told the time that is left, and says whether to go on.
    /// - Returns: whether the end came; false where `tell` ended it, or the task was cancelled.
    @MainActor func countDown(until end: Instant, _ tell: @MainActor (Duration) -> Bool) async -> Bool {
        while true {
            let left = now.duration(to: end)
            guard left > .zero else { return true }
            guard tell(left), (try? await sleep(until: now.advanced(by: min(.seconds(1), left)))) != nil else { return false }
        }
    }
}
