#if os(Linux)
extension LinuxLab {
    /// Adds presses to the plan. Each request for a finger takes one; after a retry the next follows when the reader is ready again.
    public func willPress(_ more: [Press]) {
        // Drawn now, not when they are asked for: a press should follow its request at once.
        presses += more.map(\.drawn)
    }

    /// Presses of the plan that nobody asked for yet.
    public var plannedPresses: Int { presses.count }

    /// Forgets what is left of the plan.
    public func forgetPresses() {
        presses = []
    }

    /// Asks `answer` for a press when a finger is wanted and the plan is empty; nil puts an end to that.
    ///
    /// `answer` may take its time, as people do. When the verification is over before it returns, its press is dropped.
    public func whenAsked(_ answer: (@Sendable () async -> Press)?) {
        self.answer = answer
    }

    func hear(_ signal: Signal) async {
        guard let press = await press(for: signal.what)?.drawn else { return }
        do {
            // A press that comes late would be taken by the next verification and look like a false accept there.
            guard !heard.signals(from: signal.after).contains(where: \.endsRequest) else {
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
