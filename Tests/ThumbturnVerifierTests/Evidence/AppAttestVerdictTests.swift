import Crypto
import Foundation
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
import ThumbturnVerifier

/// The evidence that our device sends, for the keys of an enrolment.
@Suite struct AppAttestVerdictTests {
    static let root = TestAuthority.root(named: "Test App Attestation Root CA")
    private static let policy = AppAttestPolicy(
        appIDs: ["ABCDE12345.example.bank"], environment: .production, device: .mobile, launch: .notChecked,
        roots: [try! TrustAnchor(certificate: root.certificate)])
    private let now = UnixTime(seconds: 1_800_000_000)

    private static func hash(_ bytes: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: bytes)) }

    /// The bound value, as the server computes it.
    private static func value(_ challenge: String, _ thumbprints: [String]) -> [UInt8] {
        hash(EvidenceBinding.input(challenge: challenge, thumbprints: thumbprints))
    }

    /// A phone with an attested key, which sends evidence as `AppAttestation` of ThumbturnApple does.
    private struct Phone {
        var mint: AppAttestMint
        let attestation: [UInt8]
        let firstValue: [UInt8]
        var counter: UInt32 = 0

        init(firstValue: [UInt8]) {
            mint = AppAttestMint(appID: "ABCDE12345.example.bank", clientDataHash: hash(firstValue), root: root)
            attestation = mint.attestation
            self.firstValue = firstValue
        }

        mutating func evidence(_ value: [UInt8]) -> AppAttestEvidence {
            counter += 1
            return AppAttestEvidence(
                keyID: Data(mint.keyID).base64EncodedString(), attestation: attestation, attestedValue: firstValue,
                assertion: mint.assertion(clientDataHash: hash(value), counter: counter).encoded)
        }
    }

    private func judge(
        _ evidence: AppAttestEvidence, _ value: [UInt8], _ history: AppAttestVerdict.History = .newKey, at time: UnixTime? = nil
    ) throws -> AppAttestVerdict {
        try AppAttestVerdict(of: evidence, boundTo: value, history: history, policy: Self.policy, at: time ?? now)
    }

    private func refused(
        _ evidence: AppAttestEvidence, _ value: [UInt8], _ history: AppAttestVerdict.History = .newKey, at time: UnixTime? = nil
    ) -> EvidenceRefusal.Reason? { evidenceRefusal { _ = try judge(evidence, value, history, at: time) } }

    @Test func theFirstEnrolmentProvesAKeyAndALaterOneUsesIt() throws {
        let (first, second) = (Self.value("c1", ["a", "b"]), Self.value("c2", ["a"]))
        var phone = Phone(firstValue: first)
        let verdict = try judge(phone.evidence(first), first)
        #expect(verdict.key.id == phone.mint.keyID && verdict.counter == 1 && verdict.attestation?.key == verdict.key)
        // The certificate is expired by then.
        let later = UnixTime(seconds: 3_000_000_000)
        let evidence = phone.evidence(second)
        #expect(refused(evidence, second, at: later) == .expired)
        let next = try judge(evidence, second, .known(verdict.key, lastCounter: verdict.counter), at: later)
        #expect(next.counter == 2 && next.attestation == nil && next.key == verdict.key)
        #expect(refused(evidence, second, .known(verdict.key, lastCounter: 2)) == .counterNotGreater, "a second time")
    }

    /// A retry after a lost answer sends the attestation of the value before.
    @Test func aNewKeyMayBeAttestedForAnEarlierValue() throws {
        let (first, second) = (Self.value("c1", ["a"]), Self.value("c2", ["a"]))
        var phone = Phone(firstValue: first)
        #expect(try judge(phone.evidence(second), second).counter == 1)
    }

    @Test func evidenceIsForItsChallengeAndItsKeysAlone() throws {
        let value = Self.value("c1", ["a", "b"])
        var phone = Phone(firstValue: value)
        let evidence = phone.evidence(value)
        #expect(refused(evidence, value) == nil)
        #expect(refused(evidence, Self.value("c2", ["a", "b"])) == .wrongSignature, "a replayed challenge")
        #expect(refused(evidence, Self.value("c1", ["a", "c"])) == .wrongSignature, "other keys than those enrolled")
        #expect(refused(evidence, Self.value("c1", ["a"])) == .wrongSignature, "fewer keys")
        #expect(refused(evidence, Self.value("c1", ["b", "a"])) == nil, "the order of the keys has no meaning")
        #expect(refused(evidence, Self.hash(value)) == .wrongSignature)
    }

    @Test func theEvidenceOfOnePersonIsNotThatOfAnother() throws {
        let (ann, bob) = (Self.value("c-ann", ["a"]), Self.value("c-bob", ["b"]))
        var (annPhone, bobPhone) = (Phone(firstValue: ann), Phone(firstValue: bob))
        let (annEvidence, bobEvidence) = (annPhone.evidence(ann), bobPhone.evidence(bob))
        let bobKey = try judge(bobEvidence, bob).key
        #expect(refused(annEvidence, bob) == .wrongSignature)
        #expect(refused(annEvidence, bob, .known(bobKey, lastCounter: 0)) == .wrongKey)
        // Her attestation with his assertion, and the reverse.
        func mixed(_ one: AppAttestEvidence, _ other: AppAttestEvidence) -> AppAttestEvidence {
            AppAttestEvidence(
                keyID: one.keyID, attestation: one.attestation, attestedValue: one.attestedValue, assertion: other.assertion)
        }
        #expect(refused(mixed(annEvidence, bobEvidence), bob) == .wrongSignature)
        #expect(refused(mixed(bobEvidence, annEvidence), ann) == .wrongSignature)
        let swapped = AppAttestEvidence(
            keyID: bobEvidence.keyID, attestation: annEvidence.attestation, attestedValue: ann, assertion: bobEvidence.assertion)
        #expect(refused(swapped, bob) == .wrongKey)
        let otherValue = AppAttestEvidence(
            keyID: annEvidence.keyID, attestation: annEvidence.attestation, attestedValue: bob, assertion: annEvidence.assertion)
        #expect(refused(otherValue, ann) == .wrongChallenge)
    }

    @Test func itSaysWhatItProvesAndWhatNot() throws {
        let value = Self.value("c1", ["a"])
        var phone = Phone(firstValue: value)
        let verdict = try judge(phone.evidence(value), value)
        #expect(
            verdict.proves.first
                == "A genuine copy of the app ABCDE12345.example.bank says which user verification these keys demand.")
        #expect(verdict.doesNotProve.contains { $0.contains("Secure Enclave") })
    }
}
