import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit
import ThumbturnVerifier

@Suite struct AndroidStatusListTests {
    func list(_ json: String) throws -> AndroidStatusList {
        try AndroidStatusList(json: Array(json.utf8), fetched: UnixTime(seconds: 0))
    }

    @Test func keysAreComparedWithoutCaseAndLeadingZeros() throws {
        let list = try list(
            #"{"entries":{"00AbC":{"status":"REVOKED","expires":"2030-01-01"},"0":{"status":"SUSPENDED"}},"x":1}"#)
        #expect(list.count == 2)
        #expect(evidenceRefusal { try list.check(["1", "abc"]) } == .revoked)
        #expect(evidenceRefusal { try list.check(["0"]) } == .suspended)
        #expect(evidenceRefusal { try list.check(["ab", "abcd", "1"]) } == nil)
    }

    @Test(
        "a list of another form is refused",
        arguments: [
            "", "[]", "{}", #"{"entries":[]}"#, #"{"entries":{"a":{}}}"#, #"{"entries":{"a":"REVOKED"}}"#,
            #"{"entries":{"a":{"status":1}}}"#, #"{"entries":{"g":{"status":"REVOKED"}}}"#,
            #"{"entries":{"":{"status":"REVOKED"}}}"#, #"{"entries":{"-1":{"status":"REVOKED"}}}"#,
            #"{"entries":{"a":{"status":"REVOKED"},"a":{"status":"REVOKED"}}}"#,
            #"{"entries":{"a":{"status":"REVOKED"},"0A":{"status":"SUSPENDED"}}}"#,
            #"{"entries":{},"entries":{}}"#, #"{"entries":{}} x"#,
        ])
    func malformed(_ json: String) {
        #expect(evidenceRefusal { _ = try list(json) } == .malformed)
    }

    @Test func sizeAndNumberAreCapped() throws {
        func json(_ count: Int) -> String {
            #"{"entries":{"# + (0..<count).map { #""\#(String($0, radix: 16))":{"status":"R"}"# }.joined(separator: ",") + "}}"
        }
        #expect(try list(json(16_384)).count == 16_384)
        #expect(evidenceRefusal { _ = try list(json(16_385)) } == .malformed)
        let padding = String(repeating: " ", count: 1024 * 1024)
        #expect(evidenceRefusal { _ = try list(#"{"entries":{}}"# + padding) } == .tooLarge)
    }

    // MARK: Google's lists

    private func data(_ path: String) throws -> [UInt8] {
        Array(try Data(contentsOf: Vectors.folder.appendingPathComponent(path)))
    }

    private static let snapshot = "google-status-snapshot/app/src/main/res/raw/status.json"
    private static let example = "google-android-key-attestation/src/test/resources/status.json"

    @Test(.enabled(if: Vectors.areHere)) func googlesListsAreRead() throws {
        let example = try AndroidStatusList(json: data(Self.example), fetched: UnixTime(seconds: 0))
        #expect(example.count == 5)
        #expect(evidenceRefusal { try example.check(["cc66e9a93713b6e643b26c15879786f7"]) } == .suspended)
        #expect(evidenceRefusal { try example.check(["6681152659205225093"]) } == .revoked)
        #expect(try AndroidStatusList(json: data(Self.snapshot), fetched: UnixTime(seconds: 0)).count == 467)
    }

    @Test("each of the 467 serial numbers of the snapshot refuses a chain with it", .enabled(if: Vectors.areHere))
    func everyEntry() throws {
        struct File: Decodable {
            let entries: [String: [String: String]]
        }
        let json = try data(Self.snapshot)
        let list = try AndroidStatusList(json: json, fetched: AndroidCase.now)
        let serials = try JSONDecoder().decode(File.self, from: Data(json)).entries.keys.sorted()
        #expect(serials.count(where: { $0.allSatisfy(\.isNumber) }) == 161)
        var android = AndroidCase()
        android.status = list
        #expect(android.refusal == nil)
        for serial in serials {
            let padded = serial.count % 2 == 0 ? serial : "0" + serial
            let digits = Array(padded)
            let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16)! }
            android.mint.editAttestation = { $0.serial = bytes[0] & 0x80 == 0 ? bytes : [0] + bytes }
            #expect(android.refusal == .revoked, "\(serial)")
        }
    }
}
