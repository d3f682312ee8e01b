import Crypto
import Foundation
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

@Suite struct VerifyingKeyTests {
    let key = TestKey()

    @Test func aSignatureHasOneFormForEachOfItsTwoWaysToBeWritten() throws {
        let message = Array("message".utf8)
        let signature = try key.key.signature(for: message)
        let (raw, der) = (Array(signature.rawRepresentation), Array(signature.derRepresentation))
        #expect(key.verifying.isValid(raw, for: message) && key.verifying.isValid(der: der, for: message))
        #expect(!key.verifying.isValid(der, for: message) && !key.verifying.isValid(der: raw, for: message))
        #expect(!key.verifying.isValid(der: der, for: message + [0]))
        #expect(!TestKey().verifying.isValid(der: der, for: message))
        #expect(!key.verifying.isValid(der: der + [0], for: message), "nothing follows")
        let long = [0x30, 0x81] + der.dropFirst()
        #expect(!key.verifying.isValid(der: long, for: message), "a length in its long form is BER")
        #expect(!key.verifying.isValid(der: [], for: message))
    }

    @Test func aKeySetGivesOnlyKeysOfWhichEachHasItsOwnId() throws {
        let (one, two) = (TestKey(), TestKey())
        func jwk(_ key: TestKey, _ kid: String?, use: String = "sig", alg: String = "ES256") -> JWK {
            let point = key.verifying.x963
            return JWK(x: Array(point[1..<33]), y: Array(point[33...]), kid: kid, use: use, alg: alg)
        }
        let both = JWKS(keys: [jwk(one, "1"), jwk(two, "2")])
        #expect(both.byKid == ["1": one.verifying, "2": two.verifying])
        let ambiguous = JWKS(keys: [jwk(one, "1"), jwk(two, "1"), jwk(two, "2")])
        #expect(ambiguous.byKid == ["2": two.verifying])
        let others = JWKS(keys: [jwk(one, nil), jwk(one, "e", use: "enc"), jwk(two, "a", alg: "ES384"), jwk(two, "2")])
        #expect(others.byKid == ["2": two.verifying])
    }

    @Test func everyEncodingGivesTheSameKey() throws {
        let jwk = key.verifying
        #expect(try VerifyingKey(x963: Array(key.key.publicKey.x963Representation)) == jwk)
        #expect(try VerifyingKey(spki: key.key.publicKey.pemRepresentation) == jwk)
        #expect(try VerifyingKey(spki: key.key.publicKey.derRepresentation.base64EncodedString()) == jwk)
        #expect(jwk.thumbprint.count == 43)
    }

    @Test func whatIsNoP256KeyIsRefused() {
        let point = Array(key.key.publicKey.x963Representation)
        var offCurve = point
        offCurve[64] ^= 1
        #expect(refusal { _ = try VerifyingKey(x963: offCurve) } == .unacceptableKey)
        #expect(refusal { _ = try VerifyingKey(x963: Array(key.key.publicKey.compressedRepresentation)) } == .unacceptableKey)
        #expect(refusal { _ = try VerifyingKey(x963: [UInt8](repeating: 0, count: 65)) } == .unacceptableKey)
        #expect(refusal { _ = try VerifyingKey(spki: P384.Signing.PrivateKey().publicKey.pemRepresentation) } == .unacceptableKey)
        #expect(refusal { _ = try VerifyingKey(spki: key.key.pemRepresentation) } == .unacceptableKey)
        #expect(refusal { _ = try VerifyingKey(spkiDER: Array(key.key.publicKey.derRepresentation) + [0]) } == .unacceptableKey)
        let jwk = key.jwk
        #expect(refusal { _ = try VerifyingKey(jwk: JWK(x: [1], y: [2])) } == .unacceptableKey)
        #expect(
            refusal { _ = try VerifyingKey(jwk: JWK(x: Base64URL.decode(jwk.x)!, y: Base64URL.decode(jwk.y)!, use: "enc")) }
                == .unacceptableKey)
        #expect(
            refusal { _ = try VerifyingKey(jwk: JWK(x: Base64URL.decode(jwk.x)!, y: Base64URL.decode(jwk.y)!, alg: "ES384")) }
                == .unacceptableKey)
    }
}
