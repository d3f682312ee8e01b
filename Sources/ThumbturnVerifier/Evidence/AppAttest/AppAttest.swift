import Crypto
import Foundation
public import ThumbturnCore

/// Verifies evidence of Apple's App Attest, as Apple's article "Validating apps that connect to your server" demands.
///
/// Pure functions of bytes, policy and a time: nothing is fetched, and no clock is read. Whether a challenge was spent,
/// whether a key belongs to another account already, and the last counter are for the caller to know.
public enum AppAttest {
    /// Verifies an attestation, which proves a key once.
    ///
    /// - Parameters:
    ///   - attestation: the object that the app got from `attestKey`.
    ///   - keyID: the key's name as the app got it from `generateKey`: base64 of 32 bytes.
    ///   - clientDataHash: the SHA-256 that the server expects, of data with its one-time challenge.
    ///   - policy: which evidence is accepted.
    ///   - now: the time at which the certificates have to be valid. A key's certificate is valid for days to a year.
    /// - Throws: the first check that failed.
    public static func verify(
        attestation: [UInt8], keyID: String, clientDataHash: [UInt8], policy: AppAttestPolicy, at now: UnixTime
    ) throws(EvidenceRefusal) -> AppAttestAttestation {
        // A copy, so that each verification is a function of its arguments alone.
        var known = KnownIssuers.appleAppAttest
        return try verify(
            attestation: attestation, keyID: keyID, clientDataHash: clientDataHash, policy: policy, at: now, knowing: &known)
    }

    /// Verifies an attestation with other known issuers than Apple's. Otherwise as the other function.
    package static func verify(
        attestation: [UInt8], keyID: String, clientDataHash: [UInt8], policy: AppAttestPolicy, at now: UnixTime,
        knowing known: inout KnownIssuers
    ) throws(EvidenceRefusal) -> AppAttestAttestation {
        let object = try AppAttestAttestationObject(attestation)
        let chain = try CertificateChain.read(object.certificates)
        _ = try StrictPath.verify(chain, to: policy.roots, at: now, knowing: &known)
        let claim = try AttestationClaim(
            data: object.authenticatorData, leaf: chain[0], keyID: keyIDBytes(keyID), clientDataHash: clientDataHash)
        for check in AttestationCheck.all { try check.apply(to: claim, policy) }
        guard let appID = policy.appID(hashingTo: claim.data.rpIDHash) else {
            preconditionFailure("a check demands an app id of the policy")
        }
        return AppAttestAttestation(
            key: AppAttestKey(publicKey: claim.credential.key, appID: appID, environment: policy.environment),
            launch: claim.data.launch, receipt: object.receipt, notAfter: chain[0].notAfter)
    }

    /// Verifies an assertion: a signature by a key whose attestation was verified earlier.
    ///
    /// - Parameters:
    ///   - assertion: the object that the app got from `generateAssertion`.
    ///   - clientData: the data that the app had signed, with the server's one-time challenge, which the caller checks.
    ///   - key: the key, as the server keeps it.
    ///   - lastCounter: the greatest counter that the server accepted from this key; 0 after the attestation.
    ///   - policy: which evidence is accepted.
    /// - Throws: the first check that failed.
    public static func verify(
        assertion: [UInt8], clientData: [UInt8], key: AppAttestKey, lastCounter: UInt32, policy: AppAttestPolicy
    ) throws(EvidenceRefusal) -> AppAttestAssertion {
        try verify(
            assertion: assertion, clientDataHash: SHA256.bytes(of: clientData), key: key, lastCounter: lastCounter,
            policy: policy)
    }

    /// Verifies an assertion over client data whose SHA-256 the caller has. Otherwise as the other function.
    public static func verify(
        assertion: [UInt8], clientDataHash: [UInt8], key: AppAttestKey, lastCounter: UInt32, policy: AppAttestPolicy
    ) throws(EvidenceRefusal) -> AppAttestAssertion {
        let object = try AppAttestAssertionObject(assertion)
        let claim = AssertionClaim(object: object, clientDataHash: clientDataHash, key: key, lastCounter: lastCounter)
        for check in AssertionCheck.all { try check.apply(to: claim, policy) }
        return AppAttestAssertion(counter: object.authenticatorData.counter, launch: object.authenticatorData.launch)
    }

    // MARK: Values

    /// The name of a key: the SHA-256 of its X9.63 form.
    package static func keyID(of x963: [UInt8]) -> [UInt8] { SHA256.bytes(of: x963) }

    /// The value that a key signs, or that its certificate carries: SHA-256(authenticator data ‖ client data hash).
    package static func nonce(_ authenticatorData: [UInt8], _ clientDataHash: [UInt8]) -> [UInt8] {
        SHA256.bytes(of: authenticatorData + clientDataHash)
    }

    /// The 32 bytes of a key's name in its one canonical base64.
    static func keyIDBytes(_ text: String) throws(EvidenceRefusal) -> [UInt8] {
        guard text.utf8.count == 44, let data = Data(base64Encoded: text), data.count == 32,
            data.base64EncodedString() == text
        else { throw EvidenceRefusal(.malformed, "expected a key id of 32 bytes in base64, found another text") }
        return Array(data)
    }
}

extension AppAttestPolicy {
    /// The app id of the policy whose SHA-256 this is.
    func appID(hashingTo hash: [UInt8]) -> String? { appIDs.first { SHA256.bytes(of: Array($0.utf8)) == hash } }
}
