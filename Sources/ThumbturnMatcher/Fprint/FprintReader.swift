#if LinuxDevice && os(Linux)
import Glibc
package import ThumbturnCore

/// The fingerprint reader behind fprintd. Its calls block; each opens its own connection to the bus.
package struct FprintReader: Sendable {
    /// The address of the bus; nil for the system bus.
    var bus: String?
    /// The user whose enrolled fingers are matched.
    var user: String

    package init(bus: String?, user: String) {
        self.bus = bus
        self.user = user
    }

    /// How a verification ended.
    package enum Outcome: Hashable, Sendable {
        case matched
        case notMatched
        case failed(Failure)
    }

    /// What fprintd reports about itself and its reader.
    package struct Survey: Hashable, Sendable {
        /// The process that owns fprintd's name on the bus.
        package var daemon: UInt32
        /// The reader's name.
        package var reader: String
        /// The names of the enrolled fingers.
        package var fingers: [String]
    }

    /// Reads fprintd's state without prompting the person.
    package func survey() throws(BusError) -> Survey {
        let daemon = try Daemon(Bus(address: bus))
        let reader = try daemon.reader()
        let name = try daemon.property("name", of: reader)
        return Survey(
            daemon: try daemon.process(), reader: name,
            fingers: try daemon.call("ListEnrolledFingers", of: reader, .text(user)).texts
        )
    }

    /// The state of the sensor, read without prompting the person.
    package func state() -> BiometryState {
        do throws(BusError) {
            return try survey().fingers.isEmpty ? .notEnrolled : .ready
        } catch {
            return FprintStatus.state(ofError: error.name)
        }
    }

    /// Runs one verification, until the finger matches, does not match, or the request is cancelled.
    ///
    /// - Parameters:
    /// - cancellation: a descriptor; when it becomes readable or its other end closes, the verification is cancelled. A
    ///   verdict that fprintd gave before that counts; one that it gives after `VerifyStop` does not, because fprintd
    ///   reports a stopped verification as a finger that did not match.
    ///   - deadline: when the verification has to end; evaluated repeatedly, because it may move.
    ///   - hearing: called once the reader waits for a finger, and with each reading that gave no verdict.
    /// - claimed: called while this call has claimed the reader: before the person is prompted, and again after a
    ///   match. No finger can be enrolled in between. An error that it throws ends the verification.
    package func verify(
        cancellation: Int32, deadline: () -> ContinuousClock.Instant, hearing: (PromptNews) -> Void = { _ in },
        claimed: () throws(Failure) -> Void = {}
    ) -> Outcome {
        do {
            let daemon = try Daemon(Bus(address: bus))
            let reader = try daemon.reader()
            try daemon.claim(reader, for: user, cancellation: cancellation)
            defer { _ = try? daemon.call("Release", of: reader) }
            try claimed()
            try daemon.listen(to: reader)
            try daemon.call("VerifyStart", of: reader, .text("any"))
            defer { _ = try? daemon.call("VerifyStop", of: reader) }
            hearing(.appeared)
            let outcome = try daemon.verdict(of: reader, cancellation: cancellation, deadline: deadline, hearing: hearing)
            if outcome == .matched { try claimed() }
            return outcome
        } catch let failure as Failure {
            return .failed(failure)
        } catch let error as BusError {
            return .failed(FprintStatus.failure(ofError: error.name))
        } catch {
            preconditionFailure("only Failure and BusError are thrown here")
        }
    }
}

/// fprintd on one connection, addressed by its unique name, which the bus gives to one process.
private struct Daemon {
    private let bus: Bus
    private let owner: String

    init(_ bus: Bus) throws(BusError) {
        self.bus = bus
        // Starts fprintd if the bus has an activation file for it.
        do throws(BusError) {
            try bus.call("StartServiceByName", of: busObject, .text(service), .number(0))
        } catch {
            // The bus reports an error for an fprintd that was started by hand; it runs already.
            guard error.name.hasPrefix("org.freedesktop.DBus.Error.") else { throw error }
        }
        owner = try bus.call("GetNameOwner", of: busObject, .text(service)).texts.first ?? ""
    }

    func process() throws(BusError) -> UInt32 {
        try bus.call("GetConnectionUnixProcessID", of: busObject, .text(owner)).number ?? 0
    }

    func reader() throws(BusError) -> String {
        let manager = Bus.Object(
            destination: owner, path: "/net/reactivated/Fprint/Manager", interface: "net.reactivated.Fprint.Manager")
        guard let path = try bus.call("GetDefaultDevice", of: manager).texts.first else {
            throw BusError(name: "net.reactivated.Fprint.Error.NoSuchDevice")
        }
        return path
    }

    func property(_ name: String, of reader: String) throws(BusError) -> String {
        let properties = Bus.Object(destination: owner, path: reader, interface: "org.freedesktop.DBus.Properties")
        return try bus.call("Get", of: properties, .text(interface), .text(name)).texts.first ?? ""
    }

    @discardableResult
    func call(_ member: String, of reader: String, _ argument: Bus.Argument? = nil) throws(BusError) -> Bus.Reply {
        let device = Bus.Object(destination: owner, path: reader, interface: interface)
        if let argument { return try bus.call(member, of: device, argument) }
        return try bus.call(member, of: device)
    }

    /// Claims the reader. fprintd keeps it claimed for a moment after a client exits without releasing it, so a claim
    /// is retried for up to a second.
    func claim(_ reader: String, for user: String, cancellation: Int32) throws(BusError) {
        for attempt in 1... {
            do throws(BusError) {
                try call("Claim", of: reader, .text(user))
                return
            } catch {
                let isInUse = error.name == "net.reactivated.Fprint.Error.AlreadyInUse"
                guard isInUse, attempt < 20, !isReadable(cancellation, within: 50) else {
                    throw error
                }
            }
        }
    }

    func listen(to reader: String) throws(BusError) {
        for rule in [
            "type='signal',sender='\(owner)',path='\(reader)',interface='\(interface)',member='VerifyStatus'",
            "type='signal',sender='\(busName)',member='NameOwnerChanged',arg0='\(owner)'",
        ] {
            try bus.call("AddMatch", of: busObject, .text(rule))
        }
    }

    /// Waits for the verdict, the cancellation or the deadline.
    func verdict(
        of reader: String, cancellation: Int32, deadline: () -> ContinuousClock.Instant,
        hearing: (PromptNews) -> Void
    ) throws(BusError) -> FprintReader.Outcome {
        var (isCancelled, hasReadAllSignals) = (false, false)
        var verification = FprintVerification(owner: owner, reader: reader)
        while true {
            while let signal = try bus.received() {
                if let reading = verification.handle(signal) { hearing(.readPoorly(reading)) }
            }
            switch verification.verdict {
            // A match and the cancellation may cross; then the caller no longer uses the match.
            case .matched: return isReadable(cancellation) ? .failed(.withdrawn) : .matched
            // Before our own `VerifyStop` this is a finger that did not match, even if the caller has cancelled
            // meanwhile.
            case .notMatched: return .notMatched
            case .failed(let failure): return .failed(failure)
            case .poor, nil: break
            }
            // A caller that hears a mismatch on the bus and then cancels does not escape the count: every signal that
            // fprintd sent before it answers this call is read first.
            if isCancelled {
                guard hasReadAllSignals else {
                    _ = try property("name", of: reader)
                    hasReadAllSignals = true
                    continue
                }
                return .failed(.withdrawn)
            }
            let left = ContinuousClock.now.duration(to: deadline())
            guard left > .zero else { return .failed(Failure(.timedOut)) }
            var watched = [bus.pollDescriptor, pollfd(fd: cancellation, events: Int16(POLLIN), revents: 0)]
            let milliseconds = min(left / .milliseconds(1), 250)
            guard unsafe poll(&watched, 2, Int32(milliseconds) + 1) >= 0 || errno == EINTR else { throw .disconnected }
            if watched[1].revents != 0 { isCancelled = true }
        }
    }

    private func isReadable(_ descriptor: Int32, within milliseconds: Int32 = 0) -> Bool {
        var watched = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&watched, 1, milliseconds) != 0
    }
}

extension Failure {
    /// The caller has cancelled its request for a finger.
    static let withdrawn = Failure(.cancelledByApp)
}

private let service = FprintStatus.service
private let interface = FprintStatus.deviceInterface
private let busName = FprintStatus.busName
private let busObject = Bus.Object(destination: busName, path: "/org/freedesktop/DBus", interface: busName)
#endif
