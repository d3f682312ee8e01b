#if Server
import ThumbturnCore
import ThumbturnVerifier

/// The keys of access tokens, and when each of them signs.
///
/// A new key is published before it signs, so that whoever keeps a copy of the key set knows it by then; an old one stays until the last
/// token that it signed has ended.
///
///     made ── published ──▶ signs (10 min) ──▶ the next one signs ──▶ gone (life of a token and 10 min)
struct TokenKeys: Sendable {
    struct Key: Sendable {
        var secret: String
        var signer: TokenSigner
        var verifying: VerifyingKey
        var createdAt: UnixTime
    }

    /// Longer than a copy of the key set is kept (5 min) and than a node takes to notice a new key (1 min).
    static let lead = Duration.seconds(600)
    /// Nodes' clocks differ, and a node may sign a little longer than it should.
    static let margin = Duration.seconds(600)

    /// The newest first; at least one.
    let keys: [Key]

    /// The key that signs: the newest that has been published for long enough; at first there is only one.
    func signing(at now: UnixTime) -> Key {
        keys.first { now - $0.createdAt >= Self.lead } ?? keys[keys.count - 1]
    }

    /// Those whose last token has ended. `life` is how long a token lives.
    func over(at now: UnixTime, life: Duration) -> [Key] {
        zip(keys.dropFirst(), keys).filter { _, next in now - next.createdAt >= Self.lead + life + Self.margin }.map(\.0)
    }
}
#endif
