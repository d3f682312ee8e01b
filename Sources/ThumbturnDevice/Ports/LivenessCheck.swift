public import ThumbturnCore
import ThumbturnMessages

/// The port to a check that a live person is in front of the camera.
///
/// The device passes the evidence on unread. The server judges it, by the vendor's key.
public protocol LivenessCheck: Sendable {
    /// Runs the check, and returns what the vendor signed. The evidence has to name the challenge.
    ///
    /// A check that ends without evidence throws, and then no key is asked to sign.
    func evidence(for challenge: String, action: StepUpAction) async throws(Failure) -> LivenessEvidence
}

/// The result of a liveness check: an opaque compact JWS that the vendor signed. It prints as its type's name, so it
/// cannot reach a log.
public struct LivenessEvidence: Hashable, Sendable, Redacted {
    package let jws: String

    /// Wraps a compact JWS (RFC 7515 section 7.1) of at most 16 KiB; nil for any other text.
    public init?(jws: String) {
        guard CompactJWS(jws) != nil else { return nil }
        self.jws = jws
    }
}
