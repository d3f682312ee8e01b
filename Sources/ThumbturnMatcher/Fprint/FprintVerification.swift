import ThumbturnCore

/// A signal that arrived over the bus.
struct BusSignal: Hashable, Sendable {
    /// The unique name of the process that sent it, which the bus itself writes.
    var sender: String
    var path: String
    var interface: String
    var member: String
    /// Its string arguments in order, with the members of string arrays.
    var texts: [String] = []
}

/// The state of one verification, from fprintd's signals to a verdict. The first verdict of the right process about the
/// right reader counts; late and repeated signals, and signals from other processes, change nothing.
struct FprintVerification: Hashable, Sendable {
    /// The unique name of fprintd's process, read before the reader was claimed. A process that takes over the
    /// well-known name later is not believed.
    let owner: String
    let reader: String
    /// Nil until there is a verdict.
    private(set) var verdict: FprintStatus.Verdict?

    init(owner: String, reader: String) {
        self.owner = owner
        self.reader = reader
    }

    /// Handles a signal. Returns a reading that gave no verdict, of which the person should hear.
    mutating func handle(_ signal: BusSignal) -> PoorReading? {
        guard verdict == nil else { return nil }
        if signal.sender == FprintStatus.busName, signal.member == "NameOwnerChanged" {
            // fprintd ended during the verification, which only the bus can report.
            if signal.texts == [owner, owner, ""] { verdict = .failed(FprintStatus.failure(ofError: FprintStatus.daemonGone)) }
            return nil
        }
        guard signal.sender == owner, signal.path == reader, signal.interface == FprintStatus.deviceInterface,
            signal.member == "VerifyStatus", let status = signal.texts.first
        else { return nil }
        switch FprintStatus.verdict(ofStatus: status) {
        case .poor(let reading): return reading
        case let final:
            verdict = final
            return nil
        }
    }
}
