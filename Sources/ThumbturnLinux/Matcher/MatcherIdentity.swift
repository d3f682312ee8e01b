import ThumbturnCore
import ThumbturnMessages

/// The key whose signature the TPM accepts for a match, and the enrolment counter's value.
struct MatcherIdentity: Hashable, Sendable, Codable {
    /// The matcher's P-256 key.
    var key: JWK
    /// The NV counter that the matcher raises whenever a finger is enrolled or removed.
    var counter: TPMIndex
    /// The counter's current value.
    var value: UInt64
}
