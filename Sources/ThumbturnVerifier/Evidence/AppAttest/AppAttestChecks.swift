import Foundation
import SwiftASN1
import ThumbturnCore

/// What an attestation claims, after its chain was verified.
struct AttestationClaim {
    let data: AuthenticatorData
    let credential: AuthenticatorData.Credential
    /// The certificate that Apple issued for the key.
    let leaf: Certificate
    /// The leaf's key in X9.63.
    let leafKey: [UInt8]
    /// The key's name as the app gave it.
    let keyID: [UInt8]
    let clientDataHash: [UInt8]
    /// The nonce in the certificate; nil where there is none of its form.
    var nonce: [UInt8]? { AppleExtension.octets(of: leaf, .nonce, tag: 1) }
    /// Whether the certificate has the access policy of a Mac with full security.
    var isMac: Bool {
        guard let policy = AppleExtension.octets(of: leaf, .accessPolicy, tag: 3) else { return false }
        return policy == AppleExtension.macAccessPolicy
    }

    init(data: AuthenticatorData, leaf: Certificate, keyID: [UInt8], clientDataHash: [UInt8]) throws(EvidenceRefusal) {
        guard let credential = data.credential else { preconditionFailure("an attestation has a credential") }
        guard case .p256(let leafKey) = leaf.publicKey else {
            throw EvidenceRefusal(.weakKey, "expected a P-256 key in the key's certificate, found another one")
        }
        self.data = data
        self.credential = credential
        self.leaf = leaf
        self.leafKey = leafKey
        self.keyID = keyID
        self.clientDataHash = clientDataHash
    }
}

/// One check of an attestation, in the order of Apple's article. The chain, its step 1, was verified before.
struct AttestationCheck: Sendable {
    /// The number of the step in Apple's article; nil for a check of ours.
    let step: Int?
    let reason: EvidenceRefusal.Reason
    let expected: String
    let holds: @Sendable (AttestationClaim, AppAttestPolicy) -> Bool
    /// What was found in place of what was expected.
    let found: @Sendable (AttestationClaim) -> String

    func apply(to claim: AttestationClaim, _ policy: AppAttestPolicy) throws(EvidenceRefusal) {
        guard !holds(claim, policy) else { return }
        let place = step.map { " (Apple's step \($0))" } ?? ""
        throw EvidenceRefusal(reason, "expected \(expected), found \(found(claim))\(place)")
    }

    static let all = [
        AttestationCheck(
            step: 4, reason: .malformed, expected: "a nonce of 32 bytes in the key's certificate",
            holds: { claim, _ in claim.nonce?.count == 32 },
            found: { $0.nonce.map { "\($0.count) bytes" } ?? "none of its form" }),
        AttestationCheck(
            step: 4, reason: .wrongChallenge, expected: "the nonce of this authenticator data and client data hash",
            holds: { claim, _ in claim.nonce == AppAttest.nonce(claim.data.bytes, claim.clientDataHash) },
            found: { Hex.text($0.nonce ?? []) }),
        AttestationCheck(
            step: 4, reason: .notVerifiedBoot,
            expected: "the access policy of a Mac with full security on a Mac, and on no other device",
            holds: { claim, policy in claim.isMac == (policy.device == .mac) },
            found: { $0.isMac ? "it" : "another one" }),
        AttestationCheck(
            step: 5, reason: .wrongKey, expected: "the SHA-256 of the certificate's key as the key id",
            holds: { claim, _ in AppAttest.keyID(of: claim.leafKey) == claim.keyID },
            found: { Hex.text($0.keyID) }),
        AttestationCheck(
            step: 6, reason: .wrongApp, expected: "the SHA-256 of an app id of the policy",
            holds: { claim, policy in policy.appID(hashingTo: claim.data.rpIDHash) != nil },
            found: { Hex.text($0.data.rpIDHash) }),
        AttestationCheck(
            step: 7, reason: .counterNotZero, expected: "the counter 0, of a key that signed nothing yet",
            holds: { claim, _ in claim.data.counter == 0 },
            found: { "\($0.data.counter)" }),
        AttestationCheck(
            step: 8, reason: .wrongEnvironment, expected: "the AAGUID of the policy's environment",
            holds: { claim, policy in claim.credential.aaguid == policy.environment.aaguid },
            found: { claim in
                let known = AppAttestEnvironment.allCases.first { $0.aaguid == claim.credential.aaguid }
                return known.map { "that of \($0.rawValue)" } ?? Hex.text(claim.credential.aaguid)
            }),
        AttestationCheck(
            step: 9, reason: .wrongKey, expected: "the key id as the credential id",
            holds: { claim, _ in claim.credential.id == claim.keyID },
            found: { Hex.text($0.credential.id) }),
        AttestationCheck(
            step: nil, reason: .wrongKey, expected: "the certificate's key in the authenticator data too",
            holds: { claim, _ in claim.credential.key.x963 == claim.leafKey },
            found: { Hex.text($0.credential.key.x963) }),
        AttestationCheck(
            step: 10, reason: .wrongEnvironment, expected: "a launch category that the policy accepts",
            holds: { claim, policy in policy.launch.accepts(claim.data.launch) },
            found: { $0.data.launch.found }),
    ]
}

/// What an assertion claims.
struct AssertionClaim {
    let object: AppAttestAssertionObject
    let clientDataHash: [UInt8]
    /// The key as the server keeps it.
    let key: AppAttestKey
    let lastCounter: UInt32
}

/// One check of an assertion.
struct AssertionCheck: Sendable {
    let reason: EvidenceRefusal.Reason
    let expected: String
    let holds: @Sendable (AssertionClaim, AppAttestPolicy) -> Bool
    /// What was found in place of what was expected.
    let found: @Sendable (AssertionClaim) -> String

    func apply(to claim: AssertionClaim, _ policy: AppAttestPolicy) throws(EvidenceRefusal) {
        guard !holds(claim, policy) else { return }
        throw EvidenceRefusal(reason, "expected \(expected), found \(found(claim))")
    }

    /// The signature comes before everything that the signed bytes say.
    static let all = [
        AssertionCheck(
            reason: .wrongEnvironment, expected: "a key of the policy's environment",
            holds: { claim, policy in claim.key.environment == policy.environment },
            found: { "one of \($0.key.environment.rawValue)" }),
        AssertionCheck(
            reason: .wrongSignature, expected: "a signature by the key over authenticator data and client data hash",
            holds: { claim, _ in
                let nonce = AppAttest.nonce(claim.object.authenticatorData.bytes, claim.clientDataHash)
                return claim.key.publicKey.isValid(der: claim.object.signature, for: nonce)
            },
            found: { _ in "one by another key or over something else" }),
        AssertionCheck(
            reason: .wrongApp, expected: "the SHA-256 of the key's app id, which is one of the policy",
            holds: { claim, policy in policy.appID(hashingTo: claim.object.authenticatorData.rpIDHash) == claim.key.appID },
            found: { Hex.text($0.object.authenticatorData.rpIDHash) }),
        AssertionCheck(
            reason: .counterNotGreater, expected: "a counter greater than the last one",
            holds: { claim, _ in claim.object.authenticatorData.counter > claim.lastCounter },
            found: { "\($0.object.authenticatorData.counter) after \($0.lastCounter)" }),
        AssertionCheck(
            reason: .wrongEnvironment, expected: "a launch category that the policy accepts",
            holds: { claim, policy in policy.launch.accepts(claim.object.authenticatorData.launch) },
            found: { $0.object.authenticatorData.launch.found }),
    ]
}

extension AppAttestLaunch {
    fileprivate var found: String { category.map { "category \($0.rawValue)" } ?? "none" }
}

extension AppAttestLaunchRule {
    func accepts(_ launch: AppAttestLaunch) -> Bool {
        switch self {
        case .notChecked: true
        case .anyOfOrUntold(let categories): launch.category.map(categories.contains) ?? true
        case .anyOf(let categories): launch.category.map(categories.contains) ?? false
        }
    }
}

/// Apple's extensions of the key's certificate.
enum AppleExtension {
    /// The one OCTET STRING in an extension of the form SEQUENCE { [tag] EXPLICIT OCTET STRING }, in its one encoding;
    /// nil where there is no such extension, or one of another form.
    static func octets(of certificate: Certificate, _ id: ASN1ObjectIdentifier, tag: UInt8) -> [UInt8]? {
        guard let value = certificate.extension(id)?.value, value.count >= 6, value.count <= 127 else { return nil }
        let length = UInt8(value.count)
        guard value[..<6] == [0x30, length - 2, 0xA0 | tag, length - 4, 0x04, length - 6] else { return nil }
        return Array(value[6...])
    }

    /// The access policy of a key on a Mac with System Integrity Protection and full security, in the text of Apple's
    /// article.
    static let macAccessPolicy = Data(
        base64Encoded: "MEAMAjExMDowCQwCb2uhAwEB/zAJDAJvYaEDAQH/MAsMBG9kZWyhAwEB/zAVDARvc2duoAYMBHJzZWMwBaYDAgEB"
    ).map { Array($0) }
}

extension ASN1ObjectIdentifier {
    /// The nonce of an attestation.
    static let nonce: ASN1ObjectIdentifier = "1.2.840.113635.100.8.2"
    /// What the key's use depends on.
    static let accessPolicy: ASN1ObjectIdentifier = "1.2.840.113635.100.8.6"
}
