import ThumbturnCore

/// The signature of a device key over a challenge: a compact JWS of type `thumbturn-proof+jwt`. It is a secret until it
/// is redeemed.
package struct Proof: Hashable, Sendable, Redacted {
    /// The compact serialisation.
    package let jws: String

    /// Creates a proof from its compact serialisation.
    package init(jws: String) {
        self.jws = jws
    }
}
