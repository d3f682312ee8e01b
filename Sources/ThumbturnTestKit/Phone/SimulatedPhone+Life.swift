import Synchronization
public import ThumbturnCore
import ThumbturnDevice

extension SimulatedPhone {
    /// The app is killed: its prompts are gone without a word. Its next start is in front.
    public func killApp() {
        state.withLock { state in
            state.shown = [:]
            state.move(to: .front)
        }
    }

    /// The phone is started again: prompts are gone, monotonic time begins anew under another boot identity, and until
    /// `unlockWithPasscode()` no key and no secret can be read and the sensor is refused.
    public func reboot() {
        phoneClock.restart()
        state.withLock { state in
            state.takeDownPrompts(Failure(.cancelledBySystem))
            state.lastMatch = nil
            // A machine without a passcode has its user's files as soon as somebody can run the app.
            state.wantsPasscode = state.hasPasscode
            state.isReadable = !state.hasPasscode
        }
    }

    /// The system starts the app in the background, before anybody has unlocked the phone: keys and secrets are there and cannot be
    /// read. It ends with `unlockWithPasscode()`, and `moveToFront()` shows the app.
    public func prewarm() {
        state.withLock { state in
            state.move(to: .back)
            state.isReadable = false
        }
    }

    /// The person or the network sets the date. Only this phone's: a server keeps its own.
    public func moveWallClock(by duration: Duration) {
        phoneClock.moveCivilTime(by: duration)
    }

    /// The system is upgraded to its next major version: its marks of enrolment change though nobody enrolled anything.
    ///
    /// - Parameter losesKeys: whether the key store breaks on the way, as users of some devices report.
    public func upgradeSystem(losesKeys: Bool = false) {
        state.withLock { state in
            state.systemVersion += 1
            guard losesKeys else { return }
            for name in state.keys.keys { state.keys[name]?.life.isLost = true }
            for name in state.pins.keys.keys { state.pins.keys[name]?.life.isLost = true }
            for name in state.vaults.keys { state.vaults[name]?.life.isLost = true }
        }
    }

    /// The app is deleted and installed again. On an iPhone its keychain outlives that, and what is in it is wiped at the next start; on
    /// Android everything goes.
    public func reinstallApp() {
        state.withLock { state in
            state.takeDownPrompts(Failure(.cancelledByApp))
            if !state.model.survivesReinstall { state.forgetApp() }
        }
    }

    /// What a backup of a phone holds. It is valid after the phone is gone.
    public struct Backup: Sendable, Redacted {
        let secrets: [String: [UInt8]]
        let isSealed: Bool
    }

    /// Makes a backup, as the model makes them. No key is in it.
    public func backup() -> Backup {
        state.withLock { state in
            Backup(
                secrets: state.model.backup == .leavesOut ? [:] : state.secrets,
                isSealed: state.model.backup == .carriesSealed
            )
        }
    }

    /// The phone is erased, or is another one, and set up from a backup: its own keys are gone, its person has enrolled anew, and the
    /// backup's secrets are there, though not always readable.
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
