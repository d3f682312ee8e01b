public import ThumbturnCore

/// What a server demands of Android keys. A policy without apps accepts none.
public struct AndroidPolicy: Hashable, Sendable {
    /// The apps whose keys are accepted.
    public var apps: [App]
    /// The security levels that are accepted; by default those of hardware.
    public var levels: Set<AndroidSecurityLevel> = [.trustedEnvironment, .strongBox]
    /// The least user verification that the key has to demand at each use: `none`, `passcode` or `biometric`. No key has
    /// `pin`, so a policy that demands it is met by `passcode` and `biometric` only.
    public var verification: UserVerification
    /// The oldest level of security patches; nil for any.
    public var minimumPatchLevel: AndroidPatchLevel?
    /// Whether the hardware has to promise that a deleted key stays deleted. By default it need not, because few devices do.
    public var demandsRollbackResistance = false
    /// The versions of the attestation that are accepted; by default all that are known.
    public var versions: Set<Int> = KeyDescription.versions
    /// The roots that are trusted; by default Google's two.
    public var roots: [TrustAnchor] = TrustAnchor.googleHardware
    /// What is done about the list of revoked certificates.
    public var status: AndroidStatusPolicy

    /// An app, as it is signed.
    public struct App: Hashable, Sendable {
        /// The name of its package, for example `com.example.bank`.
        public var package: String
        /// The SHA-256 of each certificate that may have signed it.
        public var signingDigests: Set<[UInt8]>

        /// Creates an app.
        public init(package: String, signingDigests: Set<[UInt8]>) {
            (self.package, self.signingDigests) = (package, signingDigests)
        }
    }

    /// Creates a policy. What weakens it has no default.
    public init(
        apps: [App], verification: UserVerification, minimumPatchLevel: AndroidPatchLevel?, status: AndroidStatusPolicy
    ) {
        (self.apps, self.verification, self.minimumPatchLevel, self.status) = (apps, verification, minimumPatchLevel, status)
    }
}
