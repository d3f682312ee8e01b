/// A signal on the lab's bus.
public enum BusSignal: Hashable, Sendable {
    /// fprintd begins to wait for a finger of a verification, so a scripted press is due.
    case verifyFingerSelected(String)
    /// The status of a verification; `done` ends it.
    case verifyStatus(String, done: Bool)
    /// The finger that matched. Only newer versions of fprintd send it.
    case verifyFingerMatched(String)
    /// The status of an enrolment; `done` ends it.
    case enrollStatus(String, done: Bool)
    /// The property `finger-needed` changed. True means that the reader is ready for a press.
    case fingerNeeded(Bool)
    /// The property `finger-present` changed.
    case fingerPresent(Bool)
    /// A name on the bus changed its owner. An empty string means no owner.
    case nameOwner(String, was: String, now: String)
    /// fprintd removed the reader from the bus, because it was unplugged.
    case deviceRemoved(String)
    /// polkitd has read its rules again.
    case rulesChanged
    /// The lab's own listener receives all signals from here on.
    case listening
}

extension BusSignal {
    /// Whether this signal ends an earlier request for a finger: the request was answered or replaced, or its reader or
    /// fprintd is gone.
    var endsRequest: Bool {
        switch self {
        case .verifyFingerSelected, .deviceRemoved: true
        case .verifyStatus(_, let done), .enrollStatus(_, let done): done
        case .nameOwner(let name, was: _, now: let owner): name == "net.reactivated.Fprint" && owner.isEmpty
        case .verifyFingerMatched, .fingerNeeded, .fingerPresent, .rulesChanged, .listening: false
        }
    }
}
