import Foundation
import SwiftASN1
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
import ThumbturnVerifier

@Suite struct CertificateTests {
    @Test func theBuiltInRootsHaveTheirPublishedKeys() {
        func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }
        #expect(
            TrustAnchor.googleHardware.map { hex($0.spkiSHA256) } == [
                "feb2ea7551ee316ed4bb443c8293b884dbfdea40b603ee3e4f4a897e4580fbae",
                "3ee44512a1af2beb39c889490c60ea3f82e43f5d5a5532f5ab9419f676cd07ec",
            ])
        #expect(TrustAnchor.appleAppAttest.spki.count == 120)
    }

    @Test func timesAreReadAsTheyAreWritten() throws {
        let key = MintedKey.p256()
        // 1950, before and after 1970, leap days, both ends of UTCTime, and the last second of 9999.
        for seconds in [
            -631_152_000, -1, 0, 951_782_400, 951_868_799, 1_709_164_800, 2_524_607_999, 2_524_608_000, 253_402_300_799,
        ] {
            var certificate = MintedCertificate(named: "a", spki: key.spki)
            (certificate.notBefore, certificate.notAfter) = (UnixTime(seconds: 0), UnixTime(seconds: Int64(seconds)))
            let read = try Certificate(der: certificate.signed(by: key, named: MintedDER.name("a")))
            #expect(read.notBefore.seconds == 0 && read.notAfter.seconds == Int64(seconds))
        }
    }

    @Test(
        "a serial number is told as status lists name it",
        arguments: [([0], "0"), ([1], "1"), ([0x0A], "a"), ([0x00, 0xC0, 0x0F], "c00f"), ([0x12, 0x34], "1234")]
            as [([UInt8], String)])
    func serials(bytes: [UInt8], text: String) throws {
        let key = MintedKey.p256()
        var certificate = MintedCertificate(named: "a", spki: key.spki)
        certificate.serial = bytes
        #expect(try Certificate(der: certificate.signed(by: key, named: MintedDER.name("a"))).serialText == text)
    }

    @Test func rootsAreReadFromPEM() throws {
        let (one, two) = (TestAuthority.root(named: "1"), TestAuthority.root(named: "2"))
        let pem = [one, two].map { PEMDocument(type: "CERTIFICATE", derBytes: $0.certificate).pemString }.joined(separator: "\n")
        #expect(try TrustAnchor.read(pem: pem) == [one, two].map { try TrustAnchor(certificate: $0.certificate) })
        let texts = [one, two].map { PEMDocument(type: "CERTIFICATE", derBytes: $0.certificate).pemString }
        let json = Array(try JSONEncoder().encode(texts))
        #expect(try TrustAnchor.read(json: json) == TrustAnchor.read(pem: pem))
        for other in ["", "[]", "{}", #"["a"]"#, "[1]"] {
            #expect(evidenceRefusal { _ = try TrustAnchor.read(json: Array(other.utf8)) } == .malformed)
        }
        #expect(evidenceRefusal { _ = try TrustAnchor.read(json: [UInt8](repeating: 32, count: 300_000)) } == .tooLarge)
        #expect(evidenceRefusal { _ = try TrustAnchor.read(pem: "") } == .malformed)
        #expect(evidenceRefusal { _ = try TrustAnchor.read(pem: String(repeating: "a", count: 300_000)) } == .tooLarge)
        let key = PEMDocument(type: "PUBLIC KEY", derBytes: one.key.spki).pemString
        #expect(evidenceRefusal { _ = try TrustAnchor.read(pem: key) } == .malformed)
    }

    @Test func linesOfPEMMayHaveAnyLength() throws {
        let root = TestAuthority.root(named: "1")
        let anchor = try TrustAnchor(certificate: root.certificate)
        let base64 = Data(root.certificate).base64EncodedString()
        let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")
        func wrapped(_ length: Int, _ newline: String) -> String {
            let lines = stride(from: 0, to: base64.count, by: length).map { String(base64.dropFirst($0).prefix(length)) }
            return ([begin] + lines + [end]).joined(separator: newline)
        }
        for length in [1, 63, 64, 65, 76, base64.count] {
            for newline in ["\n", "\r\n"] {
                let pem = wrapped(length, newline)
                #expect(try TrustAnchor.read(pem: pem) == [anchor], "\(length)")
                #expect(try TrustAnchor.read(pem: "a comment\n\n\(pem)\n\(pem)\nanother") == [anchor, anchor], "\(length)")
            }
        }

        let pem = wrapped(76, "\n")
        let long = String(repeating: "A", count: 16 * 1024)
        let bad = [
            begin, end, begin + "\n" + end, begin + "\n" + pem, pem + "\n" + end, pem + "\n" + begin, pem + pem,
            wrapped(76, "\n\n"),
            pem.replacingOccurrences(of: end, with: "-----END PUBLIC KEY-----"),
            pem.replacingOccurrences(of: begin, with: begin + "\n----"), pem.replacingOccurrences(of: end, with: "=\n" + end),
            pem.replacingOccurrences(of: "\n", with: " \n"), "\(begin)\n\(long)A\n\(end)", "\(begin)\nAB==\n\(end)",
            "\(begin)\nAA==\nAAAA\n\(end)",
        ]
        for text in bad { #expect(evidenceRefusal { _ = try TrustAnchor.read(pem: text) } == .malformed, "\(text)") }
    }

    @Test(.enabled(if: Vectors.areHere)) func googlesOwnFileIsARoot() throws {
        let path = "google-android-key-attestation/src/test/resources/pem/algorithm_EC_SecurityLevel_TEE/cert3.pem"
        let pem = try String(contentsOf: Vectors.folder.appendingPathComponent(path), encoding: .utf8)
        #expect(try TrustAnchor.read(pem: pem).map(\.spki) == [TrustAnchor.googleHardware[0].spki])
    }

    @Test func aLeniencyIsOnlyForWhatItNames() throws {
        let key = MintedKey.p256()
        func read(_ leniency: DERLeniency, _ edit: (inout MintedCertificate) -> Void) -> EvidenceRefusal.Reason? {
            var certificate = MintedCertificate(named: "a", spki: key.spki)
            edit(&certificate)
            return evidenceRefusal {
                _ = try Certificate(der: certificate.signed(by: key, named: MintedDER.name("a")), leniency)
            }
        }
        let withNull: (inout MintedCertificate) -> Void = { $0.algorithm = key.algorithm().withNull }
        #expect(read(.none, withNull) == .malformed && read(.booleanOne, withNull) == .malformed)
        #expect(read(.algorithmNull, withNull) == nil)
        let other: (inout MintedCertificate) -> Void = {
            $0.algorithm = MintedAlgorithm("1.2.840.10045.4.3.2", parameters: MintedDER.octets([]))
        }
        #expect(read(.algorithmNull, other) == .malformed)
        let one: (inout MintedCertificate) -> Void = { $0.extensions = [.authority(pathLength: nil, .one)] }
        #expect(read(.none, one) == .malformed && read(.algorithmNull, one) == .malformed)
        #expect(read(.booleanOne, one) == nil)
        let two: (inout MintedCertificate) -> Void = {
            $0.extensions = [MintedExtension("2.5.29.19", value: MintedDER.sequence([MintedDER.value(1, [2])]))]
        }
        #expect(read(.booleanOne, two) == .malformed)
    }

    @Test func extensionsThatCannotBeReadSayTheLeast() throws {
        let key = MintedKey.p256()
        for id in ["2.5.29.19", "2.5.29.15"] {
            for junk in [
                [], [1, 2, 3], MintedDER.bits([0xFF], unused: 7), MintedDER.sequence([MintedDER.integer(1), MintedDER.null]),
            ] {
                let certificate = MintedCertificate(
                    named: "a", spki: key.spki, extensions: [MintedExtension(id, .yes, value: junk)])
                let der = certificate.signed(by: key, named: MintedDER.name("a"))
                #expect(evidenceRefusal { _ = try Certificate(der: der) } == .malformed)
                #expect(
                    evidenceRefusal { _ = try Certificate(der: der, [.algorithmNull, .booleanOne, .unordered]) } == .malformed)
                let read = try Certificate(der: der, .unreadableExtensions)
                #expect(!read.isAuthority && read.pathLength == nil)
                #expect(read.maySignCertificates == (id == "2.5.29.19"))
            }
        }
    }

    @Test func depthAndNumberOfValuesAreCapped() {
        func nested(_ depth: Int) -> [UInt8] { (0..<depth).reduce([]) { inner, _ in MintedDER.sequence([inner]) } }
        #expect(evidenceRefusal { _ = try StrictDER.parse(nested(16), "a") } == nil)
        #expect(evidenceRefusal { _ = try StrictDER.parse(nested(17), "a") } == .tooLarge)
        func wide(_ count: Int) -> [UInt8] { MintedDER.sequence([[UInt8]](repeating: MintedDER.null, count: count)) }
        #expect(evidenceRefusal { _ = try StrictDER.parse(wide(1023), "a") } == nil)
        #expect(evidenceRefusal { _ = try StrictDER.parse(wide(1024), "a") } == .tooLarge)
    }

    @Test(
        "what is not DER is refused",
        arguments: [
            [], [0x30], [0x30, 0x80, 0, 0], [0x30, 0x81, 0x00], [0x30, 0x01], [0x05, 0x00, 0x00], [0x1F, 0x1E, 0x00],
            [0xBF, 0x80, 0x20, 0x00], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x88, 1, 1, 1, 1, 1, 1, 1, 1],
        ] as [[UInt8]])
    func malformed(_ bytes: [UInt8]) {
        #expect(evidenceRefusal { _ = try StrictDER.parse(bytes, "a") } == .malformed)
    }
}
