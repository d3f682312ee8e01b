import Synchronization
import ThumbturnCore
import ThumbturnDevice

/// Unlocks of the phone itself, which may stand in for the prompt of a vault on Apple's systems.
extension SimulatedPhone {
    /// How long after a face or finger has unlocked the phone a vault opens without another prompt, as `deviceUnlockReuse` of
    /// `DevicePlatform.apple`; zero at first.
    public var deviceUnlockReuse: Duration {
        get { state.withLock { $0.deviceUnlockReuse } }
        set { state.withLock { $0.deviceUnlockReuse = min(max(newValue, .zero), .seconds(300)) } }
    }

    /// Unlocks the phone with a face or finger outside the app.
    public func unlockWithSensor() {
        let now = clock.now
        state.withLock { $0.lastDeviceUnlock = now }
    }

    /// Takes an unlock of the phone in place of a prompt.
    ///
    /// - Returns: the number of the use; nil if the prompt has to be shown.
    static func reuse(of request: PromptRequest, _ state: inout State, at now: Instant) -> Int? {
        guard state.model.system == .apple, request.rung == .biometric, request.key.server == Vault.realm,
            let age = state.lastDeviceUnlock?.duration(to: now),
            age < min(state.deviceUnlockReuse, request.deviceUnlockMaximumAge ?? state.deviceUnlockReuse)
        else { return nil }
        state.reusedUnlocks += 1
        // Below zero, where no prompt's number is.
        return -state.reusedUnlocks
    }
}
