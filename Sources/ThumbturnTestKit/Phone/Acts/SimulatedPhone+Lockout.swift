import Synchronization
import ThumbturnCore
import ThumbturnDevice

extension SimulatedPhone {
    /// Unlocks the phone with its passcode outside the app, which ends every lockout, and after a restart makes keys
    /// and secrets readable.
    public func unlockWithPasscode() {
        state.withLock { state in
            state.forgetTries()
            state.wantsPasscode = false
            state.isReadable = true
        }
    }
}

extension SimulatedPhone.State {
    mutating func forgetTries() {
        tries = 0
        pausedUntil = nil
    }

    /// Counts one more unsuccessful try, of any app: the count is the system's.
    mutating func countTry(at now: Instant) {
        tries += 1
        if let step = model.triesToPause, tries.isMultiple(of: step) { pausedUntil = now.advanced(by: model.pause) }
    }

    func lockout(at now: Instant) -> Lockout? {
        if wantsPasscode { return .untilPasscode }
        if let limit = model.triesToLockout, tries >= limit { return .untilPasscode }
        if let pausedUntil, now < pausedUntil { return .temporary }
        return nil
    }
}
