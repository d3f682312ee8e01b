#if Server
import ThumbturnCore
import ThumbturnVerifier

/// The keys of access tokens, and when each of them signs.
///
/// A new key is published before it signs, so that every copy of the key set has it by then; an old key stays published until the
/// last token that it signed has expired.
///
///     made ── published ──▶ signs (after 10 min) ──▶ the next one signs ──▶ retired (after the life of a token and 10 min)
struct TokenKeys: Sendable {
    struct Key: Sendable {
        var secret: String
        var signer: TokenSigner
        var verifying: VerifyingKey
        var createdAt: UnixTime
    }

    /// How long a key is published before it signs: longer than a copy of the key set is cached (5 min) and a node needs to
    /// notice a new key (1 min).
    static let lead = Duration.seconds(600)
    /// How long an old key stays beyond the life of a token, because nodes' clocks differ and a node may sign with it a little
    /// longer.
    static let margin = Duration.seconds(600)

    /// At least one key, newest first.
    let keys: [Key]

    /// The key that signs: the newest one that has been published for `lead`, or else the oldest one.
    func signing(at now: UnixTime) -> Key {
        keys.first { now - $0.createdAt >= Self.lead } ?? keys[keys.count - 1]
    }

    /// The keys whose last token has expired.
    ///
    /// - Parameter life: how long an access token is valid.
    func over(at now: UnixTime, life: Duration) -> [Key] {
        zip(keys.dropFirst(), keys).filter { _, next in now - next.createdAt >= Self.lead + life + Self.margin }.map(\.0)
    }
}
#endif
