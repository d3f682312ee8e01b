import Synchronization
public import ThumbturnCore
import ThumbturnDevice

extension SimulatedPhone {
    /// The app's place on the screen.
    public var phase: AppPhase { state.withLock { $0.phase } }

    /// Moves the app to the back, as when the person leaves it. The system cancels a prompt that is up.
    public func moveToBack() {
        state.withLock { state in
            state.move(to: .back)
            state.takeDownPrompts(Failure(.cancelledBySystem))
        }
    }

    /// Moves the app to the front.
    public func moveToFront() {
        state.withLock { $0.move(to: .front) }
    }

    /// Makes the app visible without input: the app switcher, a call, the notifications. This lasts until
    /// `moveToFront()`, even where a prompt ends meanwhile.
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
        // One that has ended is forgotten here: see `Broadcaster`.
        watchers = watchers.filter { $0.value.takes(phase) }
    }
}

struct PhonePhases: AppPhases {
    let phone: SimulatedPhone

    func phases() -> AsyncStream<AppPhase> {
        let (phases, watcher) = AsyncStream.makeStream(of: AppPhase.self)
        phone.state.withLock { state in
            state.nextWatcher += 1
            state.watchers[state.nextWatcher] = watcher
            watcher.yield(state.phase)
        }
        return phases
    }
}
