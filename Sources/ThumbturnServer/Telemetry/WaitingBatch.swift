#if Server
import Crypto
import ThumbturnCore
import ThumbturnMessages

/// A batch that was accepted and waits for the transaction that counts it.
struct WaitingBatch: Sendable {
    /// The SHA-256 of the batch's name, shortened to 16 bytes: what the store keeps of it.
    let id: [UInt8]
    /// The device's name for the day, as the batch has it.
    let day: [UInt8]
    let sender: BatchSender
    /// The unlocks that count.
    let unlocks: [UnlockReport]
    /// By what they are counted.
    let contexts: Set<TelemetryContext>
    /// The unlocks that began too far in the past or in the future, which do not count.
    let dropped: (old: Int, future: Int)

    /// Drops the unlocks that began more than a day ahead of the server's clock or more than 30 days ago. The others count on the
    /// day on which they come, by the server's clock: a person can set a device's clock to any day.
    init(_ batch: TelemetryBatch, from sender: BatchSender, at now: UnixTime) {
        id = Array(SHA256.hash(data: Array(batch.id.text.utf8)).prefix(16))
        day = Array(batch.day.text.utf8)
        self.sender = sender
        var dropped = (old: 0, future: 0)
        unlocks = batch.unlocks.filter { report in
            let age = now - report.began
            if age > Limits.telemetryAge { dropped.old += 1 }
            if .zero - age > Limits.telemetryAhead { dropped.future += 1 }
            return age <= Limits.telemetryAge && .zero - age <= Limits.telemetryAhead
        }
        contexts = Set(unlocks.map(\.context))
        self.dropped = dropped
    }
}
#endif
