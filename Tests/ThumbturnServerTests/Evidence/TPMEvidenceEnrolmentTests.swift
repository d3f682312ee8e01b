#if Tools
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnLoad
import ThumbturnMessages
import ThumbturnTestKit
import ThumbturnVerifier
@testable import ThumbturnServer

/// Evidence of a TPM, from the server's credential to what its tokens say.
@Suite struct TPMEvidenceEnrolmentTests {
    typealias Attempt = EnrolmentTests.Attempt

    static let tpm = SimulatedTPM()

    static func policy(_ kind: TPMRoot.Kind = .chips, trustsMatcher: Bool = true) throws -> EvidencePolicy {
        var policy = EvidencePolicy(withoutEvidence: .lower)
        policy.tpm = TPMPolicy(
            roots: [TPMRoot(try TrustAnchor(certificate: tpm.mint.authority.certificate), kind: kind)],
            matchers: trustsMatcher ? [try VerifyingKey(tpm.matcher).thumbprint] : [])
        policy.digest = "policy of \(kind)"
        return policy
    }

    static func run(
        _ policy: EvidencePolicy, _ story: @escaping @Sendable (LiveServer) async throws -> Void
    ) async throws {
        try await LiveServer.run(configure: { $0.evidence = EvidenceRules(policy) }, story)
    }

    static func device(_ live: LiveServer, _ source: any EvidenceSource = tpm) throws -> Authenticator {
        var platform = SimulatedPhone().platform()
        platform.evidence = source
        return try Authenticator(server: URL(string: live.url)!, platform: platform)
    }

    static func enrol(_ device: Authenticator, _ ifExists: Authenticator.IfExists = .keep) async throws {
        try await device.enrol(with: EvidenceEnrolmentTests.signIn, policy: ladder, ifExists: ifExists)
    }

    static let ladder = UnlockPolicy(ladder: [.biometric, .fullCredentials])

    static func acr(_ device: Authenticator) async throws -> String {
        _ = try await device.authenticate("Unlock", policy: ladder)
        return try await device.me().acr
    }

    static func stored(_ live: LiveServer) async throws -> [StoredEvidence] {
        try await live.service.store.evidence(after: nil, atMost: 10)
    }

    // MARK: What it raises

    @Test func aChipAndATrustedMatcherAreAttestedHardwareWithABiometric() async throws {
        try await Self.run(try Self.policy()) { live in
            let device = try Self.device(live)
            try await Self.enrol(device)
            #expect(try await Self.acr(device) == "urn:thumbturn:acr:attestedHardware:biometric")
            let stored = try await Self.stored(live)
            #expect(stored.count == 1 && stored[0].verdict.policy == "policy of chips")
            #expect(
                Set(stored[0].verdict.keys.values) == [
                    Assurance(protection: .attestedHardware, verification: .none),
                    Assurance(protection: .attestedHardware, verification: .biometric),
                ])
            // A new biometric key brings evidence of its own, by another credential.
            try await device.replaceBiometricKey(with: EvidenceEnrolmentTests.signIn, policy: Self.ladder)
            #expect(try await Self.acr(device) == "urn:thumbturn:acr:attestedHardware:biometric")
            #expect(try await Self.stored(live).count == 2)
        }
    }

    @Test("less is proved where less is trusted", arguments: ["another matcher", "a program", "an open key"])
    func lower(_ what: String) async throws {
        var policy = try Self.policy(what == "a program" ? .programs : .chips, trustsMatcher: what != "another matcher")
        if what == "a program" { policy.tpm?.minimum = .software }
        try await Self.run(policy) { live in
            var tpm = Self.tpm
            tpm.guardsBiometricKeys = what != "an open key"
            let device = try Self.device(live, tpm)
            guard what != "an open key" else {
                await expectFailure(.refused) { try await Self.enrol(device) }
                #expect(try live.auditRows().contains { $0.contains("enrolment evidence_wrong_authentication") })
                return
            }
            try await Self.enrol(device)
            let level =
                switch what {
                case "a program": "software:biometric"
                default: "attestedHardware:none"
                }
            #expect(try await Self.acr(device) == "urn:thumbturn:acr:\(level)")
        }
    }

    @Test func aServerThatJudgesNoTPMsHasNoCredential() async throws {
        try await Self.run(.nothing) { live in
            let answer = try await Asked.credential(live, of: Self.tpm, by: try await Attempt(live))
            #expect(answer.status == 404 && answer.kind == "not-found")
            let device = try Self.device(live)
            try await Self.enrol(device)
            #expect(try await Self.acr(device) == "urn:thumbturn:acr:software:none", "the device enrols without evidence")
        }
    }

    // MARK: The credential

    @Test(
        "a credential is made for a trusted chain alone, and nothing is kept of it",
        arguments: ["good", "another root", "eleven certificates", "no chain", "no attestation key", "damaged"])
    func credential(_ what: String) async throws {
        try await Self.run(try Self.policy()) { live in
            let foreign = SimulatedTPM(under: .root(named: "My own"))
            let good = TPMActivationRequest(
                endorsement: Self.tpm.mint.chain, attestationKey: Self.tpm.mint.attestationKey.bytes)
            let request =
                switch what {
                case "another root":
                    TPMActivationRequest(endorsement: foreign.mint.chain, attestationKey: good.attestationKey)
                case "eleven certificates":
                    TPMActivationRequest(
                        endorsement: Array(repeating: good.endorsement[0], count: 11), attestationKey: good.attestationKey)
                case "no chain": TPMActivationRequest(endorsement: [], attestationKey: good.attestationKey)
                case "no attestation key":
                    TPMActivationRequest(
                        endorsement: good.endorsement,
                        attestationKey: MintedTPMPublic(x963: Self.tpm.matcher.x963, attributes: MintedTPMPublic.open).bytes)
                case "damaged":
                    TPMActivationRequest(endorsement: good.endorsement, attestationKey: Array(good.attestationKey.dropLast()))
                default: good
                }
            let rows = try live.auditRows().count
            let attempt = try await Attempt(live)
            let answer = try await Asked.credential(request, by: attempt)
            if what == "good" {
                let credential = try answer.read(TPMActivationAnswer.self)
                #expect(credential.expiresIn == 300)
                #expect(
                    Self.tpm.mint.activate(idObject: credential.idObject, encryptedSeed: credential.encryptedSeed)?.count == 32)
            } else {
                #expect(answer.status == 401 && answer.kind == "verification-failed", "\(answer.text)")
            }
            #expect(try live.auditRows().count == rows)
            let unsigned = try await Asked.credential(request, by: attempt, signed: false)
            #expect(unsigned.status == 400, "\(unsigned.text)")
        }
    }

    @Test(
        "evidence that does not fit refuses the whole enrolment",
        arguments: [
            ("good", nil), ("token of another session key", "wrong_credential"), ("expired token", "wrong_credential"),
            ("no token", "wrong_credential"), ("changed token", "wrong_credential"), ("wrong secret", "wrong_credential"),
            ("another TPM's statements", "wrong_credential"),
            ("another TPM's certificate", "wrong_credential"), ("evidence for other keys", "wrong_challenge"),
            ("a key left out", "wrong_key"), ("another challenge", "wrong_challenge"), ("another root", "untrusted_root"),
        ] as [(String, String?)])
    func refused(_ what: String, _ reason: String?) async throws {
        try await Self.run(try Self.policy()) { live in
            let (attempt, other) = (try await Attempt(live), try await Attempt(live))
            let (otherChallenge, _) = try await other.device.challenge(
                .enrol, [other.device.sessionKid, other.device.kid], over: other.connection)
            var (own, near) = (Self.tpm, SimulatedTPM(under: Self.tpm.mint.authority))
            if what == "wrong secret" { own.secret = [UInt8](repeating: 7, count: 32) }
            near.counter = own.counter
            let (tpm, sibling) = (own, near)
            let asker = what == "token of another session key" ? other : attempt
            let early = what == "expired token" ? try await Asked.credential(live, of: tpm, by: attempt).body : nil
            if early != nil { live.clock.advance(by: .seconds(300)) }
            let answer = try await attempt.enrol { device, challenge in
                let subject = what == "evidence for other keys" ? other.device : device
                let bound = what == "another challenge" ? otherChallenge : challenge
                let made = try await Asked.evidence(tpm, subject, bound) {
                    if let early { return early }
                    return try await Asked.credential(live, of: tpm, by: asker).body
                }
                let fromSibling = try await Asked.evidence(sibling, subject, bound) {
                    try await Asked.credential(live, of: sibling, by: asker).body
                }
                var (endorsement, attestationKey, token, keys) = (made.endorsement, made.attestationKey, made.token, made.keys)
                switch what {
                case "no token": token = ""
                case "changed token": token = token.dropLast(5) + (token.hasSuffix("AAAAA") ? "BBBBB" : "AAAAA")
                case "a key left out": keys[.session] = nil
                case "another root": endorsement = SimulatedTPM(under: .root(named: "My own")).mint.chain
                // One TPM opened the credential, and another one attests.
                case "another TPM's statements": (attestationKey, keys) = (fromSibling.attestationKey, fromSibling.keys)
                case "another TPM's certificate": endorsement = fromSibling.endorsement
                default: break
                }
                return .tpm(
                    TPMKeyEvidence(
                        endorsement: endorsement, attestationKey: attestationKey, token: token, secret: made.secret, keys: keys))
            }
            guard let reason else {
                #expect(answer.status == 201, "\(answer.text)")
                return
            }
            #expect(answer.status == 401 && answer.kind == "verification-failed", "one neutral answer: \(answer.text)")
            #expect(try await live.server.devices(ofAccountNamed: "ada").isEmpty)
            #expect(try await Self.stored(live).isEmpty)
            let rows = try live.auditRows()
            #expect(rows.contains { $0.contains("\"reason\":\"enrolment evidence_\(reason)\"") }, "\(rows)")
        }
    }

    @Test func aTokenIsGoodOnce() async throws {
        try await Self.run(try Self.policy()) { live in
            let attempt = try await Attempt(live)
            let credential = try await Asked.credential(live, of: Self.tpm, by: attempt).body
            func enrol(_ credential: [UInt8]) async throws -> LoadConnection.Answer {
                try await attempt.enrol(ifEnrolled: .replace) { device, challenge in
                    .tpm(try await Asked.evidence(Self.tpm, device, challenge) { credential })
                }
            }
            #expect(try await enrol(credential).status == 201)
            let again = try await enrol(credential)
            #expect(again.status == 401 && again.kind == "verification-failed", "\(again.text)")
            let fresh = try await enrol(try await Asked.credential(live, of: Self.tpm, by: attempt).body)
            #expect(fresh.status == 201, "\(fresh.text)")
        }
    }

    @Test func aTokenLivesFiveMinutesAndIsOfThisServerAlone() async throws {
        try await Self.run(try Self.policy()) { live in
            let (activations, now) = (live.service.activations, live.clock.now)
            let expectation = try #require(TPMCredential.Expectation(digest: [UInt8](repeating: 1, count: 32)))
            let token = activations.issue(expectation, jkt: "jkt", at: now)
            let activation = try activations.verify(token, at: now + .seconds(299))
            #expect(activation.expectation == expectation && activation.jkt == "jkt")
            #expect(activation.spend.use == .tpmActivation && activation.spend.expiresAt == now + .seconds(300))
            #expect(throws: VerificationError.expired) { try activations.verify(token, at: now + .seconds(300)) }
            #expect(throws: VerificationError.wrongSignature) { try activations.verify(token + "AAAA", at: now) }
            // A ticket of the same server, and a token of another server with the same secrets.
            let ticket = live.service.tickets.issue(
                to: .random(), generation: 0, jkt: "jkt", freshness: .fresh, at: now, lifetime: .seconds(300))
            #expect(throws: VerificationError.malformed) { try activations.verify(ticket, at: now) }
            #expect(throws: VerificationError.malformed) { try live.service.tickets.verify(token, jkt: "jkt", at: now) }
            let elsewhere = TPMActivations(issuer: "https://other.example", secrets: live.service.secrets.current)
            #expect(throws: VerificationError.wrongIssuer) {
                try activations.verify(elsewhere.issue(expectation, jkt: "jkt", at: now), at: now)
            }
            #expect(TPMCredential.Expectation(digest: []) == nil)
        }
    }

    // MARK: Judged anew

    @Test func whatWasProvedIsJudgedAnewWithoutTheTPM() async throws {
        try await Self.run(try Self.policy()) { live in
            let device = try Self.device(live)
            try await Self.enrol(device)
            // The token is long over, and its use is purged.
            live.clock.advance(by: .seconds(4000))
            try await live.service.tidy()
            #expect(try await live.service.judgeAnew(by: try Self.policy()).lowered == 0)
            #expect(try await Self.acr(device) == "urn:thumbturn:acr:attestedHardware:biometric")

            var policy = try Self.policy(trustsMatcher: false)
            #expect(try await live.service.judgeAnew(by: policy).lowered == 1)
            #expect(try await Self.acr(device) == "urn:thumbturn:acr:attestedHardware:none")

            policy.tpm?.roots = []
            #expect(try await live.service.judgeAnew(by: policy).lowered == 1)
            #expect(try await Self.stored(live)[0].verdict.refusal == "untrusted_root")
            #expect(try await Self.acr(device) == "urn:thumbturn:acr:software:none")
            #expect(try await live.service.judgeAnew(by: try Self.policy()).judged == 1)
            #expect(try await Self.acr(device) == "urn:thumbturn:acr:attestedHardware:biometric")
        }
    }

    // MARK: The policy file and the message

    @Test func thePolicyFileNamesRootsMatchersAndTheMinimum() throws {
        let thumbprint = try VerifyingKey(Self.tpm.matcher).thumbprint
        func read(_ tpm: String) throws -> EvidencePolicy {
            let text = #"{"format": "thumbturn-evidence/1", "without_evidence": "lower", "tpm": \#(tpm)}"#
            return try EvidencePolicy(json: Array(text.utf8), named: "policy") { name in
                name == "root.pem" ? Self.tpm.mint.authority.pem : nil
            }
        }
        func refusal(_ tpm: String) -> String? {
            do { _ = try read(tpm) } catch { return "\(error)" }
            return nil
        }
        let root = #"{"file": "root.pem", "kind": "test-hardware"}"#
        let digest = String(repeating: "ab", count: 32)
        let policy = try #require(
            try read(
                #"{"roots": [\#(root)], "matchers": ["\#(thumbprint)"], "minimum": "software", "revoked": ["\#(digest)"]}"#
            ).tpm)
        #expect(policy.roots.map(\.kind) == [.testHardware] && policy.matchers == [thumbprint])
        #expect(policy.minimum == .software && policy.revoked == [[UInt8](repeating: 0xAB, count: 32)])
        #expect(try read(#"{"roots": [\#(root)], "matchers": []}"#).tpm?.minimum == .attestedHardware)
        for (text, place) in [
            (#"{"roots": [], "matchers": []}"#, "tpm.roots"),
            (#"{"roots": [{"file": "none.pem", "kind": "chips"}], "matchers": []}"#, "tpm.roots"),
            (#"{"roots": [{"file": "root.pem", "kind": "anything"}], "matchers": []}"#, "kind"),
            (#"{"roots": [\#(root)], "matchers": ["short"]}"#, "tpm.matchers"),
            (#"{"roots": [\#(root)], "matchers": [], "minimum": "attestedApp"}"#, "tpm.minimum"),
            (#"{"roots": [\#(root)], "matchers": [], "revoked": ["ab"]}"#, "tpm.revoked"),
            (#"{"roots": [\#(root)]}"#, "matchers"),
        ] {
            #expect(refusal(text)?.contains(place) == true, "\(text): \(refusal(text) ?? "accepted")")
        }
    }

    @Test func evidenceIsReadAsItIsWrittenAndNeverNamesAPINKey() throws {
        let key = TPMKeyEvidence.Key(
            publicArea: [1], creationData: [2], attestation: [3], signature: [4],
            guarding: .matcher(Self.tpm.matcher, reference: [5], counter: [6], value: .max - 1))
        let evidence = KeyEvidence.tpm(
            TPMKeyEvidence(
                endorsement: [[7], [8]], attestationKey: [9], token: "token", secret: [10],
                keys: [
                    .biometric: key,
                    .session: .init(publicArea: [], creationData: [], attestation: [], signature: [], guarding: .open),
                    .passcode: .init(
                        publicArea: [], creationData: [], attestation: [], signature: [],
                        guarding: .pin(index: [11], reference: [12])),
                ]))
        let text = String(decoding: WireJSON.encode(Wrapped(evidence: evidence)), as: UTF8.self)
        func read(_ text: String) throws -> KeyEvidence {
            try WireJSON.decode(Wrapped.self, from: Array(text.utf8)).evidence
        }
        #expect(try read(text) == evidence)
        #expect("\(evidence)" == "TPM evidence" && !text.contains("null"))
        for (part, other) in [
            (#""passcode":"#, #""pin":"#), (#""passcode":"#, #""finger":"#), (#""by":"open""#, #""by":"open","index":"AA""#),
            (#""by":"open""#, #""by":"nothing""#), (#""by":"open""#, #""by":"pin""#),
            (#""format":"tpm""#, #""format":"tpm2""#), (#""secret":"Cg""#, #""secret":"C""#),
            (#""value":"__________4""#, #""value":"AAAAAAAAAAAA""#), (#""secret":"Cg""#, #""secret":"Cg","more":1"#),
        ] {
            #expect(text.contains(part), "\(part) in \(text)")
            #expect(throws: VerificationError.self, "\(other)") { try read(text.replacing(part, with: other)) }
        }
    }

    private struct Wrapped: Message {
        enum CodingKeys: String, CodingKey, CaseIterable { case evidence }
        var evidence: KeyEvidence
    }
}

// MARK: Helpers

/// Requests that a device without the library makes.
private enum Asked {
    /// Asks for a TPM's credential in the name of a device.
    static func credential(
        _ live: LiveServer, of tpm: SimulatedTPM, by attempt: EnrolmentTests.Attempt
    ) async throws -> LoadConnection.Answer {
        try await credential(
            TPMActivationRequest(endorsement: tpm.mint.chain, attestationKey: tpm.mint.attestationKey.bytes), by: attempt)
    }

    static func credential(
        _ request: TPMActivationRequest, by attempt: EnrolmentTests.Attempt, signed: Bool = true
    ) async throws -> LoadConnection.Answer {
        let (device, body) = (attempt.device, Signing.encode(request))
        let nonce = try await device.challenge(.enrol, [device.sessionKid], over: attempt.connection).nonce
        let proof = device.dpop("POST", "/v1/evidence/tpm", body, nonce: nonce)
        return try await attempt.connection.send(
            "POST", "/v1/evidence/tpm", type: "application/json", headers: signed ? [("DPoP", proof)] : [], body: body)
    }

    /// The evidence of a device for its keys and a challenge.
    static func evidence(
        _ source: SimulatedTPM, _ device: LoadDevice, _ challenge: String,
        credential: @escaping @Sendable () async throws -> [UInt8]
    ) async throws -> TPMKeyEvidence {
        var keys: [KeyName: PublicKey] = [:]
        for registration in device.registrations(challenge) {
            keys[KeyName(server: "s", account: "ada", kind: registration.kind)] =
                registration.jwk?.x963.flatMap { PublicKey(x963: $0) }
        }
        let made = try await source.evidence(
            EvidenceRequest(challenge: challenge, keys: keys, makingChallenge: nil, server: "s", account: "ada") {
                (_, _) async throws(Failure) in
                do { return try await credential() } catch { throw Failure(.unreachable) }
            })
        guard case .tpm(let evidence)? = made else { throw EvidenceEnrolmentTests.Missing() }
        return evidence
    }
}

extension EnrolmentTests.Attempt {
    /// Enrols with evidence for the challenge.
    fileprivate func enrol(
        ifEnrolled: IfEnrolled? = nil, with evidence: (LoadDevice, String) async throws -> KeyEvidence
    ) async throws -> LoadConnection.Answer {
        let ticket = try await self.ticket().read(EnrolmentTicket.self).ticket
        let (challenge, nonce) = try await device.challenge(.enrol, [device.sessionKid, device.kid], over: connection)
        let request = EnrolRequest(
            ticket: ticket, name: "Test", keys: device.registrations(challenge), ifEnrolled: ifEnrolled,
            evidence: try await evidence(device, challenge))
        let body = Signing.encode(request)
        return try await connection.send(
            "POST", "/v1/devices", type: "application/json",
            headers: [("DPoP", device.dpop("POST", "/v1/devices", body, nonce: nonce))], body: body)
    }
}
#endif
