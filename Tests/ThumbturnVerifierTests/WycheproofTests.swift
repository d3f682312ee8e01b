import Testing
import TestSupport
import ThumbturnVerifier

/// Project Wycheproof's cases against our key import and signature check.
@Suite(.enabled(if: Vectors.areHere)) struct WycheproofTests {
    struct File: Decodable {
        struct Group: Decodable {
            struct Key: Decodable { var uncompressed: String }
            struct Case: Decodable {
                var tcId: Int
                var result: String
                var msg: String?
                var sig: String?
                var `public`: String?
            }
            var publicKey: Key?
            var publicKeyDer: String?
            var tests: [Case]
        }
        var numberOfTests: Int
        var testGroups: [Group]
    }

    @Test func signatures() throws {
        let file = try Vectors.load("wycheproof/testvectors_v1/ecdsa_secp256r1_sha256_p1363_test.json", as: File.self)
        var judged = 0
        for group in file.testGroups {
            let key = try VerifyingKey(x963: bytes(hex: try #require(group.publicKey).uncompressed))
            #expect(try VerifyingKey(spkiDER: bytes(hex: try #require(group.publicKeyDer))) == key)
            for test in group.tests {
                judged += 1
                let valid = key.isValid(bytes(hex: test.sig ?? ""), for: bytes(hex: test.msg ?? ""))
                #expect(valid == (test.result == "valid"), "case \(test.tcId)")
            }
        }
        #expect(judged == file.numberOfTests && judged == 262)
    }

    @Test("public keys: DER and PEM", arguments: ["ecdh_secp256r1_test.json", "ecdh_secp256r1_pem_test.json"])
    func publicKeys(_ name: String) throws {
        let file = try Vectors.load("wycheproof/testvectors_v1/\(name)", as: File.self)
        var counts: [String: Int] = [:]
        for test in file.testGroups.flatMap(\.tests) {
            let text = test.public ?? ""
            let refused = refusal {
                if name.contains("pem") {
                    _ = try VerifyingKey(spki: text)
                } else {
                    _ = try VerifyingKey(spkiDER: bytes(hex: text))
                }
            }
            counts["\(test.result) \(refused == nil ? "accepted" : "refused")", default: 0] += 1
            if test.result == "valid" { #expect(refused == nil, "case \(test.tcId)") }
            if test.result == "invalid" { #expect(refused != nil, "case \(test.tcId)") }
            // Alternative encodings, explicit parameters and compressed points: a strict importer has one form.
            if test.result == "acceptable" { #expect(refused != nil, "case \(test.tcId)") }
        }
        print(name, counts)
    }
}
