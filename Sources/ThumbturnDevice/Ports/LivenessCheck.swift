public import ThumbturnCore
import ThumbturnMessages

/// The port to a check that a live person is in front of the camera. The device hands its evidence on and never looks into it: what it
/// is worth is for the server to judge, by the vendor's key.
public protocol LivenessCheck: Sendable {
    /// Runs the check, and returns what the vendor signed. The evidence has to name the challenge.
    ///
    /// A check that ends without evidence throws, and then no key is asked for anything.
    func evidence(for challenge: String, action: StepUpAction) async throws(Failure) -> LivenessEvidence
}

/// What a liveness check signed: an opaque compact JWS. It has no description, so it cannot reach a log.
public struct LivenessEvidence: Hashable, Sendable, Redacted {
    package let jws: String

    /// Nil for what has not the form of a compact JWS (RFC 7515 section 7.1) of at most 16 KiB.
    public init?(jws: String) {
        guard CompactJWS(jws) != nil else { return nil }
        self.jws = jws
    }
}
