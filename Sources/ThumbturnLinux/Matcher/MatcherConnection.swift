#if LinuxDevice && os(Linux)
import Foundation
import ThumbturnCore

/// `thumbturn-matcherd` behind its socket. Its calls block.
struct MatcherConnection: Matcher {
    /// The path of the socket.
    var socket: String

    func identity() throws(Failure) -> MatcherIdentity {
        switch try ask(.identity) {
        case .identity(let identity): return identity
        case .refused(let refusal): throw refusal.failure
        default: throw Failure(.platform)
        }
    }

    /// The state of the reader; `unavailable` where there is no matcher.
    func state() -> BiometryState {
        guard let reply = try? ask(.state), case .state(let state) = reply else { return .unavailable }
        return state.biometry
    }

    /// Asks for a finger, and waits for the verdict.
    func match(_ request: MatchWish, while wish: Wish, hearing: (PoorReading) -> Void) -> Result<LiveMatch?, Failure> {
        guard let line = LineSocket(path: socket), line.send(MatcherRequest.match(request)) else {
            return .failure(.matcherMissing)
        }
        while true {
            switch line.receive(MatcherReply.self, within: .seconds(600), while: wish) {
            case .poor(let reading): hearing(reading)
            case .matched: return .success(LiveMatch(line))
            case .notMatched: return .success(nil)
            case .refused(let refusal): return .failure(refusal.failure)
            case .identity, .state, .authorized: return .failure(Failure(.platform))
            case nil:
                // Closing our end takes the question back.
                return .failure(wish.isWithdrawn ? .withdrawn : .matcherMissing)
            }
        }
    }

    private func ask(_ request: MatcherRequest) throws(Failure) -> MatcherReply {
        guard let line = LineSocket(path: socket), line.send(request),
            let reply = line.receive(MatcherReply.self, within: .seconds(10))
        else { throw .matcherMissing }
        return reply
    }

}

extension Failure {
    /// Nobody listens at the socket, or the matcher went away.
    fileprivate static let matcherMissing = Failure(
        .biometryUnavailable, recovery: .fallBack(.appPIN), status: .init(domain: "matcher.missing", code: 0)
    )
}

/// A match that the matcher will sign for once, on the connection that asked.
struct LiveMatch: Match {
    private let line: LineSocket

    init(_ line: LineSocket) {
        self.line = line
    }

    func authorize(_ nonce: [UInt8]) throws(Failure) -> SignedMatch {
        guard line.send(MatcherRequest.authorize(nonce: Data(nonce))),
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
