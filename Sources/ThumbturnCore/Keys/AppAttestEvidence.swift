/// Evidence of Apple's App Attest for the keys of a device.
///
/// It shows that a genuine copy of the app, on a genuine device, claims these keys. It does not show that they are in
/// the Secure Enclave: App Attest attests a key of its own, which needs no user verification.
public struct AppAttestEvidence: Hashable, Sendable {
    /// The name of the app's attested key: the SHA-256 of its public key in base64, as the system gave it.
    public let keyID: String
    /// Apple's attestation object (CBOR). Its client data is `attestedValue`.
    public let attestation: [UInt8]
    /// The bound value that the key was attested with, 32 bytes. A key is attested once, so only the first enrolment's
    /// own bound value is here; the assertion shows that the evidence of a later enrolment is fresh.
    public let attestedValue: [UInt8]
    /// Apple's assertion (CBOR). Its client data is the bound value of the current enrolment.
    public let assertion: [UInt8]

    /// Evidence as the system gave it.
    public init(keyID: String, attestation: [UInt8], attestedValue: [UInt8], assertion: [UInt8]) {
        self.keyID = keyID
        self.attestation = attestation
        self.attestedValue = attestedValue
        self.assertion = assertion
    }
}

extension AppAttestEvidence: CustomStringConvertible {
    /// The kind of evidence, without the key that it names.
    public var description: String { "App Attest evidence" }
}
