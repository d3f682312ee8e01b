#if os(Linux)
extension LinuxLab {
    /// How much was heard so far: take it before an action, and look or wait from there.
    public nonisolated var place: Int { heard.count }

    /// What was heard on the bus from a place on.
    public nonisolated func signals(from place: Int = 0) -> [BusSignal] {
        heard.signals(from: place)
    }

    /// The first wanted signal from a place on, whether it has come already or is still to come.
    ///
    /// - Throws: `LabError.Code.silence` when none came in time.
    @discardableResult
    public nonisolated func signal(
        from place: Int, within limit: Duration = .seconds(10), where wants: @escaping @Sendable (BusSignal) -> Bool
    ) async throws -> BusSignal {
        guard let found = await heard.first(from: place, within: limit, where: wants) else {
            throw LabError(.silence, "the awaited signal did not come within \(limit); heard: \(heard.signals(from: place))")
        }
        return found
    }
}
#endif
