import Foundation
import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages
import ThumbturnTestKit
import ThumbturnVerifier

extension Parser {
    /// Every parser of bytes from outside.
    package static let all: [Parser] = [
        json, challengeRequest, jws, challenge, proof, dpop, clientAssertion, form, transaction, approvalRecord, approvalProof,
        policy, unlockPolicy, unlockPolicyFile, policyDocument, scenario, vaultRecord, jwk, publicKeyText, derSignature,
        stepUpHeader, certificate, certificateChain, keyDescription, statusList, cbor, attestationObject, assertionObject,
        tpmPublic, tpmAttest,
    ]

    /// The parser with a name.
    package static func named(_ name: String) -> Parser? { all.first { $0.name == name } }

    // MARK: JSON

    /// Any strict JSON.
    static let json = Parser(
        "json", upTo: StrictJSON.maximumLength,
        examples: [Array(#"{"a":[1,-2.5e3,true,false,null,"\u00e9\ud83d\ude00 é"],"b":{"c":{}}}"#.utf8)],
        hostile: { HostileInput.json($0) },
        accepts: { (try? JSONTree($0)) != nil }
    )

    /// The body of the one route that anyone may call: the request for a challenge, and its issue.
    static let challengeRequest = Parser(
        "challenge-request", upTo: Sample.largestBody,
        examples: [
            Array(#"{"jkt":"\#(Sample.thumbprint)","kids":["\#(Sample.thumbprint)"],"purpose":"sign-in"}"#.utf8),
            Array(
                #"""
                {"act":"new-recipient:EUR:125000","jkt":"\#(Sample.thumbprint)","kids":["\#(Sample.thumbprint)"],\#
                "purpose":"step-up"}
                """#.utf8),
        ],
        hostile: {
            HostileInput.json(
                in: [
                    #"{"jkt":"\#(Sample.thumbprint)","kids":…,"purpose":"sign-in"}"#,
                    #"{"act":…,"jkt":"\#(Sample.thumbprint)","kids":["\#(Sample.thumbprint)"],"purpose":"step-up"}"#,
                    #"{"jkt":…,"kids":["\#(Sample.thumbprint)"],"purpose":"sign-in"}"#,
                ], $0)
        },
        accepts: { bytes in
            guard bytes.count <= Sample.largestBody, let request = try? WireJSON.decode(ChallengeRequest.self, from: bytes)
            else { return false }
            var generator = SeededGenerator(seed: 1)
            return (try? Sample.challenges.issue(request, at: Sample.now, using: &generator)) != nil
        }
    )

    /// A step-up policy, as operators write it.
    static let policy = Parser(
        "policy", upTo: StepUpTable.largestFile,
        examples: [
            Array(
                #"""
                {"format":"thumbturn-policy/1","preset":"standard","actions":{"pay":{"max_age":0,"keys":["biometric"],\#
                "thresholds":[{"currency":"EUR","above":100000,"one_of":["two-keys"]}]}}}
                """#.utf8),
            Array(#"{"format":"thumbturn-policy/1","preset":"regulated"}"#.utf8),
        ],
        hostile: { size in
            let start = #"{"format":"thumbturn-policy/1","actions":{"#
            let rules = (0..<256).map { index in
                let name = String(repeating: "x", count: 61) + String(String(0x1000 + index, radix: 16).dropFirst())
                return #""\#(name)":{"max_age":0}"#
            }
            return HostileInput.json(
                in: [
                    #"{"format":"thumbturn-policy/1","actions":…}"#,
                    #"{"format":"thumbturn-policy/1","actions":{"pay":{"max_age":0,"keys":…}}}"#,
                    #"{"format":"thumbturn-policy/1","actions":{"pay":{"max_age":0,"thresholds":…}}}"#,
                ], size) + [
                    HostileInput(
                        "as many actions as allowed", String((start + rules.joined(separator: ",") + "}}").prefix(size)))
                ]
        },
        accepts: { (try? StepUpTable(json: $0)) != nil }
    )

    /// An unlock policy, as a server sends it to an app.
    static let unlockPolicy = Parser(
        "unlock-policy", upTo: UnlockPolicy.longest,
        examples: [
            Array(
                #"""
                {"ladder":["biometric","appPIN","fullCredentials"],"hint_after":6000,"delays":{"limit":3},"reuse":60000}
                """#.utf8)
        ],
        hostile: {
            HostileInput.json(
                in: [
                    #"{"ladder":…}"#, #"{"ladder":["biometric","fullCredentials"],"hint_after":…}"#,
                    #"{"ladder":["biometric","fullCredentials"],"delays":{"limit":…}}"#,
                ], $0)
        },
        accepts: { (try? UnlockPolicy(json: $0)) != nil }
    )

    /// What an operator gives devices in place of their apps' own policies.
    static let unlockPolicyFile = Parser(
        "unlock-policy-file", upTo: UnlockPolicyFile.largest,
        examples: [
            Array(
                #"""
                {"format":"thumbturn-unlock-policies/1","version":7,"policies":{"unlock":{"experiment":{"name":"hint","arms":[\#
                {"name":"usual","weight":3,"policy":{"ladder":["fullCredentials"]}},\#
                {"name":"early","weight":1,"policy":{"ladder":["fullCredentials"],"hint_after":6000}}]}}}}
                """#.utf8)
        ],
        hostile: {
            HostileInput.json(
                in: [
                    #"{"format":"thumbturn-unlock-policies/1","version":7,"policies":…}"#,
                    #"{"format":"thumbturn-unlock-policies/1","version":…,"policies":{}}"#,
                ], $0)
        },
        accepts: { (try? UnlockPolicyFile(json: $0)) != nil }
    )

    /// The claims of what a server gives its devices.
    static let policyDocument = Parser(
        "policy-document", upTo: CompactJWS.largest,
        examples: [
            Array(
                #"""
                {"exp":1790604800,"iat":1790000000,"iss":"https://login.example",\#
                "policies":{"unlock":{"policy":{"ladder":["fullCredentials"]}}},"ver":7}
                """#.utf8)
        ],
        hostile: {
            HostileInput.json(
                in: [
                    #"{"exp":1790604800,"iat":1790000000,"iss":"https://login.example","policies":…,"ver":7}"#,
                    #"{"exp":1790604800,"iat":1790000000,"iss":…,"policies":{},"ver":7}"#,
                ], $0)
        },
        accepts: { $0.count <= CompactJWS.largest && (try? StrictJSON.decode(PolicyDocument.self, from: $0)) != nil }
    )

    /// A story of an unlock.
    static let scenario = Parser(
        "scenario", upTo: Scenario.longest,
        examples: [Array(Sample.scenario.utf8)],
        hostile: {
            HostileInput.json(
                in: [
                    Sample.scenario.replacing(#""pains":[1]"#, with: #""pains":…"#),
                    Sample.scenario.replacing(#""effects":[]"#, with: #""effects":…"#),
                    Sample.scenario.replacing(#""events":[]"#, with: #""events":…"#),
                    Sample.scenario.replacing(#""policy":"unlock""#, with: #""policy":…"#),
                    Sample.scenario.replacing(#""biometry":"notEnrolled""#, with: #""biometry":{"none":…}"#),
                ], $0)
        },
        accepts: { (try? Scenario(json: $0)) != nil }
    )

    /// The stored part of a vault.
    static let vaultRecord = Parser(
        "vault-record", upTo: StrictJSON.maximumLength,
        examples: [
            Array(
                #"""
                {"access":"userPresence","box":"AAAA","names":["\#(Sample.thumbprint)"],\#
                "rungs":["biometric","devicePasscode"]}
                """#.utf8)
        ],
        hostile: {
            HostileInput.json(
                in: [
                    #"{"access":"userPresence","box":"","names":…,"rungs":["biometric"]}"#,
                    #"{"access":"userPresence","box":…,"names":[],"rungs":["biometric"]}"#,
                    #"{"access":"userPresence","box":"","names":[],"rungs":…}"#,
                ], $0)
        },
        accepts: { VaultRecord($0) != nil }
    )

    // MARK: Approvals

    /// A transaction, as a back end sends it and as a device shows it.
    static let transaction = Parser(
        "transaction", upTo: ApprovalTransaction.largest,
        examples: Sample.transactions.map { Array($0.utf8) },
        hostile: {
            HostileInput.json(
                in: [
                    #"{"type":"urn:eudi:sca:payment:1","payload":…}"#,
                    Sample.transactions[0].replacing(#""Super Store""#, with: "…"),
                    Sample.transactions[0].replacing(#""12.50""#, with: "…"),
                ], $0)
        },
        accepts: { bytes in
            bytes.count <= ApprovalTransaction.largest && (try? StrictJSON.decode(ApprovalTransaction.self, from: bytes)) != nil
        }
    )

    /// An approval, as the server sends it to the device that shows it.
    static let approvalRecord = Parser(
        "approval-record", upTo: TransportRequest.usualLongestAnswer,
        examples: Sample.transactions.map { Array(Sample.approval(of: $0).utf8) },
        hostile: {
            let record = Sample.approval(of: Sample.transactions[0])
            return HostileInput.json(
                in: [
                    record.replacing(#""a shop""#, with: "…"), record.replacing(#""\#(Sample.approvalID)""#, with: "…"),
                    record.replacing(#""state":"open""#, with: #""state":…"#),
                ], $0)
        },
        accepts: { bytes in
            guard bytes.count <= TransportRequest.usualLongestAnswer,
                let record = try? StrictJSON.decodeIgnoringUnknown(ApprovalRecord.self, from: bytes)
            else { return false }
            return Approval(record) != nil
        }
    )

    /// The proof object of an approval, which anyone may hand to an auditor.
    static let approvalProof = Parser(
        "approval-proof", upTo: StrictJSON.maximumLength,
        examples: [],
        hostile: {
            HostileInput.json(
                in: [#"{"receipt":"","signatures":…,"txn":""}"#, #"{"receipt":…,"signatures":[],"txn":""}"#], $0)
        },
        accepts: { (try? CheckedApproval(json: $0, keys: nil)) != nil }
    )

    // MARK: JOSE

    /// Any compact JWS, split and decoded.
    static let jws = Parser(
        "jws", upTo: CompactJWS.largest,
        examples: [Array(Sample.jws("{}", "{}").utf8)],
        hostile: { HostileInput.jws(header: "{}", claims: [], $0) },
        accepts: { CompactJWS(text($0)) != nil }
    )

    /// A challenge: its claims as the device reads them, and the whole as the server verifies it.
    static let challenge = Parser(
        "challenge", upTo: CompactJWS.largest,
        examples: [Array(Sample.challenge.utf8)],
        hostile: {
            HostileInput.jws(
                header: #"{"alg":"HS256","kid":"1","typ":"thumbturn-challenge+jwt"}"#,
                claims: [
                    #"{"aud":"a","cnf":{"jkt":"a"},"exp":1,"iat":0,"iss":"a","jti":"a","kids":…,"purpose":"sign-in"}"#,
                    #"{"aud":"a","cnf":…,"exp":1,"iat":0,"iss":"a","jti":"a","kids":["a"],"purpose":"sign-in"}"#,
                ], $0)
        },
        accepts: { bytes in
            let text = text(bytes)
            let isVerified = (try? Sample.challenges.verify(text, for: .signIn, at: Sample.now)) != nil
            guard let jws = CompactJWS(text), (try? StrictJSON.decode(ChallengeClaims.self, from: jws.payload)) != nil else {
                precondition(!isVerified, "the device reads every challenge that the server issues")
                return false
            }
            return true
        }
    )

    /// A proof, and the challenge in it.
    static let proof = Parser(
        "proof", upTo: CompactJWS.largest,
        examples: [Array(Sample.jws(#"{"alg":"ES256","kid":"a","typ":"thumbturn-proof+jwt"}"#, Sample.challenge).utf8)],
        hostile: { HostileInput.jws(header: #"{"alg":"ES256","kid":"a","typ":"thumbturn-proof+jwt"}"#, claims: [], $0) },
        accepts: { bytes in
            let text = text(bytes)
            let challenge = UnverifiedProof.challenge(in: text)
            guard let proof = try? UnverifiedProof(text) else { return false }
            precondition(challenge == proof.challenge, "the challenge that is consumed is the one that is judged")
            return true
        }
    )

    /// The header `DPoP` of a request.
    static let dpop = Parser(
        "dpop", upTo: CompactJWS.largest,
        examples: [Array(Sample.dpop.utf8)],
        hostile: {
            HostileInput.jws(
                header: Sample.dpopHeader,
                claims: [
                    #"{"htm":"POST","htu":…,"iat":1000,"jti":"12345678","nonce":"n"}"#,
                    #"{"htm":"POST","htu":"https://bank.example/v1/token","iat":1000,"jti":…,"nonce":"n"}"#,
                    #"{"htm":"POST","htu":"https://bank.example/v1/token","iat":…,"jti":"12345678","nonce":"n"}"#,
                ], $0)
        },
        accepts: { bytes in
            (try? DPoPProof(text(bytes), for: Sample.request, fresh: .nonce(isLive: { $0 == "n" }))) != nil
        }
    )

    /// A back end's assertion. Its decoding alone: the signature is judged afterwards.
    static let clientAssertion = Parser(
        "client-assertion", upTo: CompactJWS.largest,
        examples: [
            Array(
                Sample.jws(
                    #"{"alg":"ES256","typ":"JWT"}"#,
                    #"{"aud":["https://bank.example"],"exp":1060,"iat":1000,"iss":"shop","jti":"12345678","sub":"shop"}"#
                ).utf8)
        ],
        hostile: {
            HostileInput.jws(
                header: #"{"alg":"ES256"}"#,
                claims: [#"{"aud":…,"exp":1060,"iat":1000,"iss":"shop","jti":"12345678","sub":"shop"}"#], $0)
        },
        accepts: { (try? ClientAssertion(text($0))) != nil }
    )

    // MARK: Forms, keys and headers

    /// A form, as OAuth's endpoints take it.
    static let form = Parser(
        "form", upTo: Sample.largestBody,
        examples: [Array("grant_type=urn%3Athumbturn%3Agrant-type%3Aproof&proof=a.b.c&act=pay+now".utf8)],
        hostile: { HostileInput.form($0) },
        accepts: { $0.count <= Sample.largestBody && Form($0) != nil }
    )

    /// A public key as JSON, and whether it lies on the curve.
    static let jwk = Parser(
        "jwk", upTo: StrictJSON.maximumLength,
        examples: [Array(Sample.jwk.utf8)],
        hostile: { HostileInput.json(in: [#"{"crv":"P-256","kty":"EC","x":…,"y":"AAAA"}"#], $0) },
        accepts: { bytes in
            guard let jwk = try? WireJSON.decode(JWK.self, from: bytes) else { return false }
            return (try? VerifyingKey(jwk: jwk)) != nil
        }
    )

    /// A public key as PEM, or DER in base64.
    static let publicKeyText = Parser(
        "spki", upTo: VerifyingKey.largestSPKI,
        examples: [Array(Sample.pem.utf8)],
        hostile: { HostileInput.keys($0) },
        accepts: { (try? VerifyingKey(spki: text($0))) != nil }
    )

    /// A signature in DER.
    static let derSignature = Parser(
        "der-signature", upTo: 72,
        examples: [Sample.derSignature],
        hostile: { HostileInput.der($0) },
        accepts: { Sample.key.isValid(der: $0, for: Sample.message) }
    )

    /// The header `WWW-Authenticate` of a resource server.
    static let stepUpHeader = Parser(
        "step-up-header", upTo: 4096,
        examples: [
            Array(
                #"""
                DPoP error="insufficient_user_authentication", max_age="120", acr_values="a b", action="pay:EUR:1", \#
                algs="ES256"
                """#.utf8)
        ],
        hostile: { HostileInput.parameters($0) },
        accepts: { StepUpChallenge(text($0)) != nil }
    )

    /// The bytes as text. What is not UTF-8 becomes U+FFFD, as in the header of a request.
    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
