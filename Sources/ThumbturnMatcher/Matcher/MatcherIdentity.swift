import ThumbturnCore
package import ThumbturnMessages

/// The key whose signature the TPM accepts for a match, and the enrolment counter's value.
package struct MatcherIdentity: Hashable, Sendable, Codable {
    /// The matcher's P-256 key.
    package var key: JWK
    /// The NV counter that the matcher raises whenever a finger is enrolled or removed.
    package var counter: TPMIndex
    /// The counter's current value.
    package var value: UInt64
}
