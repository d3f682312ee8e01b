import ThumbturnCore

/// The place where a report gets its owner.
extension DevicePlatform {
    /// The owner of the reports of an account or a vault from now on; nil if nothing is collected. It is read when an unlock
    /// begins: one that ends after the account has got another owner is not theirs.
    func reportOwner(of asker: String) async -> ReportOwner? {
        telemetry == nil ? nil : await ReportOwner.now(of: asker, on: self)
    }

    /// Hands a report to the sink.
    func report(_ report: UnlockReport, of owner: ReportOwner?) {
        var report = report
        report.owner = owner
        telemetry?.take(report)
    }

    /// Hands an event of an account or a vault that belongs to no unlock to the sink, as a report of its own.
    func report(_ event: Telemetry, of asker: String) async {
        guard telemetry != nil else { return }
        let owner = await reportOwner(of: asker)
        report(UnlockReport([event], began: clock.civilTime, in: await telemetryContext()), of: owner)
    }
}
