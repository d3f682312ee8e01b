/// What the lab hears on its bus.
public enum BusSignal: Hashable, Sendable {
    /// fprintd waits for a finger: the moment for a scripted press.
    case verifyFingerSelected(String)
    case verifyStatus(String, done: Bool)
    /// Only newer versions of fprintd say which finger matched.
    case verifyFingerMatched(String)
    case enrollStatus(String, done: Bool)
    /// The property `finger-needed` changed: true says that the reader is ready for a press.
    case fingerNeeded(Bool)
    case fingerPresent(Bool)
    /// A name on the bus changed hands; an empty owner is none.
    case nameOwner(String, was: String, now: String)
    /// fprintd took the reader off the bus: it was unplugged.
    case deviceRemoved(String)
    /// polkitd read its rules again.
    case rulesChanged
    /// The lab's own listener hears everything from here on.
    case listening
}

extension BusSignal {
    /// Whether a request for a finger that came before is over: answered, replaced by another, or its reader or fprintd gone.
    var endsRequest: Bool {
        switch self {
        case .verifyFingerSelected, .deviceRemoved: true
        case .verifyStatus(_, let done), .enrollStatus(_, let done): done
        case .nameOwner(let name, was: _, now: let owner): name == "net.reactivated.Fprint" && owner.isEmpty
        case .verifyFingerMatched, .fingerNeeded, .fingerPresent, .rulesChanged, .listening: false
        }
    }
}
