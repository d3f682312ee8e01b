import Crypto
import Testing
import ThumbturnCore
import ThumbturnTestKit
import ThumbturnVerifier

/// Credentials that one TPM alone can open, and only with one attestation key.
@Suite struct TPMCredentialTests {
    private func credential(
        _ device: TPMDevice, seed: UInt64 = 1
    ) throws -> TPMCredential {
        var generator = SeededGenerator(seed: seed)
        let endorsement = try device.policy.endorse(device.mint.chain, at: device.now)
        return try device.policy.credential(
            for: endorsement, attestationKey: device.mint.attestationKey.bytes, using: &generator)
    }

    @Test("a TPM opens its credential, and the answer agrees", arguments: TPMMint.Curve.allCases)
    func opened(curve: TPMMint.Curve) throws {
        let device = TPMDevice(curve: curve)
        for seed in UInt64(1)...20 {
            let credential = try credential(device, seed: seed)
            let secret = try #require(
                device.mint.activate(idObject: credential.idObject, encryptedSeed: credential.encryptedSeed), "seed \(seed)")
            #expect(secret.count == 32)
            #expect(credential.idObject.count == (curve == .p256 ? 34 : 50) + 34)
            #expect(credential.encryptedSeed.count == (curve == .p256 ? 68 : 100))
        }
    }

    @Test func chanceDecidesEveryPart() throws {
        let device = TPMDevice()
        let (one, same, other) = (
            try credential(device), try credential(device), try credential(device, seed: 2)
        )
        #expect(one == same)
        #expect(one.idObject != other.idObject && one.encryptedSeed != other.encryptedSeed)
        #expect(one.expectation != other.expectation)
    }

    @Test("another attestation key, another TPM and a changed byte open nothing", arguments: TPMMint.Curve.allCases)
    func closed(curve: TPMMint.Curve) throws {
        let device = TPMDevice(curve: curve)
        let credential = try credential(device)
        var other = device.mint
        other.attestationKey.policy = [UInt8](repeating: 0, count: 32)
        #expect(other.activate(idObject: credential.idObject, encryptedSeed: credential.encryptedSeed) == nil)
        let elsewhere = TPMMint(under: TPMDevice.authority, curve: curve)
        #expect(elsewhere.activate(idObject: credential.idObject, encryptedSeed: credential.encryptedSeed) == nil)
        for place in credential.idObject.indices {
            var changed = credential.idObject
            changed[place] ^= 1
            #expect(device.mint.activate(idObject: changed, encryptedSeed: credential.encryptedSeed) == nil, "byte \(place)")
        }
    }

    @Test func anAnswerIsBoundToSecretAttestationKeyAndEndorsementKey() throws {
        let device = TPMDevice()
        let (secret, expectation) = try device.open()
        #expect(expectation.digest.count == 32)
        // The same secret in another credential has another expectation.
        var generator = SeededGenerator(seed: 3)
        let names = [device.mint.attestationKey.name, TPMMint(under: TPMDevice.authority).attestationKey.name]
        let keys = [1, 2].map { _ in
            TPMEndorsementKey.p256(x963: Array(P256.KeyAgreement.PrivateKey().publicKey.x963Representation))
        }
        var seen: Set<TPMCredential.Expectation> = [expectation]
        for (name, key) in names.flatMap({ name in keys.map { (name, $0) } }) {
            seen.insert(try TPMCredential.make(for: key, attestationName: name, secret: secret, using: &generator).expectation)
        }
        #expect(seen.count == 5)
    }

    @Test func anEndorsementKeyOffItsCurveIsRefused() {
        var generator = SeededGenerator(seed: 1)
        for key in [
            TPMEndorsementKey.p256(x963: [4] + [UInt8](repeating: 1, count: 64)),
            TPMEndorsementKey.p384(x963: [4] + [UInt8](repeating: 1, count: 96)),
        ] {
            #expect(
                evidenceRefusal { _ = try TPMCredential.make(for: key, attestationName: [], using: &generator) } == .weakKey)
        }
    }
}
