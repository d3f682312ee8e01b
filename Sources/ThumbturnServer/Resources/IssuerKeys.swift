#if Server
import Synchronization
import ThumbturnCore
public import ThumbturnVerifier

/// The issuer's public keys, fetched when they are needed and cached for five minutes.
///
/// A token that names an unknown key causes another fetch, so that a new key is found at once. This happens at most
/// every 30 seconds, so that an attacker cannot cause more fetches. While fetching fails, the cached keys are used for
/// fifteen minutes at most: a key that the issuer has withdrawn must not be trusted because its key set is out of reach.
public final class IssuerKeys: Sendable {
    private let fetch: @Sendable () async throws -> JWKS
    private let kept = Mutex<Kept>(Kept())

    private struct Kept {
        var keys: [String: VerifyingKey] = [:]
        var fetchedAt: UnixTime?
        var triedAt: UnixTime?
        var failure: (error: any Error, at: UnixTime)?
    }

    private enum Next {
        case use([String: VerifyingKey])
        /// Fetches, and falls back on these keys if there are any.
        case fetch(orUse: [String: VerifyingKey]?)
        case fail(any Error)
    }

    /// How long keys are used before they are fetched again.
    private static let life = Duration.seconds(300)
    /// The time between two fetches.
    private static let pause = Duration.seconds(30)
    /// How long keys are used while fetching fails.
    static let longestTrust = Duration.seconds(900)

    /// Creates an empty cache.
    ///
    /// - Parameter fetch: reads `/.well-known/jwks.json` of the issuer. Its errors fail the request that needed the
    ///   keys, unless the keys that were fetched before are known to be recent.
    public init(fetch: @escaping @Sendable () async throws -> JWKS) {
        self.fetch = fetch
    }

    func keys(with kid: String?, at now: UnixTime) async throws -> [String: VerifyingKey] {
        let fallback: [String: VerifyingKey]?
        switch kept.withLock({ Self.next(&$0, kid, at: now) }) {
        case .use(let keys): return keys
        case .fail(let error): throw error
        case .fetch(let keys): fallback = keys
        }
        do {
            let fresh = try await fetch().byKid
            kept.withLock { $0 = Kept(keys: fresh, fetchedAt: now, triedAt: now) }
            return fresh
        } catch {
            kept.withLock { $0.failure = (error, now) }
            guard let fallback else { throw error }
            return fallback
        }
    }

    private static func next(_ kept: inout Kept, _ kid: String?, at now: UnixTime) -> Next {
        // A time from the future has no age: the clock was set back, and the keys are fetched again.
        guard let age = kept.fetchedAt.flatMap({ TokenTimes.age(of: $0, at: now) }), age < longestTrust else {
            if let failure = kept.failure, let since = TokenTimes.age(of: failure.at, at: now), since < pause {
                return .fail(failure.error)
            }
            kept.triedAt = now
            return .fetch(orUse: nil)
        }
        let isKnown = kid.map { kept.keys[$0] != nil } ?? true
        // Requests that come during a fetch use the cached keys.
        let isPausing = TokenTimes.age(of: kept.triedAt ?? now, at: now).map { $0 < pause } ?? false
        guard age >= (isKnown ? life : pause), !isPausing else { return .use(kept.keys) }
        kept.triedAt = now
        return .fetch(orUse: isKnown ? kept.keys : nil)
    }
}
#endif
