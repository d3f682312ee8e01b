#if LinuxDevice && os(Linux)
import Crypto
import Dispatch
import Foundation
import Glibc
import Synchronization
package import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages

/// The matcher: it alone holds the key whose signature the TPM takes for a match.
///
/// For each question it reads by itself what will be signed, shows what that is for, has fprintd verify a finger, and signs for one
/// command in one session of the TPM. One match, one signature.
package final class MatcherService: Sendable {
    /// Where things are.
    package struct Settings: Sendable {
        /// The path of the socket on which devices ask.
        package var socket: String
        /// Where the matcher keeps its key and its records; mode 0700.
        package var folder: String
        /// How libtss2 reaches the TPM.
        package var tcti: String
        /// The address of the bus; nil for the system's.
        package var bus: String?
        /// Where fprintd keeps the enrolled prints.
        package var prints: String

        package init(socket: String, folder: String, tcti: String, bus: String?, prints: String) {
            self.socket = socket
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
    private let clock = SystemClock()
    private let listener: Int32
    /// There is one reader, so one person is asked at a time.
    private let turn = Turn()
    private let guests = Mutex(MatcherGuests())

    /// From the session's beginning until its command: all of it happens after the match, between programs.
    private static let expiration: Int32 = 10

    /// Makes what is missing, and listens.
    ///
    /// - Parameters:
    ///   - show: shows the person what the finger is wanted for; false where it cannot be shown at once.
    ///   - log: one line for the operator about each question: the user, the purpose, the outcome.
    package init(
        _ settings: Settings, show: @escaping @Sendable (String) -> Bool, log: @escaping @Sendable (String) -> Void
    ) throws(Failure) {
        self.settings = settings
        self.show = show
        self.log = log
        state = try MatcherState(
            folder: settings.folder, tcti: settings.tcti, prints: EnrolledPrints(folder: settings.prints)
        )
        guard let listener = Self.listen(at: settings.socket) else {
            throw Failure(.platform, status: .init(domain: "POSIX", code: Int(errno)))
        }
        self.listener = listener
    }

    /// Answers until `stop`. Blocks.
    package func run() {
        while true {
            let descriptor = accept(listener, nil, nil)
            guard descriptor >= 0 else {
                switch errno {
                case EINTR, ECONNABORTED: continue
                // No descriptor is free: somebody has to leave first.
                case EMFILE, ENFILE, ENOBUFS, ENOMEM: usleep(10_000)
                default: return
                }
                continue
            }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let line = LineSocket(descriptor)
            guard let id = line.peer else { continue }
            let now = clock.now.sinceOrigin.components.seconds
            guard guests.withLock({ $0.admit(id, at: now) }) else {
                _ = line.send(MatcherReply.refused(.busy))
                continue
            }
            let thread = Thread { [self] in
                // A directory of users may be slow, so nobody else waits for it.
                if let user = Self.user(id) { answer(line, user) }
                guests.withLock { $0.leave(id) }
            }
            thread.start()
        }
    }

    /// Ends `run`, and removes the socket.
    package func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        unsafe unlink(settings.socket)
    }

    deinit { close(listener) }

    private func answer(_ line: LineSocket, _ user: MatcherState.User) {
        switch line.receive(MatcherRequest.self, within: .seconds(10)) {
        case .identity:
            reply(to: line) { () throws(MatcherRefusal) in .identity(try state.identity(of: user)) }
        case .state:
            let reader = FprintReader(bus: settings.bus, user: user.name)
            reply(to: line) { () throws(MatcherRefusal) in .state(ReaderState(reader.state())) }
        case .match(let wish):
            let outcome = match(wish, for: user, on: line)
            log("user \(user.id): \(outcome)")
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
    /// Returns a line for the log.
    private func match(_ wish: MatchWish, for user: MatcherState.User, on line: LineSocket) -> String {
        let inTPM = state.spentInTPM.withLock { $0 }
        do throws(MatcherRefusal) {
            let judged = try wish.judged(by: try state.unchangedIdentity(of: user))
            let about = "\(judged.purpose.rawValue) at \(judged.issuer)"
            let (outcome, spent) = try ask(judged, user, line)
            let asked = state.spentInTPM.withLock { $0 } - inTPM
            let atTheReader = "at the reader \(spent / .milliseconds(1)) ms, in the TPM \(asked / .milliseconds(1)) ms"
            switch outcome {
            case .notMatched:
                _ = line.send(MatcherReply.notMatched)
                return "\(about): not matched, \(atTheReader)"
            case .failed(let failure):
                throw MatcherRefusal(failure)
            case .matched:
                guard line.send(MatcherReply.matched) else { throw .withdrawn }
            }
            // The number of the TPM's session comes after the match, so the authorisation can be short.
            guard case .authorize(let nonce) = line.receive(MatcherRequest.self, within: .seconds(5)), nonce.count == 32 else {
                throw .malformed
            }
            let authorization = TPMAuthorization(
                nonce: Array(nonce), expiration: Self.expiration, command: judged.command, reference: judged.reference
            )
            guard let signature = try? state.key.signature(for: authorization.bytes) else { throw .broken }
            _ = line.send(MatcherReply.authorized(expiration: Self.expiration, signature: signature.rawRepresentation))
            return "\(about): matched, \(atTheReader)"
        } catch {
            _ = line.send(MatcherReply.refused(error))
            return "refused (\(error))"
        }
    }

    private func ask(
        _ judged: JudgedWish, _ user: MatcherState.User, _ line: LineSocket
    ) throws(MatcherRefusal) -> (FprintReader.Outcome, Duration) {
        guard turn.take(by: user.id) else { throw .busy }
        var isAnswered = false
        defer { turn.giveBack(by: user.id, answered: isAnswered) }
        // A finger for something that cannot be read is not asked for.
        guard show(judged.words(for: user.name)) else { throw .broken }
        defer { _ = show(JudgedWish.wordsWhenOver) }
        let before = try state.begin(user, at: clock.now.sinceOrigin.components.seconds, boot: clock.boot)
        let reader = FprintReader(bus: settings.bus, user: user.name)
        let start = ContinuousClock.now
        var (looking, hasAsked) = (Duration.zero, false)
        let outcome = reader.verify(while: line.descriptor, until: { turn.deadline(of: user.id, since: start) }) { reading in
            _ = line.send(MatcherReply.poor(reading))
        } claimed: { () throws(Failure) in
            // The reader is ours, so nobody is enrolling: what holds now holds until the verdict.
            let began = ContinuousClock.now
            defer { looking += ContinuousClock.now - began }
            do throws(MatcherRefusal) {
                _ = try state.unchangedIdentity(of: user)
                // The second time there was a match.
                if hasAsked { try state.confirmPrints(of: user) }
                hasAsked = true
            } catch {
                throw error.failure
            }
        }
        let spent = ContinuousClock.now - start - looking
        switch outcome {
        case .matched, .notMatched: isAnswered = true
        case .failed: break
        }
        try state.settle(user, outcome, before: before)
        return (outcome, spent)
    }
}

// MARK: - The machine

extension MatcherService {
    private static func listen(at path: String) -> Int32? {
        // A socket that nobody listens on is left over; one that answers belongs to another matcher.
        guard LineSocket(path: path) == nil else {
            errno = EADDRINUSE
            return nil
        }
        unsafe unlink(path)
        guard let descriptor = LineSocket.open() else { return nil }
        // Everybody may ask: the kernel says who it is, and the folder says who gets here.
        guard unsafe LineSocket.withAddress(of: path, { unsafe bind(descriptor, $0, $1) }) == 0, unsafe chmod(path, 0o666) == 0,
            Glibc.listen(descriptor, 16) == 0
        else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func user(_ id: uid_t) -> MatcherState.User? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16 * 1024)
        guard unsafe getpwuid_r(id, &entry, &buffer, buffer.count, &found) == 0, unsafe found != nil else { return nil }
        return unsafe MatcherState.User(id: id, name: String(cString: entry.pw_name))
    }
}
#endif
