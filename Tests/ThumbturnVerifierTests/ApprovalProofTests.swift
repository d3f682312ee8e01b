import Crypto
import Foundation
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// A proof object holds as a whole or not at all.
@Suite struct ApprovalProofTests {
    /// An approval by one key, with everything that can be told otherwise.
    struct Draft {
        var server = P256.Signing.PrivateKey()
        var device = TestKey()
        var transaction = #"""
            {"payload":{"amount":"12.50","currency":"EUR","payee":{"id":"DE1","name":"Super Store"},"transaction_id":"t-1"},"type":"urn:eudi:sca:payment:1"}
            """#
        /// What was signed, if it was another.
        var signedTransaction: String?
        var demand = ApprovalDemand.oneKey
        var purpose = Purpose.approve
        var act = "approval"
        var issuer = "https://bank.example"
        var kinds = [KeyKind.biometric]
        var signedAt = now + .seconds(10)
        var evidence: String?
        var change: (inout ApprovalReceipt) -> Void = { _ in }
        var changeProof: (ApprovalProof) -> ApprovalProof = { $0 }

        var jwks: JWKS { JWKS(keys: [try! TokenSigner(server).jwk]) }

        func make() throws -> ApprovalProof {
            func txn(_ text: String) -> String { Base64URL.encode(text.utf8) }
            let challenges = Challenges(
                issuer: issuer, audience: issuer, secrets: [ChallengeSecret(id: "1", bytes: [UInt8](repeating: 1, count: 32))])
            let kid = device.verifying.thumbprint
            let challenge = challenges.sign(
                ChallengeClaims(
                    iss: issuer, aud: issuer, jti: "AAAAAAAAAAAAAAAAAAAAAA", iat: now, exp: now + .seconds(120), kids: [kid],
                    cnf: KeyConfirmation(jkt: kid), purpose: purpose, act: act, txn: txn(signedTransaction ?? transaction),
                    demand: demand))
            let proof = device.sign(
                header: #"{"alg":"ES256","kid":"\#(kid)","typ":"thumbturn-proof+jwt"}"#, payload: challenge)
            let hash = Base64URL.encode(SHA256.hash(data: Array(proof.utf8)))
            var receipt = ApprovalReceipt(
                iss: "https://bank.example", aud: "bank", iat: now + .seconds(20), approval: "approval",
                txnHash: Base64URL.encode(SHA256.hash(data: Array(transaction.utf8))),
                approvedBy: kinds.map { kind in
                    .init(
                        account: "a", device: "d", kind: kind, kid: kind == .pin ? "pin.x" : kid, enrolledAt: now,
                        enrolledBy: .credentials, acr: "x", at: signedAt, proofHash: kind == .pin ? nil : hash)
                })
            change(&receipt)
            let signature = ApprovalProof.Signature(
                challenge: challenge, proof: proof, publicKey: device.jwk,
                liveness: evidence?.replacing("NONCE", with: LivenessClaims.nonce(of: challenge)).asJWS(by: device))
            return changeProof(
                ApprovalProof(
                    txn: txn(transaction), signatures: [signature], receipt: try TokenSigner(server).sign(receipt)))
        }

        func fault(_ keys: JWKS?) -> ApprovalProofFault? {
            do {
                _ = try CheckedApproval(json: WireJSON.encode(try make()), keys: keys)
                return nil
            } catch {
                return error as? ApprovalProofFault
            }
        }
    }

    @Test func allOfItHolds() throws {
        let draft = Draft()
        let proof = try draft.make()
        let checked = try CheckedApproval(proof, keys: draft.jwks)
        #expect(checked.hasReceiptSignature && checked.transaction.id == "t-1" && checked.receipt.aud == "bank")
        #expect(try !CheckedApproval(proof, keys: nil).hasReceiptSignature, "and it says what was not checked")
    }

    @Test("a transaction has at most 3 KiB", arguments: [(3072, nil), (3073, ApprovalProofFault.transaction)])
    func largestTransaction(_ length: Int, _ fault: ApprovalProofFault?) {
        var draft = Draft()
        draft.transaction += String(repeating: " ", count: length - draft.transaction.utf8.count)
        #expect(draft.fault(draft.jwks) == fault)
    }

    @Test(
        "whatever is changed is found",
        arguments: [
            ("another transaction signed", ApprovalProofFault.anotherTransaction),
            ("another transaction in the receipt", .anotherTransaction),
            ("unreadable transaction", .transaction), ("sign-in", .challenge), ("another approval", .challenge),
            ("another server", .challenge), ("another key", .signature), ("another proof", .signature),
            ("receipt by another server", .unknownReceiptKey), ("receipt changed", .receiptSignature), ("no receipt", .receipt),
            ("access token as receipt", .receipt), ("another signer", .signers), ("one signature too few", .signers),
            ("signed after it was redeemed", .signers), ("signed before it was asked", .signers), ("signed too late", .signers),
            ("two keys demanded", .demand), ("no evidence", .liveness), ("PIN alone", .nothingToCheck),
            ("nobody", .nothingToCheck),
        ])
    func changed(_ what: String, _ fault: ApprovalProofFault) throws {
        var draft = Draft()
        var keys = draft.jwks
        switch what {
        case "another transaction signed": draft.signedTransaction = draft.transaction.replacing("12.50", with: "1250")
        case "another transaction in the receipt": draft.change = { $0.txnHash = "x" }
        case "unreadable transaction": draft.transaction = draft.transaction.replacing("Super Store", with: "Super\u{202E}erots")
        case "sign-in": draft.purpose = .signIn
        case "another approval": draft.act = "another"
        case "another server": draft.issuer = "https://other.example"
        case "another key":
            draft.changeProof = { proof in
                let old = proof.signatures[0]
                let other = ApprovalProof.Signature(
                    challenge: old.challenge, proof: old.proof, publicKey: TestKey().jwk, liveness: nil)
                return ApprovalProof(txn: proof.txn, signatures: [other], receipt: proof.receipt)
            }
        case "another proof":
            draft.changeProof = { proof in
                let old = proof.signatures[0]
                let broken = String(old.proof.dropLast(4)) + "AAAA"
                let other = ApprovalProof.Signature(
                    challenge: old.challenge, proof: broken, publicKey: old.publicKey, liveness: nil)
                return ApprovalProof(txn: proof.txn, signatures: [other], receipt: proof.receipt)
            }
        case "receipt by another server": keys = Draft().jwks
        case "receipt changed":
            draft.changeProof = { proof in
                let parts = proof.receipt.split(separator: ".")
                let payload = String(decoding: Base64URL.decode(parts[1]) ?? [], as: UTF8.self).replacing(#""a""#, with: #""b""#)
                let receipt = "\(parts[0]).\(Base64URL.encode(payload.utf8)).\(parts[2])"
                return ApprovalProof(txn: proof.txn, signatures: proof.signatures, receipt: receipt)
            }
        case "no receipt":
            draft.changeProof = { ApprovalProof(txn: $0.txn, signatures: $0.signatures, receipt: "") }
        case "access token as receipt":
            draft.changeProof = { proof in
                let parts = proof.receipt.split(separator: ".")
                let header = Base64URL.encode(#"{"alg":"ES256","kid":"1","typ":"at+jwt"}"#.utf8)
                return ApprovalProof(
                    txn: proof.txn, signatures: proof.signatures, receipt: "\(header).\(parts[1]).\(parts[2])")
            }
        case "another signer": draft.change = { $0.approvedBy[0].kid = "x" }
        case "one signature too few": draft.change = { $0.approvedBy.append($0.approvedBy[0]) }
        case "signed after it was redeemed": draft.change = { $0.iat = now + .seconds(9) }
        case "signed before it was asked": draft.signedAt = now + .seconds(-1)
        case "signed too late": draft.change = { ($0.approvedBy[0].at, $0.iat) = (now + .seconds(120), now + .seconds(130)) }
        case "two keys demanded": draft.demand = ApprovalDemand(keys: [.biometric, .pin])!
        case "no evidence": draft.demand = ApprovalDemand(liveness: .substantial)!
        case "PIN alone":
            draft.kinds = [.pin]
            draft.changeProof = { ApprovalProof(txn: $0.txn, signatures: [], receipt: $0.receipt) }
        default: draft.change = { $0.approvedBy = [] }
        }
        #expect(draft.fault(keys) == fault)
    }

    @Test func aKeyThatThePasscodeBroughtShowsThePasscode() throws {
        var draft = Draft()
        draft.demand = ApprovalDemand(keys: [.biometric, .pin])!
        draft.kinds = [.biometric, .pin]
        #expect(draft.fault(draft.jwks) == nil)
        draft.change = { $0.approvedBy[1].enrolledBy = .passcode }
        #expect(draft.fault(draft.jwks) == .demand)
    }

    @Test func theEvidenceIsForThisChallenge() throws {
        var draft = Draft()
        draft.demand = ApprovalDemand(keys: [.biometric, .pin], liveness: .substantial)!
        draft.kinds = [.biometric, .pin]
        draft.evidence = #"{"iss":"v","nonce":"NONCE","level":"substantial","iat":1}"#
        #expect(draft.fault(draft.jwks) == nil)
        draft.evidence = #"{"iss":"v","nonce":"another","level":"substantial","iat":1}"#
        #expect(draft.fault(draft.jwks) == .liveness)
    }

    @Test func whatIsNoProofObjectIsNotRead() {
        for text in ["", "{}", "[]", #"{"txn":"","signatures":[],"receipt":"","more":1}"#] {
            #expect(throws: ApprovalProofFault.unreadable) { _ = try CheckedApproval(json: Array(text.utf8), keys: nil) }
        }
    }

    @Test func aVendorsFileNamesKeysThatThereAre() {
        let key = TestKey().jwk
        func file(_ keys: String, _ more: String = "") -> [UInt8] {
            Array(#"{"vendors":[{"iss":"https://v.example","certified":"high","keys":\#(keys)\#(more)}]}"#.utf8)
        }
        let good = #"[{"kty":"EC","crv":"P-256","x":"\#(key.x)","y":"\#(key.y)","kid":"1"}]"#
        #expect(refusal { _ = try LivenessVendors(json: file(good, #","minimum_score":0.95"#)) } == nil)
        #expect(refusal { _ = try LivenessVendors(json: file(good, #","surprise":1"#)) } == .malformed)
        #expect(refusal { _ = try LivenessVendors(json: file(good.replacing(#","kid":"1""#, with: ""))) } == .unacceptableKey)
        #expect(refusal { _ = try LivenessVendors(json: file(good.replacing(key.x, with: key.y))) } == .unacceptableKey)
        #expect(
            refusal { _ = try LivenessVendors(json: file(good).replacing(Array("high".utf8), with: Array("best".utf8))) }
                == .malformed)
    }
}

extension String {
    fileprivate func asJWS(by key: TestKey) -> String {
        key.sign(header: #"{"alg":"ES256","kid":"1","typ":"liveness+jwt"}"#, payload: self)
    }
}
