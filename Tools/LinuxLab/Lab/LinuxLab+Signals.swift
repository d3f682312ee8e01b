#if os(Linux)
extension LinuxLab {
    /// The current position in the log of signals. Read it before an action, to look or wait from there afterwards.
    public nonisolated var place: Int { signalLog.count }

    /// The signals on the bus from a position on.
    public nonisolated func signals(from place: Int = 0) -> [BusSignal] {
        signalLog.signals(from: place)
    }

    /// The first matching signal from a position on, whether it came already or is still to come.
    ///
    /// - Throws: `LabError.Code.silence` if none came in time.
    @discardableResult
    public nonisolated func signal(
        from place: Int, within limit: Duration = .seconds(10), where wants: @escaping @Sendable (BusSignal) -> Bool
    ) async throws -> BusSignal {
        guard let found = await signalLog.first(from: place, within: limit, where: wants) else {
            throw LabError(.silence, "the signal did not come within \(limit); received: \(signalLog.signals(from: place))")
        }
        return found
    }
}
#endif
