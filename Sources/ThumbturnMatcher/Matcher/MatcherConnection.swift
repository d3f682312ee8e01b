#if LinuxDevice && os(Linux)
import Foundation
package import ThumbturnCore

/// A client of `thumbturn-matcherd`. Its calls block.
package struct MatcherConnection: Matcher {
    /// The path of the socket.
    var socket: String

    package init(socket: String) {
        self.socket = socket
    }

    package func identity() throws(Failure) -> MatcherIdentity {
        switch try ask(.identity) {
        case .identity(let identity): return identity
        case .refused(let refusal): throw refusal.failure
        default: throw Failure(.platform)
        }
    }

    /// The state of the reader; `unavailable` if the matcher does not answer.
    package func state() -> ReaderState {
        guard let reply = try? ask(.state), case .state(let state) = reply else { return .unavailable }
        return state
    }

    /// Forgets a user's fingers that did not match. Throws `permissionDenied` unless this process is root's.
    func unlock(_ user: UInt32) throws(Failure) {
        switch try ask(.unlock(user: user)) {
        case .unlocked: return
        case .refused(let refusal): throw refusal.failure
        default: throw Failure(.platform)
        }
    }

    /// Asks for a finger and waits for the verdict; nil if the finger does not match.
    package func match(
        _ request: MatchRequest, cancellation: CancellationPipe, hearing: (PromptNews) -> Void
    ) -> Result<LiveMatch?, Failure> {
        let line: LineSocket
        do throws(Failure) {
            line = try connect()
        } catch {
            return .failure(error)
        }
        guard line.send(MatcherCommand.match(request)) else { return .failure(.matcherMissing) }
        while true {
            switch line.receive(MatcherReply.self, within: .seconds(600), cancellation: cancellation) {
            case .poor(let reading): hearing(.readPoorly(reading))
            case .matched: return .success(LiveMatch(line))
            case .notMatched: return .success(nil)
            case .refused(let refusal): return .failure(refusal.failure)
            case .identity, .state, .authorized, .unlocked: return .failure(Failure(.platform))
            case nil:
                // The matcher cancels the verification when this end of the socket closes.
                return .failure(cancellation.isCancelled ? .withdrawn : .matcherMissing)
            }
        }
    }

    private func ask(_ request: MatcherCommand) throws(Failure) -> MatcherReply {
        let line = try connect()
        guard line.send(request), let reply = line.receive(MatcherReply.self, within: .seconds(10)) else {
            throw .matcherMissing
        }
        return reply
    }

    /// Connects to the matcher. A key that is created for another program's identity would need no finger, so the
    /// program has to run as the owner of the socket's folder.
    private func connect() throws(Failure) -> LineSocket {
        guard let line = LineSocket(path: socket) else { throw .matcherMissing }
        guard line.isServedByOwner(ofFolderOf: socket) else { throw .matcherUnknown }
        return line
    }
}

extension Failure {
    /// No process listens at the socket, or the matcher closed the connection.
    fileprivate static let matcherMissing = Failure(
        .biometryUnavailable, recovery: .fallBack(.appPIN), status: .init(domain: "matcher.missing", code: 0)
    )
    /// The process that listens at the socket is not the owner of the socket's folder, or others may write to it.
    fileprivate static let matcherUnknown = Failure(
        .biometryUnavailable, recovery: .report, status: .init(domain: "matcher.unknown", code: 0)
    )
}

/// A match for which the matcher will sign once, on the connection that asked.
package struct LiveMatch: Match {
    private let line: LineSocket

    init(_ line: LineSocket) {
        self.line = line
    }

    package func authorize(_ nonce: [UInt8]) throws(Failure) -> SignedMatch {
        guard line.send(MatcherCommand.authorize(nonce: Data(nonce))),
            let reply = line.receive(MatcherReply.self, within: .seconds(5))
        else { throw .matcherMissing }
        switch reply {
        case .authorized(let expiration, let signature): return SignedMatch(expiration: expiration, signature: Array(signature))
        case .refused(let refusal): throw refusal.failure
        default: throw Failure(.platform)
        }
    }
}
#endif
