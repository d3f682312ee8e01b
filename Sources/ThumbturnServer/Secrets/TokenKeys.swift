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
///
/// A new epoch, and the revocation of the signing key, end the signing of all earlier keys: their tokens are accepted
/// until they expire, except those of back ends and plain clients, which have no session that ended. The first key after that signs at once.
struct TokenKeys: Sendable {
    struct Key: Sendable {
        var secret: String
        var signer: TokenSigner
        var verifying: VerifyingKey
        var createdAt: UnixTime
        /// Whether it never signs again: it is of an earlier epoch, or the signing key beside it was revoked.
        var isFormer = false
    }

    /// How long a key is published before it signs: longer than a copy of the key set is cached (5 min) and a node
    /// needs to notice a new key (1 min).
    static let lead = Duration.seconds(600)
    /// How long an old key is kept beyond the life of a token. Nodes' clocks differ, so a node may sign with it a
    /// little longer.
    static let margin = Duration.seconds(600)

    /// The keys that sign or may sign, newest first, and after them the former ones. At least one is not a former one.
    let keys: [Key]

    private let current: [Key]

    /// - Parameter keys: newest first. At least one is not a former one.
    init(keys: [Key]) {
        precondition(!keys.allSatisfy(\.isFormer), "the store makes a key that signs")
        current = keys.filter { !$0.isFormer }
        self.keys = current + keys.filter(\.isFormer)
    }

    /// The key that signs: the newest one that has been published for `lead`, or else the oldest one.
    func signing(at now: UnixTime) -> Key {
        current.first { now - $0.createdAt >= Self.lead } ?? current[current.count - 1]
    }

    /// The keys whose last token has expired.
    ///
    /// - Parameter life: how long an access token is valid.
    func over(at now: UnixTime, life: Duration) -> [Key] {
        let beganSigning = current[current.count - 1].createdAt
        // Each key with the time when another one took its place.
        let replaced =
            zip(current.dropFirst(), current).map { ($0, $1.createdAt + Self.lead) }
            + keys.filter(\.isFormer).map { ($0, beganSigning) }
        return replaced.filter { _, time in now - time >= life + Self.margin }.map(\.0)
    }
}
#endif
