#if os(Linux)
extension LinuxLab {
    /// Adds presses to the plan. Each request for a finger takes one. After a retry the next one follows when the
    /// reader is ready.
    public func willPress(_ more: [Press]) {
        // The images are drawn now, so that a press follows its request at once.
        presses += more.map(\.drawn)
    }

    /// How many presses of the plan are left.
    public var plannedPresses: Int { presses.count }

    /// Discards the rest of the plan.
    public func forgetPresses() {
        presses = []
    }

    /// Calls `answer` for a press when a finger is requested and the plan is empty. Nil removes the closure.
    ///
    /// `answer` may take as long as a person would. If the verification is over before it returns, its press is
    /// dropped.
    public func whenAsked(_ answer: (@Sendable () async -> Press)?) {
        self.answer = answer
    }

    func handle(_ received: ReceivedSignal) async {
        guard let press = await press(for: received.signal)?.drawn else { return }
        do {
            // The next verification would take a late press, which would look like a false accept.
            guard !signalLog.signals(from: received.end).contains(where: \.endsRequest) else {
                throw LabError(.reader, "the request was over before the press came")
            }
            try await reader.perform(press)
        } catch {
            missedPresses.append(error as? LabError ?? LabError(.reader, "\(error)"))
        }
    }

    private func press(for signal: BusSignal) async -> Press? {
        if let now = enrolling {
            guard signal == .fingerNeeded(true) else { return nil }
            enrolling?.scan -= 1
            return .finger(now.finger, scan: now.scan)
        }
        guard plan.isAsking(signal) else { return nil }
        let press: Press? = if presses.isEmpty { await answer?() } else { presses.removeFirst() }
        plan.answered(press)
        return press
    }

    func setEnrolling(_ enrolling: Enrolling?) {
        self.enrolling = enrolling
    }
}
#endif
