import Crypto
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
import ThumbturnVerifier

/// Evidence of real iPhones, with iOS 14.2 to 14.4, under Apple's root.
@Suite(.enabled(if: Vectors.areHere)) struct AppAttestVectorTests {
    let samples: [AppAttestSample]

    init() throws { samples = try AppAttestSample.all() }

    @Test func allAttestationsAndAssertionsAreValidAtTheirTime() throws {
        #expect(samples.count == 7)
        for sample in samples {
            #expect(sample.subject.object == Array(sample.attestation), "put together again it has the same bytes")
            let proved = try sample.subject.judge()
            #expect(proved.key.publicKey.x963 == Array(sample.publicKeyX962))
            #expect(Data(proved.key.id).base64EncodedString() == sample.keyId)
            #expect(proved.key.appID == sample.appId && proved.key.environment == .development)
            #expect(proved.receipt.count == sample.receiptLen)
            #expect(proved.notAfter == AppAttestSample.time(sample.leafNotAfter))
            #expect(proved.launch == AppAttestLaunch(category: nil, bundleVersion: nil))
            #expect(sample.assertions.count == 1)
            for assertion in sample.assertions {
                let used = try AppAttest.verify(
                    assertion: Array(assertion.assertion), clientData: Array(assertion.clientData), key: proved.key,
                    lastCounter: 0, policy: sample.subject.policy)
                #expect(used.counter == assertion.counter && used.counter == 1)
            }
        }
    }

    @Test func eachIsValidFromTheFirstToTheLastSecondOfItsCertificate() {
        for sample in samples {
            var subject = sample.subject
            let (first, last) = (AppAttestSample.time(sample.leafNotBefore), AppAttestSample.time(sample.leafNotAfter))
            let rows: [(UnixTime, EvidenceRefusal.Reason?)] = [
                (first, nil), (last, nil), (first + .seconds(-1), .notYetValid), (last + .seconds(1), .expired),
            ]
            for (time, expected) in rows {
                subject.now = time
                #expect(evidenceRefusal { _ = try subject.judge() } == expected, "\(sample.name) at \(time)")
            }
        }
    }

    /// Two samples of one app: each proves its own key alone.
    @Test func noAttestationStandsForAnotherKey() {
        for one in samples {
            for other in samples where other.keyId != one.keyId {
                var subject = one.subject
                subject.keyID = other.keyId
                #expect(evidenceRefusal { _ = try subject.judge() } == .wrongKey)
            }
        }
    }

    // MARK: Mutations

    static let mutations: [Mutation<AppAttestCase>] = [
        // What it is judged by.
        Mutation("another client data hash", .wrongChallenge) { $0.clientDataHash.flip(0) },
        Mutation("another key id", .wrongKey) { $0.keyID = Data([UInt8](repeating: 1, count: 32)).base64EncodedString() },
        Mutation("a key id of 31 bytes", .malformed) { $0.keyID = Data([UInt8](repeating: 1, count: 31)).base64EncodedString() },
        Mutation("a key id in base64url", .malformed) {
            $0.keyID = $0.keyID.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        },
        Mutation("another app", .wrongApp) { $0.policy.appIDs = ["6MURL8TA57.another.app"] },
        Mutation("no app", .wrongApp) { $0.policy.appIDs = [] },
        Mutation("development evidence in production", .wrongEnvironment) { $0.policy.environment = .production },
        Mutation("a phone's evidence for a Mac", .notVerifiedBoot) { $0.policy.device = .mac },
        Mutation("a system that does not tell the category", .wrongEnvironment) { $0.policy.launch = .anyOf([.development]) },
        Mutation("no root", .untrustedRoot) { $0.policy.roots = [] },
        Mutation("another root", .untrustedRoot) { $0.policy.roots = TrustAnchor.googleHardware },
        // The chain.
        Mutation("a changed signature of the key's certificate", .brokenChain) { $0.certificates[0].flip(-1) },
        Mutation("a changed signature of the intermediate", .brokenChain) { $0.certificates[1].flip(-1) },
        Mutation("a changed nonce in the certificate", .brokenChain) { subject in
            let mark: [UInt8] = [0x30, 0x24, 0xA1, 0x22, 0x04, 0x20]
            let at = subject.certificates[0].indices.first { subject.certificates[0][$0...].starts(with: mark) }!
            subject.certificates[0].flip(at + mark.count)
        },
        Mutation("no intermediate", .untrustedRoot) { $0.certificates.removeLast() },
        Mutation("the intermediate as the key's certificate", .weakKey) { $0.certificates.removeFirst() },
        Mutation("no certificate", .malformed) { $0.certificates = [] },
        Mutation("forty certificates", .chainTooLong) { subject in
            subject.certificates += Array(repeating: subject.certificates[1], count: 38)
        },
        Mutation("eleven certificates", .chainTooLong) { subject in
            subject.certificates += Array(repeating: subject.certificates[1], count: 9)
        },
        Mutation("an attacker's own root behind the chain", .untrustedRoot) {
            $0.certificates.append(TestAuthority.root().certificate)
        },
        Mutation("a certificate of more than 8 KiB", .tooLarge) { $0.certificates.append([UInt8](repeating: 0x30, count: 8193)) },
        Mutation("a byte behind a certificate", .malformed) { $0.certificates[0].append(0) },
        // The authenticator data, which the nonce covers.
        Mutation("another app id in the data", .wrongChallenge) { $0.authenticatorData.flip(0) },
        Mutation("another flag", .wrongChallenge) { $0.authenticatorData.flip(32) },
        Mutation("another counter", .wrongChallenge) { $0.authenticatorData.flip(36) },
        Mutation("another environment in the data", .wrongChallenge) {
            $0.authenticatorData.replaceSubrange(37..<53, with: AppAttestMint.production)
        },
        Mutation("another credential id", .wrongChallenge) { $0.authenticatorData.flip(55) },
        Mutation("extensions behind the key", .wrongChallenge) {
            $0.authenticatorData += AppAttestMint.launch(category: 4, bundleVersion: "1").encoded
        },
        Mutation("a byte behind the key", .malformed) { $0.authenticatorData.append(0) },
        Mutation("data without its last byte", .malformed) { $0.authenticatorData.removeLast() },
        Mutation("the head of the data alone", .malformed) { $0.authenticatorData.removeLast(127) },
        // The object.
        Mutation("another format", .unsupported) { $0.format = .text("apple") },
        Mutation("a format as bytes", .malformed) { $0.format = .bytes(Array("apple-appattest".utf8)) },
        Mutation("a long format", .malformed) { $0.format = .wide(.text("apple-appattest"), bytes: 1) },
        Mutation("the format twice", .malformed) { $0.members = { $0 + [$0[0]] } },
        Mutation("the data twice", .malformed) { $0.members = { $0 + [$0[2]] } },
        Mutation("the statement twice", .malformed) { $0.members = { [$0[0], $0[1], $0[1], $0[2]] } },
        Mutation("the chain twice", .malformed) { $0.statement = { [$0[0], $0[0], $0[1]] } },
        Mutation("the receipt twice", .malformed) { $0.statement = { $0 + [$0[1]] } },
        Mutation("members in another order", .malformed) { $0.members = { $0.reversed() } },
        Mutation("no statement", .malformed) { $0.members = { [$0[0], $0[2]] } },
        Mutation("no receipt", .malformed) { $0.statement = { [$0[0]] } },
        Mutation("a further member", .malformed) { $0.members = { $0 + [("zzzzzzzzz", .unsigned(1))] } },
        Mutation("a receipt of more than 16 KiB", .tooLarge) { $0.receipt = [UInt8](repeating: 0, count: 16 * 1024 + 1) },
        Mutation("an object of indefinite length", .malformed) { $0.bytes = { [0xBF] + $0.dropFirst() + [0xFF] } },
        Mutation("a byte behind the object", .malformed) { $0.bytes = { $0 + [0] } },
        Mutation("an object without its last byte", .malformed) { $0.bytes = { $0.dropLast() } },
        Mutation("no byte", .malformed) { $0.bytes = { _ in [] } },
        Mutation("an object of more than 96 KiB", .tooLarge) { $0.bytes = { $0 + [UInt8](repeating: 0, count: 96 * 1024) } },
    ]

    @Test("each change of a real attestation is refused for its reason, and without it all is well", arguments: mutations)
    func changed(_ mutation: Mutation<AppAttestCase>) throws {
        for sample in samples.prefix(2) {
            var changed = sample.subject
            mutation.change(&changed)
            #expect(evidenceRefusal { _ = try changed.judge() } == mutation.reason)
            #expect(evidenceRefusal { _ = try sample.subject.judge() } == nil)
        }
    }

    /// No bit of the object may change anything but the receipt, which Apple signs by itself and which is not read.
    @Test func eachChangedBitOutsideTheReceiptIsRefused() throws {
        let subject = samples[0].subject
        let object = subject.object
        let receipt = object.indices.first { object[$0...].starts(with: subject.receipt) }!
        var generator = SeededGenerator(seed: 0xA99)
        print("seed \(generator.seed)")
        for _ in 0..<600 {
            let at = Int.random(in: 0..<object.count, using: &generator)
            var changed = subject
            let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &generator)
            changed.bytes = { bytes in
                var bytes = bytes
                bytes[at] ^= bit
                return bytes
            }
            let isInReceipt = (receipt..<receipt + subject.receipt.count).contains(at)
            #expect((evidenceRefusal { _ = try changed.judge() } == nil) == isInReceipt, "byte \(at), bit \(bit)")
        }
    }

    // MARK: Assertions

    @Test func anAssertionIsRefusedASecondTimeAndForAnythingElse() throws {
        for (sample, other) in zip(samples, samples.dropFirst() + samples.prefix(1)) {
            let (key, otherKey) = (try sample.subject.judge().key, try other.subject.judge().key)
            let assertion = sample.assertions[0]
            let (object, data) = (Array(assertion.assertion), Array(assertion.clientData))
            func judge(
                _ object: [UInt8], data: [UInt8]? = nil, key: AppAttestKey = key, last: UInt32 = 0,
                _ edit: (inout AppAttestPolicy) -> Void = { _ in }
            ) -> EvidenceRefusal.Reason? {
                var policy = sample.subject.policy
                edit(&policy)
                return evidenceRefusal {
                    _ = try AppAttest.verify(
                        assertion: object, clientData: data ?? Array(assertion.clientData), key: key, lastCounter: last,
                        policy: policy)
                }
            }
            #expect(judge(object) == nil)
            #expect(judge(object, last: 1) == .counterNotGreater && judge(object, last: .max) == .counterNotGreater)
            #expect(judge(object, data: data + [0]) == .wrongSignature)
            #expect(judge(object, data: Array(SHA256.hash(data: data))) == .wrongSignature, "the hash in place of the data")
            #expect(judge(object, key: otherKey) == .wrongSignature)
            #expect(judge(object) { $0.environment = .production } == .wrongEnvironment)
            #expect(judge(object) { $0.appIDs = ["6MURL8TA57.another.app"] } == .wrongApp)
            #expect(judge(object) { $0.launch = .anyOf([.development]) } == .wrongEnvironment)
            #expect(judge(object + [0]) == .malformed && judge(object.dropLast()) == .malformed)
            for at in object.indices {
                var changed = object
                changed.flip(at)
                #expect(judge(changed) != nil, "byte \(at)")
            }
            #expect(judge(object) == nil)
        }
    }
}
