#if Server
import ThumbturnCore
import ThumbturnVerifier

/// The keys of access tokens, and the rule for when each of them signs.
///
/// A new key is published before it signs, so that every cached copy of the key set has it by then. An old key stays
/// published until the last token that it signed has expired.
///
///     made ── published ──▶ signs ──▶ the next one signs ──▶ retired
///                   10 min                       life of a token and 10 min
struct TokenKeys: Sendable {
    struct Key: Sendable {
        var secret: String
        var signer: TokenSigner
        var verifying: VerifyingKey
        var createdAt: UnixTime
    }

    /// How long a key is published before it signs: longer than a copy of the key set is cached (5 min) and a node
    /// needs to notice a new key (1 min).
    static let lead = Duration.seconds(600)
    /// How long an old key is kept beyond the life of a token. Nodes' clocks differ, so a node may sign with it a
    /// little longer.
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
