import ThumbturnCore
import ThumbturnMessages

/// Whose word the TPM takes for a match, and at which enrolment.
struct MatcherIdentity: Hashable, Sendable, Codable {
    /// The matcher's P-256 key.
    var key: JWK
    /// Raised whenever a finger is enrolled or removed.
    var counter: TPMIndex
    /// Where the counter stands now.
    var value: UInt64
}
