import Crypto
public import ThumbturnCore

/// What evidence of App Attest proves of the keys that a device enrols.
///
/// It is the strongest that iOS offers for such keys, and it is not an attestation of them: `proves` and `doesNotProve`
/// say in sentences what an operator may tell an auditor.
public struct AppAttestVerdict: Hashable, Sendable {
    /// The key of App Attest, to be kept with the account.
    public let key: AppAttestKey
    /// The counter, to be stored as the key's last one. Storing must succeed only where the stored value is still less.
    public let counter: UInt32
    /// What the system told of the app that made this evidence.
    public let launch: AppAttestLaunch
    /// What the attestation said, if the key is new to the account.
    public let attestation: AppAttestAttestation?

    /// What the server knows of the key that evidence names.
    public enum History: Hashable, Sendable {
        /// The server has no such key. Whether another account has it is for the caller to check: such evidence must be
        /// refused.
        case newKey
        /// The account's evidence came from this key before, and this is its last counter. The attestation is then not
        /// read: its certificate may be expired by now, and it proved this key at its time.
        case known(AppAttestKey, lastCounter: UInt32)
    }

    /// Judges the evidence of an enrolment.
    ///
    /// The assertion is what makes it fresh. A key is attested once, so the attestation may be bound to the value of an
    /// earlier enrolment, which the device sends with it.
    ///
    /// - Parameters:
    ///   - evidence: as the device sent it.
    ///   - value: the bound value of this enrolment: the SHA-256 of its challenge and the thumbprints of the keys in
    ///     their order, 32 bytes, as the server computes it.
    ///   - history: what the server knows of the key.
    ///   - policy: which evidence is accepted.
    ///   - now: the time at which the certificates of a new key have to be valid.
    /// - Throws: the first check that failed. Evidence for another challenge or other keys is `wrongSignature`.
    public init(
        of evidence: AppAttestEvidence, boundTo value: [UInt8], history: History, policy: AppAttestPolicy, at now: UnixTime
    ) throws(EvidenceRefusal) {
        let lastCounter: UInt32
        switch history {
        case .newKey:
            let proved = try AppAttest.verify(
                attestation: evidence.attestation, keyID: evidence.keyID,
                clientDataHash: SHA256.bytes(of: evidence.attestedValue), policy: policy, at: now)
            (attestation, key, lastCounter) = (proved, proved.key, 0)
        case .known(let known, let last):
            guard try AppAttest.keyIDBytes(evidence.keyID) == known.id else {
                throw EvidenceRefusal(.wrongKey, "expected the key that the account has, found another one")
            }
            (attestation, key, lastCounter) = (nil, known, last)
        }
        let assertion = try AppAttest.verify(
            assertion: evidence.assertion, clientData: value, key: key, lastCounter: lastCounter, policy: policy)
        (counter, launch) = (assertion.counter, assertion.launch)
    }

    /// What the evidence proves.
    public var proves: [String] {
        [
            "A genuine copy of the app \(key.appID) says which user verification these keys demand.",
            "It said so for this challenge, on a genuine Apple device, as use number \(counter) of its attested key.",
        ]
    }

    /// What the evidence does not prove, whatever the app says.
    public var doesNotProve: [String] {
        [
            "That these keys are in the Secure Enclave: App Attest attests a key of its own.",
            "That these keys need the person's face, finger or passcode: the app says so, and a tool that changes the app "
                + "while it runs can make it say so.",
            "That the person of the account held the device.",
        ]
    }
}
