import Crypto
import Foundation
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

@Suite struct ProofTests {
    let key = TestKey()
    var header: String { #"{"alg":"ES256","kid":"\#(key.verifying.thumbprint)","typ":"thumbturn-proof+jwt"}"# }

    @Test func aProofIsTheChallengeSigned() throws {
        let proof = try UnverifiedProof(key.sign(header: header, payload: "the challenge"))
        #expect(proof.challenge == "the challenge" && proof.kid == key.verifying.thumbprint)
        #expect(refusal { try proof.verify(by: key.verifying) } == nil)
        #expect(refusal { try proof.verify(by: TestKey().verifying) } == .wrongSignature)
    }

    @Test func badProofs() throws {
        let good = key.sign(header: header, payload: "c")
        let parts = good.split(separator: ".").map(String.init)
        let kid = key.verifying.thumbprint
        let table: [(String, String, VerificationError)] = [
            ("truncated", String(good.dropLast(2)), .wrongSignature),
            ("empty signature", parts[0] + "." + parts[1] + ".", .malformed),
            (
                "alg none", key.sign(header: #"{"alg":"none","kid":"\#(kid)","typ":"thumbturn-proof+jwt"}"#, payload: "c"),
                .wrongAlgorithm
            ),
            (
                "alg HS256", key.sign(header: #"{"alg":"HS256","kid":"\#(kid)","typ":"thumbturn-proof+jwt"}"#, payload: "c"),
                .wrongAlgorithm
            ),
            (
                "alg es256", key.sign(header: #"{"alg":"es256","kid":"\#(kid)","typ":"thumbturn-proof+jwt"}"#, payload: "c"),
                .wrongAlgorithm
            ),
            ("a token's type", key.sign(header: #"{"alg":"ES256","kid":"\#(kid)","typ":"at+jwt"}"#, payload: "c"), .wrongType),
            ("no type", key.sign(header: #"{"alg":"ES256","kid":"\#(kid)"}"#, payload: "c"), .malformed),
            (
                "a key inside",
                key.sign(header: #"{"alg":"ES256","kid":"\#(kid)","typ":"thumbturn-proof+jwt","jwk":{}}"#, payload: "c"),
                .malformed
            ),
            (
                "crit",
                key.sign(header: #"{"alg":"ES256","crit":["b64"],"kid":"\#(kid)","typ":"thumbturn-proof+jwt"}"#, payload: "c"),
                .malformed
            ),
            (
                "alg twice",
                key.sign(header: #"{"alg":"ES256","alg":"none","kid":"\#(kid)","typ":"thumbturn-proof+jwt"}"#, payload: "c"),
                .malformed
            ),
            ("a challenge that is not ASCII", key.sign(header: header, payload: "ch\u{E9}"), .malformed),
            (
                "kid is a number", key.sign(header: #"{"alg":"ES256","kid":1,"typ":"thumbturn-proof+jwt"}"#, payload: "c"),
                .malformed
            ),
        ]
        for (name, text, expected) in table {
            let outcome = refusal { try UnverifiedProof(text).verify(by: key.verifying) }
            #expect(outcome == expected, "\(name)")
        }
    }

    @Test func aChallengeIsFoundInAProofThatIsMalformedOtherwise() {
        func found(_ text: String) -> String? { UnverifiedProof.challenge(in: text) }
        func encoded(_ bytes: [UInt8]) -> String { Base64URL.encode(bytes) }
        let (one, two) = (encoded(Array("one".utf8)), encoded(Array("two".utf8)))
        #expect(found("x.\(one)") == "one" && found("x.\(one).\(two).x.x") == "one")
        #expect(found(".\(one).\(two)") == "one", "an empty part is a part")
        #expect(found("x..\(two)") == "")
        #expect(found("") == nil && found(one) == nil && found("x.!") == nil)
        #expect(found("x." + encoded([0x7F])) == "\u{7F}")
        #expect(found("x." + encoded([0x80])) == nil, "a challenge is ASCII")
    }

    @Test func aSignatureIsRawAndHasOneLength() throws {
        let message: [UInt8] = [1, 2, 3]
        let signature = try key.key.signature(for: message)
        #expect(key.verifying.isValid(Array(signature.rawRepresentation), for: message))
        #expect(!key.verifying.isValid(Array(signature.derRepresentation), for: message))
        #expect(!key.verifying.isValid(Array(signature.rawRepresentation) + [0], for: message))
        #expect(!key.verifying.isValid([], for: message))
    }
}
