import Synchronization
import ThumbturnCore
import ThumbturnDevice

extension SimulatedPhone {
    /// Enrols another face, finger or iris, which invalidates every biometric key.
    public func enrolNewFace() {
        state.withLock { state in
            state.faces += 1
            state.enrolledSetChanged(killsKeys: true)
        }
    }

    /// Removes one of the faces or fingers. Whether this invalidates biometric keys while another one is left depends
    /// on the model.
    public func removeOneFace() {
        state.withLock { state in
            guard state.faces > 0 else { return }
            state.faces -= 1
            state.enrolledSetChanged(killsKeys: state.faces == 0 || state.model.removingOneKillsKeys)
        }
    }

    /// Removes all faces or fingers, which invalidates every biometric key.
    public func removeFaces() {
        state.withLock { $0.removeFaces() }
    }

    /// Removes the passcode and with it, as on real phones, the enrolled faces and every key and secret that asks for
    /// either: for good, even when a passcode is set again.
    public func removePasscode() {
        state.withLock { state in
            state.hasPasscode = false
            state.passcode += 1
            state.removeFaces()
        }
    }

    /// Sets a passcode. The sensor has to be set up again afterwards; see `enrolNewFace`.
    public func setPasscode() {
        state.withLock { $0.hasPasscode = $0.model.hasPasscode }
    }

    /// Allows the app to use the sensor, or withdraws that. It matters only on models that ask for permission.
    public func setPermission(_ isGranted: Bool) {
        state.withLock { $0.permissionDenied = !isGranted }
    }

    /// Switches the sensor off for all apps, or on again.
    public func setSwitchedOff(_ isSwitchedOff: Bool) {
        state.withLock { $0.isSwitchedOff = isSwitchedOff }
    }

    /// Closes the lid of a portable computer over its sensor, or opens it.
    public func setLidClosed(_ isClosed: Bool) {
        state.withLock { $0.isLidClosed = isClosed }
    }

    /// The system's mark of the enrolled set for a process of the app. It differs between kinds of processes and
    /// between major versions of the system, and it is absent where nothing is enrolled or the sensor is locked.
    func enrolmentMark(for process: String) -> EnrolmentMark? {
        let now = clock.now
        return state.withLock { state in
            guard state.model.tellsMark, Self.biometry(state, at: now) == .ready else { return nil }
            let hash = "set \(state.enrolledSet), system \(state.systemVersion), \(process)"
            return EnrolmentMark(state: Array(hash.utf8), systemVersion: state.systemVersion)
        }
    }
}

extension SimulatedPhone.State {
    mutating func removeFaces() {
        faces = 0
        enrolledSetChanged(killsKeys: true)
    }

    fileprivate mutating func enrolledSetChanged(killsKeys: Bool) {
        enrolledSet += 1
        if killsKeys { enrolment += 1 }
    }
}
