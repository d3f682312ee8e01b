public import ThumbturnCore

/// A key of App Attest whose attestation was verified. A server keeps it with the account, to verify assertions.
///
/// Apple's servers signed that the key is in the Secure Enclave of a genuine device and was made by a genuine copy of
/// the app. The key itself needs no user verification.
public struct AppAttestKey: Hashable, Sendable {
    /// The public key.
    public let publicKey: VerifyingKey
    /// The app that made the key.
    public let appID: String
    /// The environment of the attestation.
    public let environment: AppAttestEnvironment

    /// A key that an attestation proved earlier, from where the server keeps it.
    public init(publicKey: VerifyingKey, appID: String, environment: AppAttestEnvironment) {
        self.publicKey = publicKey
        self.appID = appID
        self.environment = environment
    }

    /// The key's name: the SHA-256 of its X9.63 form, 32 bytes. The same key must never be enrolled for two accounts.
    public var id: [UInt8] { AppAttest.keyID(of: publicKey.x963) }
}

/// What a verified attestation says.
public struct AppAttestAttestation: Hashable, Sendable {
    /// The attested key. Its counter is 0.
    public let key: AppAttestKey
    /// What the system told of the app at the time of the attestation.
    public let launch: AppAttestLaunch
    /// Apple's receipt, at most 16 KiB, unread. A server that asks Apple for the risk metric sends it there, after
    /// verifying it.
    public let receipt: [UInt8]
    /// The last second at which the key's certificate is valid.
    public let notAfter: UnixTime
}

/// What a verified assertion says.
public struct AppAttestAssertion: Hashable, Sendable {
    /// The counter, to be stored as the last one. Storing must succeed only where the stored value is still less.
    public let counter: UInt32
    /// What the system told of the app at the time of the assertion.
    public let launch: AppAttestLaunch
}
