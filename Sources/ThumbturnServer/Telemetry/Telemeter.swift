#if Server
import CoreMetrics
import Synchronization
import ThumbturnCore
import ThumbturnTelemetry

/// The server's telemetry: it admits batches, and counts them in the store.
final class Telemeter: Sendable {
    let gate: TelemetryGate
    private let deviceRates = RequestRates<DeviceID>()
    private let keyRates = RequestRates<String>()
    private let networkRates = RequestRates<Network>()
    private let rates: TelemetryRates?

    private let intake: TelemetryIntake
    private let store: SQLStore
    private let time: NodeTime
    private let metrics: ServerMetrics
    private let counters: Counters

    init(store: SQLStore, time: NodeTime, rates: TelemetryRates?, spacing: Duration, metrics: ServerMetrics, counters: Counters) {
        self.store = store
        self.time = time
        self.rates = rates
        // A measurement has one address.
        gate = rates == nil ? TelemetryGate(mostOfNetwork: Limits.telemetryAtOnce) : TelemetryGate()
        self.metrics = metrics
        self.counters = counters
        let rounds = TelemetryRounds(store: store, time: time, metrics: metrics)
        intake = TelemetryIntake(spacing: spacing) { try await rounds.count($0) }
    }

    /// Counts a request of a network, before anything is known of its sender. Throws if it is beyond the network's rate.
    func admit(_ network: Network) throws(RequestError) {
        try check(rates.flatMap { networkRates.wait(of: network, perMinute: $0.ofNetwork, at: time.now) })
    }

    /// Counts a batch of an authenticated sender. Throws if it is beyond the sender's rate.
    func admit(_ credential: BatchSender.Credential) throws(RequestError) {
        guard let rates else { return }
        let wait =
            switch credential {
            case .device(let device): deviceRates.wait(of: device, perMinute: rates.ofDevice, at: time.now)
            case .key(let name): keyRates.wait(of: name, perMinute: rates.ofKey, at: time.now)
            }
        try check(wait)
    }

    private func check(_ wait: Duration?) throws(RequestError) {
        guard let wait else { return }
        throw .tooManyRequests(.init(.telemetry, .limit), retryAfter: wait)
    }

    /// Has a batch counted, and returns when its counts are stored.
    func take(_ batch: WaitingBatch) async throws {
        metrics.count(.old, batch.dropped.old)
        metrics.count(.future, batch.dropped.future)
        // With nothing to count it takes no room among those that wait, and no entry in the list of names.
        guard !batch.unlocks.isEmpty else { return }
        defer { metrics.waitingUnlocks.set(intake.waitingUnlocks) }
        guard try await intake.submit(batch) == .counted else {
            throw RequestError.unavailable(.init(.telemetry, .overloaded))
        }
        counters.unlocks.wrappingAdd(batch.unlocks.count, ordering: .relaxed)
    }

    /// Forgets what no longer counts. The server calls it every minute.
    ///
    /// - Parameter retention: how long counts are kept; nil for ever, where the server takes no more.
    func tidy(retention: Duration?) async throws {
        let now = time.now
        deviceRates.tidy(at: now)
        keyRates.tidy(at: now)
        networkRates.tidy(at: now)
        try await store.purgeTelemetry(
            cellsBefore: retention.map { TelemetryDay(of: now + (.zero - $0)) }, today: TelemetryDay(of: now),
            batchesBefore: now + (.zero - Limits.telemetryBatchAge), mostBatches: Limits.telemetryBatches)
    }
}
#endif
