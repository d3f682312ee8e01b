import ThumbturnCore

/// One signal as it came over the bus.
struct BusSignal: Hashable, Sendable {
    /// The bus's own name for the process that sent it; the bus vouches for it.
    var sender: String
    var path: String
    var interface: String
    var member: String
    /// The texts it carries, in order; a list of texts counts as its members.
    var texts: [String] = []
}

/// One verification, from fprintd's signals to a verdict. A value without a bus: the first verdict of the right process about the right
/// reader counts, and whatever comes late, twice or from somebody else changes nothing.
struct FprintVerification: Hashable, Sendable {
    /// The bus's own name for fprintd's process, found before the reader was claimed. Whoever takes the well-known name meanwhile is not
    /// believed.
    let owner: String
    let reader: String
    /// Nil while there is none.
    private(set) var verdict: FprintWords.Verdict?

    init(owner: String, reader: String) {
        self.owner = owner
        self.reader = reader
    }

    /// Takes a signal. Returns a reading that had no verdict, for the person to hear of.
    mutating func hear(_ signal: BusSignal) -> PoorReading? {
        guard verdict == nil else { return nil }
        if signal.sender == FprintWords.busName, signal.member == "NameOwnerChanged" {
            // fprintd went away in the middle. It cannot say so itself.
            if signal.texts == [owner, owner, ""] { verdict = .failed(FprintWords.failure(ofError: FprintWords.daemonGone)) }
            return nil
        }
        guard signal.sender == owner, signal.path == reader, signal.interface == FprintWords.deviceInterface,
            signal.member == "VerifyStatus", let status = signal.texts.first
        else { return nil }
        switch FprintWords.verdict(ofStatus: status) {
        case .poor(let reading): return reading
        case let final:
            verdict = final
            return nil
        }
    }
}
