import Synchronization
import ThumbturnCore
import ThumbturnDevice

extension SimulatedPhone {
    /// Another face, finger or iris is enrolled: every biometric key dies.
    public func enrolNewFace() {
        state.withLock { state in
            state.faces += 1
            state.enrolledSetChanged(killsKeys: true)
        }
    }

    /// One of the faces or fingers is removed. Whether biometric keys die while another one is left depends on the model.
    public func removeOneFace() {
        state.withLock { state in
            guard state.faces > 0 else { return }
            state.faces -= 1
            state.enrolledSetChanged(killsKeys: state.faces == 0 || state.model.removingOneKillsKeys)
        }
    }

    /// All faces or fingers are removed: every biometric key dies.
    public func removeFaces() {
        state.withLock { $0.removeFaces() }
    }

    /// The passcode is removed, and with it, as on real phones, the enrolled faces and every key and secret that asks for either: for
    /// good, also when a passcode is set again.
    public func removePasscode() {
        state.withLock { state in
            state.hasPasscode = false
            state.passcode += 1
            state.removeFaces()
        }
    }

    /// A passcode is set. The sensor has to be set up again after it: `enrolNewFace`.
    public func setPasscode() {
        state.withLock { $0.hasPasscode = $0.model.hasPasscode }
    }

    /// The person allows the app to use the sensor, or no longer does. Only models that ask know the difference.
    public func setPermission(_ isGranted: Bool) {
        state.withLock { $0.permissionDenied = !isGranted }
    }

    /// The person switches the sensor off for all apps, or on again.
    public func setSwitchedOff(_ isSwitchedOff: Bool) {
        state.withLock { $0.isSwitchedOff = isSwitchedOff }
    }

    /// The lid of a portable computer is closed over its sensor, or opened.
    public func setLidClosed(_ isClosed: Bool) {
        state.withLock { $0.isLidClosed = isClosed }
    }

    /// What the system tells a process of the app about the enrolled set. It differs between kinds of processes and between major
    /// versions of the system, and it is absent where nothing is enrolled or the sensor is locked.
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
