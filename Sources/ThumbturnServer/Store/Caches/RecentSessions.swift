#if Server
import Synchronization

/// The newest sign-in sessions of the devices that signed in lately, so that a further sign-in ends the oldest one.
///
/// It is kept in memory: an index of all sessions by device would make every sign-in write one more page. So each server
/// process counts the sessions that it opened itself since its start, and the cap holds for each process: what is beyond
/// it ends twelve hours after its sign-in. Two generations, as in `RecentKeys`, take at most about 9 MB.
final class RecentSessions: Sendable {
    private struct State {
        let mostDevices: Int
        var young: [String: [UInt128]] = [:]
        var old: [String: [UInt128]] = [:]

        func sessions(of jkt: String) -> [UInt128] { young[jkt] ?? old[jkt] ?? [] }

        mutating func add(_ session: UInt128, of jkt: String, without gone: [UInt128]) {
            if young[jkt] == nil {
                let known = old[jkt] ?? []
                if young.count >= mostDevices {
                    old = young
                    young = [:]
                }
                young[jkt] = known
            }
            if !gone.isEmpty { young[jkt]?.removeAll { gone.contains($0) } }
            young[jkt]?.append(session)
        }
    }

    private let state: Mutex<State>
    private let most: Int

    /// - Parameters:
    ///   - most: the most sessions of one device.
    ///   - devices: the most devices of each generation.
    init(most: Int = Limits.sessions, devices: Int = Limits.recentDevices) {
        self.most = most
        state = Mutex(State(mostDevices: devices))
    }

    /// The sessions that end when this device opens another one, oldest first.
    func surplus(of jkt: String) -> [SessionID] {
        let sessions = state.withLock { $0.sessions(of: jkt) }
        return sessions.prefix(max(0, sessions.count - most + 1)).map(SessionID.init(number:))
    }

    /// Adds a session, after those of `surplus` have ended.
    func opened(_ session: SessionID, by jkt: String, ending ended: [SessionID]) {
        let (session, gone) = (session.number, ended.map(\.number))
        state.withLock { $0.add(session, of: jkt, without: gone) }
    }
}

extension SessionID {
    fileprivate var number: UInt128 { bytes.reduce(0) { $0 << 8 | UInt128($1) } }

    fileprivate init(number: UInt128) {
        self.init(unchecked: (0..<16).map { UInt8(truncatingIfNeeded: number >> (120 - 8 * $0)) })
    }
}
#endif
