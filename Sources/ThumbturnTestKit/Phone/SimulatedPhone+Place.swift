import Synchronization
import ThumbturnCore
import ThumbturnDevice

extension SimulatedPhone {
    /// The phone's keys and secrets, as one process sees them from its start to its end.
    func place(of process: String) -> DevicePlace {
        let start = state.withLock { state in "\(state.starts) \(state.appStarts)" }
        let phone = UInt(bitPattern: ObjectIdentifier(self))
        return DevicePlace("simulated phone \(phone) \(start) \(process)", locks: PhoneLocks(phone: self, process: process))
    }
}

/// Locks that the phone's system keeps for its processes.
private struct PhoneLocks: PlaceLocks {
    let phone: SimulatedPhone
    let process: String

    func tryLock(_ name: String) -> PlaceLock? {
        let number = phone.state.withLock { state -> Int? in
            guard state.locks[name] == nil else { return nil }
            state.lastLock += 1
            state.locks[name] = (process, state.lastLock)
            return state.lastLock
        }
        guard let number else { return nil }
        return PlaceLock { [phone] in
            phone.state.withLock { state in
                // A process that was killed has lost the lock already, and another one may have it.
                if state.locks[name]?.number == number { state.locks[name] = nil }
            }
        }
    }
}
