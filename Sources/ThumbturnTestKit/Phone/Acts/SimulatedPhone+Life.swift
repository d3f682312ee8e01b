import Synchronization
public import ThumbturnCore
import ThumbturnDevice

extension SimulatedPhone {
    /// Kills the app: its prompts are gone without an answer, and its locks are free. Its next start is in front; take
    /// another `platform` for it.
    public func killApp() {
        state.withLock { state in
            state.shown = [:]
            state.locks = state.locks.filter { $0.value.process != "app" }
            state.appStarts += 1
            state.move(to: .front)
        }
    }

    /// Restarts the phone: prompts are gone, monotonic time begins anew under another boot identity, and until
    /// `unlockWithPasscode()` no key and no secret can be read and the sensor is refused.
    public func reboot() {
        phoneClock.restart()
        state.withLock { state in
            state.takeDownPrompts(Failure(.cancelledBySystem))
            state.locks = [:]
            state.starts += 1
            (state.lastMatch, state.lastDeviceUnlock) = (nil, nil)
            // Without a passcode the user's files are readable as soon as the app can run.
            state.wantsPasscode = state.hasPasscode
            state.isReadable = !state.hasPasscode
        }
    }

    /// Starts the app in the background before the phone was first unlocked: keys and secrets exist and cannot be read.
    /// This ends with `unlockWithPasscode()`, and `moveToFront()` shows the app.
    public func prewarm() {
        state.withLock { state in
            state.move(to: .back)
            state.isReadable = false
        }
    }

    /// Sets this phone's date, as the person or the network may. The server's date stays.
    public func moveWallClock(by duration: Duration) {
        phoneClock.moveCivilTime(by: duration)
    }

    /// Upgrades the system to its next major version: its marks of enrolment change without an enrolment.
    ///
    /// - Parameter losesKeys: whether the key store loses its keys in the upgrade, as users of some devices report.
    public func upgradeSystem(losesKeys: Bool = false) {
        state.withLock { state in
            state.systemVersion += 1
            guard losesKeys else { return }
            for name in state.keys.keys { state.keys[name]?.life.isLost = true }
            for name in state.pins.keys.keys { state.pins.keys[name]?.life.isLost = true }
            for name in state.vaults.keys { state.vaults[name]?.life.isLost = true }
        }
    }

    /// Deletes the app and installs it again. On an iPhone the keychain survives, and the adapter deletes the earlier
    /// items at the next start; on Android everything is deleted.
    public func reinstallApp() {
        state.withLock { state in
            state.takeDownPrompts(Failure(.cancelledByApp))
            if !state.model.survivesReinstall { state.forgetApp() }
        }
    }

    /// The contents of a phone's backup. It stays valid after the phone is gone.
    public struct Backup: Sendable, Redacted {
        let secrets: [String: [UInt8]]
        let isSealed: Bool
    }

    /// Makes a backup, as the model does. It contains no key.
    public func backup() -> Backup {
        state.withLock { state in
            Backup(
                secrets: state.model.backup == .leavesOut ? [:] : state.secrets,
                isSealed: state.model.backup == .carriesSealed
            )
        }
    }

    /// Sets this phone up from a backup, as an erased phone or another one: its own keys are gone, its person has
    /// enrolled anew, and it has the backup's secrets, which are not always readable.
    public func restore(_ backup: Backup) {
        state.withLock { state in
            state.takeDownPrompts(Failure(.cancelledBySystem))
            state.forgetApp()
            state.secrets = backup.secrets
            state.unreadableSecrets = backup.isSealed ? Set(backup.secrets.keys) : []
        }
        if model.sensor != nil { enrolNewFace() }
    }
}

extension SimulatedPhone.State {
    fileprivate mutating func forgetApp() {
        keys = [:]
        pins.keys = [:]
        secrets = [:]
        unreadableSecrets = []
        vaults = [:]
    }
}
