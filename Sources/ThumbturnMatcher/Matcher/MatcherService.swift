#if LinuxDevice && os(Linux)
import Crypto
import Dispatch
import Foundation
import Glibc
import Synchronization
package import ThumbturnCore
import ThumbturnHost
import ThumbturnMessages

/// The matcher: the only process that holds the key whose signature the TPM accepts for a match.
///
/// For each match request it reads what will be signed, shows the purpose to the person, has fprintd verify a finger,
/// and signs for one command in one session of the TPM. One match gives one signature.
package final class MatcherService: Sendable {
    /// The addresses and folders that the matcher uses.
    package struct Settings: Sendable {
        /// The path of the socket to which devices connect.
        package var socket: String
        /// The id of the group whose members may connect; nil for the matcher's own user and root alone.
        package var group: UInt32?
        /// The folder of the matcher's key and records, with mode 0700.
        package var folder: String
        /// The TCTI configuration by which libtss2 reaches the TPM.
        package var tcti: String
        /// The address of the bus; nil for the system bus.
        package var bus: String?
        /// The folder in which fprintd keeps the enrolled prints.
        package var prints: String

        package init(
            socket: String, group: UInt32? = nil, folder: String, tcti: String, bus: String?, prints: String
        ) {
            self.socket = socket
            self.group = group
            self.folder = folder
            self.tcti = tcti
            self.bus = bus
            self.prints = prints
        }
    }

    private let settings: Settings
    private let state: MatcherState
    private let show: @Sendable (String) -> Bool
    private let log: @Sendable (String) -> Void
    private let listener: Int32
    /// There is one reader, so one user is asked at a time.
    private let queue = ReaderQueue()
    private let limits = Mutex(RequestLimits())

    /// Seconds from the TPM session's start to its command. Both follow the match and wait for no person, so the time
    /// is short.
    private static let expiration: Int32 = 10

    /// Creates the key if it is missing, and listens on the socket.
    ///
    /// - Parameters:
    ///   - show: shows a text to the person; returns false if it cannot be shown at once.
    ///   - log: takes one line for the operator about each match request: the user, the purpose and the outcome.
    package init(
        _ settings: Settings, show: @escaping @Sendable (String) -> Bool, log: @escaping @Sendable (String) -> Void
    ) throws(Failure) {
        self.settings = settings
        self.show = show
        self.log = log
        state = try MatcherState(
            folder: settings.folder, tcti: settings.tcti, prints: EnrolledPrints(folder: settings.prints)
        )
        guard let listener = LineSocket.listen(at: settings.socket, group: settings.group) else {
            throw Failure(.platform, status: .init(domain: "POSIX", code: Int(errno)))
        }
        self.listener = listener
    }

    /// Answers requests until `stop` is called. Blocks.
    package func run() {
        while true {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else {
                switch errno {
                case EINTR, ECONNABORTED: continue
                // No descriptor is free until a client disconnects.
                case EMFILE, ENFILE, ENOBUFS, ENOMEM: usleep(10_000)
                default: return
                }
                continue
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let line = LineSocket(descriptor)
            guard let id = line.peer else { continue }
            let now = HostTime.now.sinceOrigin.components.seconds
            guard limits.withLock({ $0.admit(id, at: now) }) else {
                _ = line.send(MatcherReply.refused(.busy))
                continue
            }
            let thread = Thread { [self] in
                // A directory of users may be slow, so the lookup runs on the client's own thread.
                if let user = Self.user(id) { answer(line, user) }
                limits.withLock { $0.leave(id) }
            }
            thread.start()
        }
    }

    /// Makes `run` return, and removes the socket.
    package func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        unsafe unlink(settings.socket)
    }

    deinit { close(listener) }

    /// Asks the matcher at a socket to forget a user's fingers that did not match.
    ///
    /// - Throws: `permissionDenied` unless this process is root's; `biometryUnavailable` if no matcher answers.
    package static func unlock(_ user: UInt32, at socket: String) throws(Failure) {
        try MatcherConnection(socket: socket).unlock(user)
    }

    private func answer(_ line: LineSocket, _ user: MatcherState.User) {
        switch line.receive(MatcherCommand.self, within: .seconds(10)) {
        case .identity:
            reply(to: line) { () throws(MatcherRefusal) in .identity(try state.identity(of: user)) }
        case .state:
            let reader = FprintReader(bus: settings.bus, user: user.name)
            reply(to: line) { () throws(MatcherRefusal) in
                .state(try state.isOff(user) ? .off : ReaderState(reader.state()))
            }
        case .match(let request):
            let outcome = match(request, for: user, on: line)
            log("user \(user.id): \(outcome)")
        case .unlock(let other):
            reply(to: line) { () throws(MatcherRefusal) in
                guard user.id == 0 else {
                    log("user \(user.id): refused to unlock user \(other)")
                    throw .notPermitted
                }
                try state.unlock(other)
                log("user \(user.id): unlocked user \(other)")
                return .unlocked
            }
        case .authorize, nil:
            _ = line.send(MatcherReply.refused(.malformed))
        }
    }

    private func reply(to line: LineSocket, _ work: () throws(MatcherRefusal) -> MatcherReply) {
        do throws(MatcherRefusal) {
            _ = line.send(try work())
        } catch {
            _ = line.send(MatcherReply.refused(error))
        }
    }
}

// MARK: - One match, one signature

extension MatcherService {
    /// Answers one match request and returns a line for the log.
    private func match(_ request: MatchRequest, for user: MatcherState.User, on line: LineSocket) -> String {
        let inTPMBefore = state.spentInTPM.withLock { $0 }
        do throws(MatcherRefusal) {
            // The form is judged first: a request that cannot be answered costs the TPM nothing.
            let request = try request.checked()
            try request.confirm(try state.unchangedIdentity(of: user))
            let subject = "\(request.purpose.rawValue) at \(request.issuer)"
            let (outcome, atReader) = try verifyFinger(for: request, of: user, on: line)
            let inTPM = state.spentInTPM.withLock { $0 } - inTPMBefore
            let times = "at the reader \(atReader / .milliseconds(1)) ms, in the TPM \(inTPM / .milliseconds(1)) ms"
            switch outcome {
            case .notMatched:
                _ = line.send(MatcherReply.notMatched)
                return "\(subject): not matched, \(times)"
            case .failed(let failure):
                throw MatcherRefusal(failure)
            case .matched:
                guard line.send(MatcherReply.matched) else { throw .withdrawn }
            }
            // The device starts the TPM session after the match, so the authorisation can be short-lived.
            guard case .authorize(let nonce) = line.receive(MatcherCommand.self, within: .seconds(5)), nonce.count == 32 else {
                throw .malformed
            }
            let authorization = TPMAuthorization(
                nonce: Array(nonce), expiration: Self.expiration, command: request.command, reference: request.reference
            )
            guard let signature = try? state.key.signature(for: authorization.bytes) else { throw .broken }
            _ = line.send(MatcherReply.authorized(expiration: Self.expiration, signature: signature.rawRepresentation))
            return "\(subject): matched, \(times)"
        } catch {
            _ = line.send(MatcherReply.refused(error))
            return "refused (\(error))"
        }
    }

    /// Prompts the user and returns the outcome, with the time spent at the reader.
    private func verifyFinger(
        for request: CheckedMatchRequest, of user: MatcherState.User, on line: LineSocket
    ) throws(MatcherRefusal) -> (FprintReader.Outcome, Duration) {
        guard queue.acquire(for: user.id) else { throw .busy }
        var isAnswered = false
        defer { queue.release(by: user.id, answered: isAnswered) }
        // The person is not asked for a finger if the purpose cannot be shown.
        guard show(request.prompt(for: user.name)) else { throw .broken }
        defer { _ = show(CheckedMatchRequest.idleText) }
        let before = try state.begin(user)
        let reader = FprintReader(bus: settings.bus, user: user.name)
        let start = ContinuousClock.now
        var (checking, refusal) = (Duration.zero, MatcherRefusal?.none)
        var isReading = true
        let outcome = reader.verify(
            cancellation: line.descriptor, deadline: { queue.deadline(of: user.id, since: start) }
        ) { news in
            guard case .readPoorly(let reading) = news else { return }
            // A client that does not read holds up the others once at most.
            isReading = isReading && line.send(MatcherReply.poor(reading))
        } claimed: { () throws(Failure) in
            // The reader is claimed, so no finger can be enrolled: an enrolment that is unchanged now stays so until
            // the verdict.
            let began = ContinuousClock.now
            defer { checking += ContinuousClock.now - began }
            do throws(MatcherRefusal) {
                _ = try state.unchangedIdentity(of: user)
            } catch {
                refusal = error
                throw error.failure
            }
        }
        let atReader = ContinuousClock.now - start - checking
        switch outcome {
        case .matched, .notMatched: isAnswered = true
        case .failed: break
        }
        try state.settle(user, outcome, before: before)
        if let refusal { throw refusal }
        return (outcome, atReader)
    }
}

// MARK: - The operating system

extension MatcherService {
    private static func user(_ id: uid_t) -> MatcherState.User? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16 * 1024)
        guard unsafe getpwuid_r(id, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil else { return nil }
        return unsafe MatcherState.User(id: id, name: String(cString: entry.pw_name))
    }
}
#endif
