import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
import ThumbturnVerifier

/// The public chains of Google's samples.
@Suite(.enabled(if: Vectors.areHere)) struct AndroidVectorTests {
    struct Sample: Decodable, Sendable, CustomTestStringConvertible {
        let name: String
        let chainDerB64: [String]
        let challengeB64: String
        var testDescription: String { name }

        var chain: [[UInt8]] { chainDerB64.map { Array(Data(base64Encoded: $0)!) } }
        var challenge: [UInt8] { Array(Data(base64Encoded: challengeB64)!) }
        var isStrongBox: Bool { name.hasSuffix("StrongBox") }
    }

    static let samples: [Sample] =
        (try? Vectors.load("google-android-key-attestation/normalized.json", as: [Sample].self)) ?? []

    /// After the end of the root's issue of 2016, which stands in the chains.
    static let now = UnixTime(seconds: 1_800_000_000)

    func read(_ sample: Sample, to roots: [TrustAnchor] = TrustAnchor.googleHardware) throws -> AndroidKeyFacts {
        try AndroidKeyFacts(chain: sample.chain, to: roots, at: Self.now)
    }

    @Test func thereAreFour() { #expect(Self.samples.count == 4) }

    @Test("the path of each chain is judged as Google judges it", arguments: samples)
    func paths(_ sample: Sample) throws {
        #expect(evidenceRefusal { _ = try read(sample) } == (sample.isStrongBox ? .untrustedRoot : nil))
        guard !sample.isStrongBox else { return }
        let facts = try read(sample)
        #expect(facts.provisioning == .factory && facts.claimedLevel == .trustedEnvironment)
        #expect(facts.root == TrustAnchor.googleHardware[0])
        #expect(facts.description.version == 3 && facts.description.keyMintVersion == 4)
        #expect(facts.description.attestationLevel == .trustedEnvironment)
        #expect(facts.description.challenge == Array("abc".utf8))
        #expect(facts.enforced.purposes == [2, 3] && facts.enforced.digests == [4] && facts.enforced.origin == 0)
        #expect(facts.enforced.osPatchLevel == AndroidPatchLevel(year: 2019, month: 7))
        #expect(facts.verification == .none)
        // Nothing of it depends on the root in the chain.
        let without = try AndroidKeyFacts(
            chain: Array(sample.chain.dropLast()), to: TrustAnchor.googleHardware, at: Self.now)
        #expect(without.description == facts.description)
        #expect(
            evidenceRefusal { _ = try AndroidKeyFacts(chain: sample.chain, to: [.appleAppAttest], at: Self.now) }
                == .untrustedRoot)
    }

    @Test(
        "the StrongBox chains under their own root: one is whole, the other is broken", arguments: samples.filter(\.isStrongBox))
    func strongBox(_ sample: Sample) throws {
        let root = try TrustAnchor(certificate: try #require(sample.chain.last))
        let isBroken = sample.name.contains("EC")
        #expect(evidenceRefusal { _ = try read(sample, to: [root]) } == (isBroken ? .brokenChain : nil))
        // The target of the broken chain has NULL as parameter of ECDSA, which only Android's path reads.
        #expect(evidenceRefusal { _ = try Certificate(der: sample.chain[0]) } == (isBroken ? .malformed : nil))
        #expect(try Certificate(der: sample.chain[0], .algorithmNull).maySignCertificates == false)
        if !isBroken { #expect(try read(sample, to: [root]).claimedLevel == .strongBox) }
    }

    @Test("no chain is in force before its certificates are", arguments: samples.filter { !$0.isStrongBox })
    func early(_ sample: Sample) {
        let early = UnixTime(seconds: 1_400_000_000)
        #expect(
            evidenceRefusal { _ = try AndroidKeyFacts(chain: sample.chain, to: TrustAnchor.googleHardware, at: early) }
                == .notYetValid)
    }

    @Test("a product's policy refuses each of them for each of its faults", arguments: samples)
    func policy(_ sample: Sample) throws {
        let root = try TrustAnchor(certificate: try #require(sample.chain.last))
        // The broken chain has no facts.
        guard let facts = try? read(sample, to: TrustAnchor.googleHardware + [root]) else {
            return #expect(sample.name == "algorithm_EC_SecurityLevel_StrongBox")
        }
        let reasons = facts.refusals(by: AndroidCase().policy, challenge: sample.challenge, key: nil).map(\.reason)
        var expected: [EvidenceRefusal.Reason] = [.wrongAuthentication, .notVerifiedBoot, .wrongApp, .oldPatchLevel]
        if sample.name.contains("RSA") { expected = [.wrongAlgorithm, .wrongAlgorithm] + expected }
        #expect(reasons == expected)
        let other = facts.refusals(by: AndroidCase().policy, challenge: [1], key: TestKey().verifying).map(\.reason)
        #expect(other == [.wrongChallenge, .wrongKey] + expected)
    }

    @Test("a change of one bit anywhere above the target breaks a chain", arguments: samples.filter { !$0.isStrongBox })
    func everyBit(_ sample: Sample) {
        let chain = sample.chain
        // Of each certificate but the root, of which only name and key count.
        for position in chain.indices.dropLast() {
            for index in stride(from: position, to: chain[position].count, by: 7) {
                var changed = chain
                changed[position][index] ^= UInt8(1 << (index % 8))
                #expect(
                    evidenceRefusal { _ = try AndroidKeyFacts(chain: changed, to: TrustAnchor.googleHardware, at: Self.now) }
                        != nil,
                    "certificate \(position), byte \(index)")
            }
        }
    }

    @Test func theDescriptionOfW3CsSampleIsReadAndItsPathIsNone() throws {
        struct File: Decodable {
            struct Case: Decodable {
                struct Registration: Decodable { let attestationObject: String }
                let title: String
                let registration: Registration
            }
            struct Root: Decodable {
                let certificate: String
                enum CodingKeys: String, CodingKey { case certificate = "attestation_ca_cert" }
            }
            let cases: [Case]
            let root: Root
        }
        func bytes(_ hex: String) -> [UInt8] {
            let digits = Array(hex)
            return stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16)! }
        }
        let file = try Vectors.load("w3c-webauthn-l3/w3c-test-vectors.json", as: File.self)
        let sample = try #require(file.cases.first { $0.title.contains("Android Key") })
        let object = bytes(sample.registration.attestationObject)
        // The one certificate, behind its key "x5c", the head of a list of one, and a head of a byte string of two bytes.
        let start = try #require(object.indices.first { object[$0...].starts(with: Array("cx5c".utf8)) }) + 8
        let length = Int(object[start - 2]) << 8 | Int(object[start - 1])
        let target = try Certificate(der: Array(object[start..<start + length]))
        let description = try KeyDescription(der: try #require(target.extension(KeyDescription.id)).value)
        #expect(description.version == 300 && description.attestationLevel == .software)
        #expect(description.enforced.tags.isEmpty && description.hardwareEnforced.tags.isEmpty)
        let root = try TrustAnchor(certificate: bytes(file.root.certificate))
        #expect(evidenceRefusal { _ = try AndroidKeyFacts(chain: [target.der], to: [root], at: Self.now) } == .unknownPath)
    }
}
