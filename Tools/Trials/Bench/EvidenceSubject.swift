#if Tools
import Foundation
import ThumbturnCore
import ThumbturnTestKit
import ThumbturnVerifier

/// A verification that is measured, and the signature checks in it.
struct EvidenceSubject {
    var name: String
    /// Throws where the evidence is refused.
    var verify: () throws -> Void
    /// The signature checks, each over the bytes that the verification checks it over.
    var signatures: [() -> Bool]

    /// The end of the names of verifications without known issuers.
    static let firstTime = ", first time"

    private static let now = UnixTime(seconds: 1_800_000_000)
    private static let value = [UInt8](repeating: 5, count: 32)

    static func all() throws -> [EvidenceSubject] { try appAttest() + android() + tpm() }

    /// One that is measured twice: without known issuers, and with those that the first verification made known.
    private static func pair(
        _ name: String, signatures: [() -> Bool], known count: Int,
        _ verify: @escaping (inout KnownIssuers) throws -> Void
    ) throws -> [EvidenceSubject] {
        var known = KnownIssuers()
        try verify(&known)
        guard known.count == count else { throw BenchError("\(known.count) issuers are known, not \(count).") }
        return [
            EvidenceSubject(
                name: name + firstTime,
                verify: {
                    var none = KnownIssuers()
                    try verify(&none)
                }, signatures: signatures),
            EvidenceSubject(
                name: "\(name), known issuers",
                verify: { [known] in
                    var copy = known
                    try verify(&copy)
                },
                // The authorities stand last in a chain.
                signatures: signatures.dropLast(count)),
        ]
    }

    /// The signatures of a chain, from the key's certificate up to the root.
    private static func signatures(
        of chain: [[UInt8]], under root: TestAuthority
    ) throws(EvidenceRefusal) -> [() -> Bool] {
        var certificates: [Certificate] = []
        for der in chain where der != root.certificate { certificates.append(try Certificate(der: der)) }
        let issuers = certificates.dropFirst() + [try Certificate(der: root.certificate)]
        return zip(certificates, issuers).map { certificate, issuer in { certificate.isSigned(by: issuer.publicKey) } }
    }

    // MARK: App Attest

    private static func appAttest() throws -> [EvidenceSubject] {
        let appID = "TEAM123456.com.example.bank"
        let mint = AppAttestMint(appID: appID, clientDataHash: value)
        let policy = AppAttestPolicy(
            appIDs: [appID], environment: .production, device: .mobile, launch: .notChecked,
            roots: [try TrustAnchor(certificate: mint.root.certificate)])
        // The certificate is signed anew each time, so both come from one object.
        let object = mint.attestation
        let keyID = Data(mint.keyID).base64EncodedString()
        let attestation = try pair(
            "App Attest: attestation with its chain",
            signatures: try signatures(of: AppAttestAttestationObject(object).certificates, under: mint.root), known: 1
        ) { known in
            _ = try AppAttest.verify(
                attestation: object, keyID: keyID, clientDataHash: value, policy: policy, at: now, knowing: &known)
        }
        let key = AppAttestKey(
            publicKey: try VerifyingKey(x963: mint.key.x963 ?? []), appID: appID, environment: .production)
        let minted = mint.assertion(clientDataHash: value, counter: 1)
        let (assertion, signature) = (minted.encoded, minted.signature())
        let nonce = AppAttest.nonce(minted.authenticatorData, value)
        return attestation + [
            EvidenceSubject(
                name: "App Attest: assertion",
                verify: {
                    _ = try AppAttest.verify(
                        assertion: assertion, clientDataHash: value, key: key, lastCounter: 0, policy: policy)
                }, signatures: [{ key.publicKey.isValid(der: signature, for: nonce) }])
        ]
    }

    // MARK: Android

    private static func android() throws -> [EvidenceSubject] {
        let digest = [UInt8](repeating: 1, count: 32)
        let app = MintedApplication(package: "com.example.bank", signingDigest: digest)
        var factory = AndroidMint(
            root: .root(key: .rsa(bits: 4096)), key: .p256(), description: MintedKeyDescription(challenge: value, app: app))
        var remote = factory
        (factory.form, remote.form) = (.factory, .remote)
        // Devices of 2026 send the chain without its root.
        (remote.root, remote.hasRoot) = (.root(key: .p384()), false)
        var policy = AndroidPolicy(
            apps: [AndroidPolicy.App(package: "com.example.bank", signingDigests: [digest])], verification: .biometric,
            minimumPatchLevel: nil, status: AndroidStatusPolicy(maximumAge: .seconds(86_400), whenUnknown: .refuse))
        policy.roots = try [factory, remote].map { try TrustAnchor(certificate: $0.root.certificate) }
        let status = try AndroidStatusList(json: Array(#"{"entries":{}}"#.utf8), fetched: now)
        var subjects: [EvidenceSubject] = []
        for (name, mint, known) in [("factory, RSA root", factory, 1), ("remote, P-384 root", remote, 2)] {
            let chain = mint.chain()
            let key = try VerifyingKey(x963: mint.key.x963 ?? [])
            subjects += try pair(
                "Android: chain of four, \(name)", signatures: try signatures(of: chain, under: mint.root), known: known
            ) { [policy] known in
                _ = try AndroidKeyAttestation.verify(
                    chain, challenge: value, key: key, policy: policy, status: status, at: now, knowing: &known)
            }
        }
        return subjects
    }

    // MARK: TPM

    private static func tpm() throws -> [EvidenceSubject] {
        let root = TestAuthority.root(named: "TPM Test Root", key: .p384())
        let mint = TPMMint(under: root.authority(named: "TPM Test Authority", key: .p384()))
        let policy = TPMPolicy(
            roots: [TPMRoot(try TrustAnchor(certificate: root.certificate), kind: .chips)], matchers: [])
        let chain = mint.chain
        var generator = SystemRandomNumberGenerator()
        let credential = try policy.credential(
            for: policy.endorse(chain, at: now), attestationKey: mint.attestationKey.bytes, using: &generator)
        guard let secret = mint.activate(idObject: credential.idObject, encryptedSeed: credential.encryptedSeed) else {
            throw BenchError("The minted TPM does not open its credential.")
        }
        let signer = try TPMPublic(mint.attestationKey.bytes)
        var subjects: [EvidenceSubject] = []
        for count in [1, TPMEvidence.mostKeys] {
            var (keys, shown): ([VerifyingKey], [TPMEvidence.Key]) = ([], [])
            var checks: [() -> Bool] = []
            for _ in 0..<count {
                let point = MintedKey.p256().x963 ?? []
                let said = mint.certify(MintedTPMPublic(x963: point, attributes: MintedTPMPublic.open), boundTo: value)
                keys.append(try VerifyingKey(x963: point))
                shown.append(
                    TPMEvidence.Key(
                        publicArea: said.publicArea, creationData: said.creationData, attestation: said.attestation,
                        signature: said.signature, guarding: .open))
                let signature = try TPMSignature(said.signature)
                checks.append { (try? signature.verify(said.attestation, by: signer, accepting: [.sha256])) != nil }
            }
            let evidence = TPMEvidence(
                endorsement: chain, attestationKey: mint.attestationKey.bytes, secret: secret, keys: shown)
            subjects += try pair(
                "TPM: \(count) \(count == 1 ? "key" : "keys") with its chain",
                signatures: checks + signatures(of: chain, under: root), known: 1
            ) { [keys] known in
                _ = try policy.judge(
                    evidence, of: keys, boundTo: value, opening: credential.expectation, at: now, knowing: &known)
            }
        }
        return subjects
    }
}
#endif
