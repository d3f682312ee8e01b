import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnVerifier

/// Statements of real TPMs: an Infineon chip and Google's virtual TPM, from google/go-attestation, and the structures of the
/// specification of WebAuthn.
@Suite(.enabled(if: Vectors.areHere)) struct TPMVectorTests {
    typealias Case = [String: String]

    private static let folder = "tpm-go-attestation"

    private static let cases: [String: Case] = {
        let all = (try? Vectors.load("\(folder)/activation-params.json", as: [Case].self)) ?? []
        return Dictionary(uniqueKeysWithValues: all.map { ($0["test"] ?? "", $0) })
    }()

    /// Reads a case as the command does, and verifies it.
    private func verify(
        _ parts: Case, accepting hashes: Set<TPMHash> = [.sha256, .insecureSHA1]
    ) throws -> TPMActivationSample.Facts {
        let json = try JSONEncoder().encode([parts])
        let sample = try #require(try TPMActivationSample.read(json: Array(json)).first)
        return try sample.verify(accepting: hashes)
    }

    private func refusal(_ parts: Case, accepting hashes: Set<TPMHash> = [.sha256, .insecureSHA1]) -> EvidenceRefusal.Reason? {
        evidenceRefusal { _ = try verify(parts, accepting: hashes) }
    }

    @Test(
        "real attestation keys are accepted where SHA-1 is, and refused elsewhere",
        arguments: ["TestActivation", "TestECCActivation"])
    func accepted(name: String) throws {
        let parts = try #require(Self.cases[name])
        let facts = try verify(parts)
        #expect(facts.hash == .insecureSHA1 && facts.name.hasPrefix("000b") && facts.name.count == 68)
        #expect(refusal(parts, accepting: [.sha256]) == .wrongAlgorithm)
        #expect(refusal(parts, accepting: []) == .wrongAlgorithm)
    }

    @Test("the file of the vectors is read as a whole")
    func file() throws {
        let bytes = try Data(contentsOf: Vectors.folder.appendingPathComponent("\(Self.folder)/activation-params.json"))
        let samples = try TPMActivationSample.read(json: Array(bytes))
        let reasons = Dictionary(
            uniqueKeysWithValues: samples.map { sample in
                (sample.name, evidenceRefusal { _ = try sample.verify(accepting: [.insecureSHA1]) })
            })
        #expect(
            reasons == [
                "TestActivation": nil, "TestECCActivation": nil, "TestECCActivationRejectsInsecureCurve": .malformed,
                "TestActivationRejectsSignatureAlgorithmMismatch": .malformed,
            ], "two cases lack a part, which their test supplies")
        #expect(evidenceRefusal { _ = try TPMActivationSample.read(json: Array("{}".utf8)) } == .malformed)
    }

    @Test func anInsecureCurveIsRefused() throws {
        var parts = try #require(Self.cases["TestECCActivationRejectsInsecureCurve"])
        var area = try #require(Self.cases["TestECCActivation"]?["Public"].flatMap { Data(base64Encoded: $0) })
        let curve = try #require(area.firstRange(of: Data([0x00, 0x03, 0x00, 0x10])))
        area[curve.lowerBound + 1] = 0x02
        parts["Public"] = area.base64EncodedString()
        #expect(refusal(parts) == .weakKey)
    }

    @Test func aSignatureOfAnotherAlgorithmIsRefused() throws {
        let (rsa, ecc) = (try #require(Self.cases["TestActivation"]), try #require(Self.cases["TestECCActivation"]))
        var parts = try #require(Self.cases["TestActivationRejectsSignatureAlgorithmMismatch"])
        parts["CreateSignature"] = rsa["CreateSignature"]
        #expect(refusal(parts) == .wrongAlgorithm)
        var other = rsa
        other["CreateSignature"] = ecc["CreateSignature"]
        #expect(refusal(other) == .wrongAlgorithm)
    }

    @Test("one changed bit of a real statement is refused", arguments: ["TestActivation", "TestECCActivation"])
    func changedBits(name: String) throws {
        let parts = try #require(Self.cases[name])
        for part in ["Public", "CreateData", "CreateAttestation", "CreateSignature"] {
            let bytes = try #require(parts[part].flatMap { Data(base64Encoded: $0) })
            for place in bytes.indices {
                var (changed, other) = (bytes, parts)
                changed[place] ^= 1 << (place % 8)
                other[part] = changed.base64EncodedString()
                #expect(refusal(other) != nil, "\(part), byte \(place)")
            }
            for count in [0, 1, bytes.count / 2, bytes.count - 1] {
                var other = parts
                other[part] = bytes.prefix(count).base64EncodedString()
                #expect(refusal(other) == .malformed, "\(part), \(count) bytes")
            }
        }
    }

    @Test func aWindowsMachinesKeyIsAcceptedAndItsQuoteIsNoStatementOnACreation() throws {
        struct Dump: Decodable {
            let AK: Statement
            let Quote: Quoted

            struct Statement: Decodable {
                let Public: String
                let CreateData: String
                let CreateAttestation: String
                let CreateSignature: String
            }

            struct Quoted: Decodable {
                let Quote: String
                let Signature: String
            }
        }
        let dump = try Vectors.load("\(Self.folder)/attest/testdata/windows_gcp_shielded_vm.json", as: Dump.self)
        var parts = [
            "test": "Windows", "Public": dump.AK.Public, "CreateData": dump.AK.CreateData,
            "CreateAttestation": dump.AK.CreateAttestation, "CreateSignature": dump.AK.CreateSignature,
        ]
        #expect(try verify(parts).hash == .insecureSHA1)

        func bytes(_ text: String) throws -> [UInt8] { Array(try #require(Data(base64Encoded: text))) }
        let quote = try TPMAttest(bytes(dump.Quote.Quote))
        guard case .quote(let digest) = quote.content else {
            Issue.record("\(quote.content)")
            return
        }
        #expect(digest.count == 20 && quote.extraData.isEmpty)
        let key = try TPMPublic(bytes(dump.AK.Public))
        let signature = try TPMSignature(bytes(dump.Quote.Signature))
        try signature.verify(quote.bytes, by: key, accepting: [.insecureSHA1])
        #expect(evidenceRefusal { try signature.verify(quote.bytes, by: key, accepting: [.sha256]) } == .wrongAlgorithm)
        // The quote is genuine, of the same key, and its signature is valid. It says nothing about a key.
        (parts["CreateAttestation"], parts["CreateSignature"]) = (dump.Quote.Quote, dump.Quote.Signature)
        #expect(refusal(parts) == .notFromTPM)
    }

    @Test func theStructuresOfWebAuthnAreRead() throws {
        struct Vector: Decodable {
            let cases: [Case]

            struct Case: Decodable {
                let anchor: String
                let registration: Registration
            }

            struct Registration: Decodable {
                let attestationObject: String
            }
        }
        let all = try Vectors.load("w3c-webauthn-l3/w3c-test-vectors.json", as: Vector.self).cases
        let object = try #require(all.first { $0.anchor == "sctn-test-vectors-tpm-es256" }).registration.attestationObject
        // The bytes after a name of a CBOR map, whose length is one byte.
        func member(_ name: String) throws -> [UInt8] {
            let digits = name.utf8.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined() + "58"
            let start = try #require(object.range(of: digits)).upperBound
            var bytes: [UInt8] = []
            var rest = object[start...]
            while let pair = UInt8(rest.prefix(2), radix: 16) {
                bytes.append(pair)
                rest = rest.dropFirst(2)
            }
            return Array(bytes.dropFirst().prefix(Int(bytes[0])))
        }
        let area = try TPMPublic(member("pubArea"))
        var bytes = try member("certInfo")
        // The vector is made up: its TPMI_YES_NO is 0x33, which the standard of TPMs does not have.
        #expect(bytes[58] == 0x33 && evidenceRefusal { _ = try TPMAttest(bytes) } == .malformed)
        bytes[58] = 1
        let info = try TPMAttest(bytes)
        guard case .certification(let name, _) = info.content else {
            Issue.record("\(info.content)")
            return
        }
        #expect(name == area.name && area.p256 != nil && area.policy.isEmpty && area.attributes == .sign)
        #expect(info.extraData.count == 32)
    }
}
