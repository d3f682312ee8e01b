#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice

/// The value that App Attest evidence is bound to, and the encoding of the evidence.
@Suite struct BoundValueTests {
    private static let keys = [1, 3, 5].map { (n: UInt8) in
        PublicKey(x963: [4] + Array(repeating: n, count: 32) + Array(repeating: n + 1, count: 32))!
    }
    private static let challenge = "eyJ.eyJ.c2ln"

    /// The expected value was computed by another program: SHA-256 of the challenge and the three sorted thumbprints.
    @Test func theBoundValueIsTheExpectedHash() {
        let known = "235f97dca0d98b4b3f27bc60872dc60184a6cae37ca1515c6b4f535c354e0fcc"
        for keys in [Self.keys, Self.keys.reversed()] {
            let value = Signing.boundValue(challenge: Self.challenge, keys: keys)
            #expect(value.map { String(format: "%02x", $0) }.joined() == known)
        }
    }

    @Test func anotherChallengeOrKeySetChangesTheBoundValue() {
        let value = Signing.boundValue(challenge: Self.challenge, keys: Self.keys)
        #expect(Signing.boundValue(challenge: Self.challenge + "n", keys: Self.keys) != value)
        #expect(Signing.boundValue(challenge: Self.challenge, keys: Self.keys.dropLast()) != value)
    }

    @Test func evidenceNamesItsFormatAndOtherFormatsAreRefused() throws {
        let evidence = AppAttestEvidence(keyID: "id", attestation: [1], attestedValue: [2], assertion: [3])
        let text = String(decoding: Signing.encode(evidence), as: UTF8.self)
        #expect(text == #"{"assertion":"Aw","attestation":"AQ","attested_value":"Ag","format":"apple-appattest","key_id":"id"}"#)
        let read = { try StrictJSON.decode(AppAttestEvidence.self, from: Array(($0 as String).utf8)) }
        #expect(try read(text) == evidence)
        #expect(throws: JSONError.self) { try read(text.replacing("apple-appattest", with: "android-key")) }
        #expect(throws: JSONError.self) { try read(text.replacing("{", with: #"{"more":1,"#)) }
    }
}
#endif
