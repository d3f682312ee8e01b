#if LinuxDevice && os(Linux)
import Glibc
import ThumbturnCore

/// The fingerprint reader behind fprintd. Its calls block; each has a connection to the bus of its own.
struct FprintReader: Sendable {
    /// Nil for the system bus.
    var bus: String?
    /// Whose fingers count.
    var user: String

    /// How a verification ended.
    enum Outcome: Hashable, Sendable {
        case matched
        case notMatched
        case failed(Failure)
    }

    /// What is there.
    struct Survey: Hashable, Sendable {
        /// The process that owns fprintd's name on the bus.
        var daemon: UInt32
        /// The reader's name.
        var reader: String
        /// The names of the enrolled fingers.
        var fingers: [String]
    }

    /// Looks without asking the person.
    func survey() throws(BusError) -> Survey {
        let daemon = try Daemon(Bus(address: bus))
        let reader = try daemon.reader()
        let name = try daemon.property("name", of: reader)
        return Survey(
            daemon: try daemon.process(), reader: name,
            fingers: try daemon.call(reader, "ListEnrolledFingers", .text(user)).texts
        )
    }

    /// The state of the sensor, without asking the person.
    func state() -> BiometryState {
        do throws(BusError) {
            return try survey().fingers.isEmpty ? .notEnrolled : .ready
        } catch {
            return FprintWords.state(ofError: error.name)
        }
    }

    /// Asks for a finger once, until it matches, does not match, or the wish ends.
    ///
    /// - Parameters:
    ///   - wish: a descriptor; when it can be read or its other end closes, the verification is taken back. What fprintd said until
    ///     then counts; what it says after our stopping it does not, because it calls that a finger that did not match.
    ///   - deadline: how long the person has; asked again and again, because it may move.
    ///   - hearing: told of readings that gave no verdict.
    ///   - claimed: called while the reader is ours, before the person is asked and again after a match. Nobody can enrol a finger
    ///     in between. What it throws ends the verification.
    func verify(
        while wish: Int32, until deadline: () -> ContinuousClock.Instant, hearing: (PoorReading) -> Void = { _ in },
        claimed: () throws(Failure) -> Void = {}
    ) -> Outcome {
        do {
            let daemon = try Daemon(Bus(address: bus))
            let reader = try daemon.reader()
            try daemon.claim(reader, for: user, while: wish)
            defer { _ = try? daemon.call(reader, "Release") }
            try claimed()
            try daemon.listen(to: reader)
            try daemon.call(reader, "VerifyStart", .text("any"))
            defer { _ = try? daemon.call(reader, "VerifyStop") }
            let outcome = try daemon.verdict(of: reader, while: wish, until: deadline, hearing: hearing)
            if outcome == .matched { try claimed() }
            return outcome
        } catch let failure as Failure {
            return .failed(failure)
        } catch let error as BusError {
            return .failed(FprintWords.failure(ofError: error.name))
        } catch {
            preconditionFailure("nothing else is thrown here")
        }
    }
}

/// fprintd on one connection, addressed by the bus's own name for its process.
private struct Daemon {
    private let bus: Bus
    private let owner: String

    init(_ bus: Bus) throws(BusError) {
        self.bus = bus
        // Starts it where the bus knows how.
        do throws(BusError) {
            try bus.call(busName, busPath, busName, "StartServiceByName", .text(service), .number(0))
        } catch {
            // One that was started by hand cannot be started again, and need not be.
            guard error.name.hasPrefix("org.freedesktop.DBus.Error.") else { throw error }
        }
        owner = try bus.call(busName, busPath, busName, "GetNameOwner", .text(service)).texts.first ?? ""
    }

    func process() throws(BusError) -> UInt32 {
        try bus.call(busName, busPath, busName, "GetConnectionUnixProcessID", .text(owner)).number ?? 0
    }

    func reader() throws(BusError) -> String {
        let manager = "net.reactivated.Fprint.Manager"
        guard let path = try bus.call(owner, "/net/reactivated/Fprint/Manager", manager, "GetDefaultDevice").texts.first else {
            throw BusError(name: "net.reactivated.Fprint.Error.NoSuchDevice")
        }
        return path
    }

    func property(_ name: String, of reader: String) throws(BusError) -> String {
        let reply = try bus.call(
            owner, reader, "org.freedesktop.DBus.Properties", "Get", .text(interface), .text(name)
        )
        return reply.texts.first ?? ""
    }

    @discardableResult
    func call(_ reader: String, _ member: String, _ argument: Bus.Argument? = nil) throws(BusError) -> Bus.Reply {
        if let argument { return try bus.call(owner, reader, interface, member, argument) }
        return try bus.call(owner, reader, interface, member)
    }

    /// Takes the reader. fprintd holds it for a moment after a client went away without giving it back, so that is waited for.
    func claim(_ reader: String, for user: String, while wish: Int32) throws(BusError) {
        for attempt in 1... {
            do throws(BusError) {
                try call(reader, "Claim", .text(user))
                return
            } catch {
                guard error.name == "net.reactivated.Fprint.Error.AlreadyInUse", attempt < 20, !isWithdrawn(wish, within: 50)
                else {
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
            try bus.call(busName, busPath, busName, "AddMatch", .text(rule))
        }
    }

    /// Waits for the verdict.
    func verdict(
        of reader: String, while wish: Int32, until deadline: () -> ContinuousClock.Instant, hearing: (PoorReading) -> Void
    ) throws(BusError) -> FprintReader.Outcome {
        var (wishHasEnded, hasCaughtUp) = (false, false)
        var verification = FprintVerification(owner: owner, reader: reader)
        while true {
            while let signal = try bus.received() {
                if let reading = verification.hear(signal) { hearing(reading) }
            }
            switch verification.verdict {
            // A match and the end of the wish may cross; then nobody is there to use it.
            case .matched: return isWithdrawn(wish) ? .failed(.withdrawn) : .matched
            // Before our own `VerifyStop` this is a finger that did not match, whoever has gone away meanwhile.
            case .notMatched: return .notMatched
            case .failed(let failure): return .failed(failure)
            case .poor, nil: break
            }
            // Whoever heard a verdict on the bus and then left has not escaped it: what fprintd said before it answers us counts.
            if wishHasEnded {
                guard hasCaughtUp else {
                    _ = try property("name", of: reader)
                    hasCaughtUp = true
                    continue
                }
                return .failed(.withdrawn)
            }
            let left = ContinuousClock.now.duration(to: deadline())
            guard left > .zero else { return .failed(Failure(.timedOut)) }
            var watched = [bus.watched, pollfd(fd: wish, events: Int16(POLLIN), revents: 0)]
            let milliseconds = min(left / .milliseconds(1), 250)
            guard unsafe poll(&watched, 2, Int32(milliseconds) + 1) >= 0 || errno == EINTR else { throw .disconnected }
            if watched[1].revents != 0 { wishHasEnded = true }
        }
    }

    private func isWithdrawn(_ wish: Int32, within milliseconds: Int32 = 0) -> Bool {
        var watched = pollfd(fd: wish, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&watched, 1, milliseconds) != 0
    }
}

extension Failure {
    /// The one who asked for a finger asks no longer.
    static let withdrawn = Failure(.cancelledByApp)
}

private let service = FprintWords.service
private let interface = FprintWords.deviceInterface
private let busName = FprintWords.busName
private let busPath = "/org/freedesktop/DBus"
#endif
