import Synchronization
public import ThumbturnCore
import ThumbturnDevice

extension SimulatedPhone {
    /// Where the app is on the screen.
    public var phase: AppPhase { state.withLock { $0.phase } }

    /// The person leaves the app. The system cancels a prompt that is up.
    public func moveToBack() {
        state.withLock { state in
            state.move(to: .back)
            state.takeDownPrompts(Failure(.cancelledBySystem))
        }
    }

    /// The person comes back to the app.
    public func moveToFront() {
        state.withLock { $0.move(to: .front) }
    }

    /// The app is seen and has no input: the app switcher, a call, the notifications. It lasts until `moveToFront()`, also where a prompt
    /// ends meanwhile.
    public func becomeInactive() {
        state.withLock { state in
            state.move(to: .inactive)
            state.isCovered = true
        }
    }
}

extension SimulatedPhone.State {
    mutating func move(to phase: AppPhase) {
        if phase != .inactive { isCovered = false }
        guard phase != self.phase else { return }
        self.phase = phase
        for watcher in watchers.values { watcher.yield(phase) }
    }
}

struct PhonePhases: AppPhases {
    let phone: SimulatedPhone

    func phases() -> AsyncStream<AppPhase> {
        let (phases, watcher) = AsyncStream.makeStream(of: AppPhase.self)
        let id = phone.state.withLock { state in
            state.nextWatcher += 1
            state.watchers[state.nextWatcher] = watcher
            watcher.yield(state.phase)
            return state.nextWatcher
        }
        watcher.onTermination = { [weak phone] _ in
            phone?.state.withLock { $0.watchers[id] = nil }
        }
        return phases
    }
}
