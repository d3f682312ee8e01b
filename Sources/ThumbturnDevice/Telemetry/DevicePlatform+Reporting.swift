import ThumbturnCore

extension DevicePlatform {
    /// Hands an event that belongs to no unlock to the sink, as a report of its own.
    func report(_ event: Telemetry) async {
        guard let telemetry else { return }
        telemetry.take(UnlockReport([event], began: clock.civilTime, in: await telemetryContext()))
    }
}
