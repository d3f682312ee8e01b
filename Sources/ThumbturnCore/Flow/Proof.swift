/// The signature of a device key over a challenge: a compact JWS of type `thumbturn-proof+jwt`. It is a secret until it is
/// redeemed.
public struct Proof: Hashable, Sendable, Redacted {
    /// The compact serialisation.
    public let jws: String

    /// Creates a proof from its compact serialisation.
    public init(jws: String) {
        self.jws = jws
    }
}
