#if Server
import Synchronization
import ThumbturnCore
public import ThumbturnVerifier

/// The issuer's public keys, fetched when they are needed and cached for five minutes.
///
/// A token that names an unknown key causes another fetch, so that a new key is found at once. This happens at most
/// every 30 seconds, so that an attacker cannot cause more fetches.
public final class IssuerKeys: Sendable {
    private let fetch: @Sendable () async throws -> JWKS
    private let kept = Mutex<Kept>(Kept())

    private struct Kept {
        var keys: [String: VerifyingKey] = [:]
        var at: UnixTime?
    }

    private static let life = Duration.seconds(300)
    private static let pause = Duration.seconds(30)

    /// Creates an empty cache.
    ///
    /// - Parameter fetch: reads `/.well-known/jwks.json` of the issuer. Its errors fail the request that needed the
    ///   keys.
    public init(fetch: @escaping @Sendable () async throws -> JWKS) {
        self.fetch = fetch
    }

    func keys(with kid: String?, at now: UnixTime) async throws -> [String: VerifyingKey] {
        let (keys, isDue) = kept.withLock { kept in
            let age = kept.at.map { now - $0 }
            let isKnown = kid.map { kept.keys[$0] != nil } ?? true
            let isDue = age.map { $0 >= (isKnown ? Self.life : Self.pause) } ?? true
            // Requests that come during a fetch use the cached keys.
            if isDue, kept.at != nil { kept.at = now }
            return (kept.keys, isDue)
        }
        guard isDue else { return keys }
        let fresh = try await fetch().byKid
        kept.withLock { $0 = Kept(keys: fresh, at: now) }
        return fresh
    }
}
#endif
