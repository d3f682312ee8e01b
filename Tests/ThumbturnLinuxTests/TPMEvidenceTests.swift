#if LinuxDevice && os(Linux)
import Crypto
import Foundation
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnLinuxLab
import ThumbturnMessages
import ThumbturnVerifier

@testable import ThumbturnLinux
@testable import ThumbturnMatcher

extension RealParts {
    /// Evidence of a real TPM (swtpm) with certificates of swtpm's own authority, judged by the verifier.
    @Suite(.enabled(if: Real.endorsementIsHere)) struct TPMEvidenceTests {
        /// A TPM as its maker leaves it. It ends with this process.
        static let lab = Task {
            try await LinuxLab.start(in: "/tmp/thumbturn-endorsed-\(UUID().uuidString)", parts: [.tpm], endorsed: true)
        }

        let value = [UInt8](repeating: 5, count: 32)
        let names = [KeyKind.session, .biometric, .pin].map { key($0) }

        /// A device with three keys in the TPM.
        private struct Device {
            let lab: LinuxLab
            let scratch: Scratch
            let matcher: SimulatedMatcher
            let keys: TPMKeys
            let source: TPMEvidenceSource
        }

        private func device() async throws -> Device {
            let (lab, scratch) = (try await Self.lab.value, try Scratch())
            let matcher = try SimulatedMatcher(lab.tcti)
            let keys = TPMKeys(tcti: lab.tcti, folder: scratch.path, matcher: matcher)
            let issuer = try Self.der(lab.endorsementAuthority.issuer)
            let source = TPMEvidenceSource(of: keys, issuers: [issuer])
            return Device(lab: lab, scratch: scratch, matcher: matcher, keys: keys, source: source)
        }

        private func enrol(_ device: Device) async throws -> [VerifyingKey] {
            let made = [
                try await device.keys.create(names[0]), try await device.keys.create(names[1]),
                try await device.keys.create(names[2], pin: try #require(PIN("293847"))),
            ]
            return try made.map { try VerifyingKey($0) }
        }

        /// Removes what a test left in the TPM, whose memory is small.
        private func tidy(_ device: Device) throws {
            try TPM.connected(device.lab.tcti) { tpm throws(TPMError) in
                for handle in try tpm.handles(from: 0x0180_7400) where handle < 0x0180_7600 { try tpm.undefine(handle) }
            }
            #expect(try TPMFacts.read(device.lab.tcti).loaded == 0, "nothing stays in the TPM's memory")
        }

        private func policy(_ device: Device) throws -> TPMPolicy {
            let root = try TrustAnchor(certificate: Self.der(device.lab.endorsementAuthority.root))
            let matcher = try VerifyingKey(x963: Array(device.matcher.key.publicKey.x963Representation))
            var policy = TPMPolicy(roots: [TPMRoot(root, kind: .chips)], matchers: [matcher.thumbprint])
            policy.minimum = .software
            return policy
        }

        private static func der(_ path: String) throws -> [UInt8] {
            let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("---") }
            return Array(try #require(Data(base64Encoded: lines.joined())))
        }

        /// What an honest device shows, and what the server keeps of the credential.
        private func evidence(
            _ device: Device, _ policy: TPMPolicy
        ) async throws -> (TPMEvidence, TPMCredential.Expectation) {
            let (server, account) = (names[0].server, names[0].account)
            let endorsement = try #require(try await device.source.endorsement(server: server, account: account))
            var generator = SystemRandomNumberGenerator()
            let credential = try policy.credential(
                for: try policy.endorse(endorsement.certificates, at: now(endorsement.certificates)),
                attestationKey: endorsement.attestationKey,
                using: &generator)
            let secret = try await device.source.open(
                idObject: credential.idObject, encryptedSeed: credential.encryptedSeed, server: server, account: account)
            let statements = try await device.source.certify(names, boundTo: value)
            let evidence = TPMEvidence(
                endorsement: endorsement.certificates, attestationKey: endorsement.attestationKey, secret: secret,
                keys: try statements.map { try Self.shown($0) })
            return (evidence, credential.expectation)
        }

        /// A statement as it arrives at the server.
        private static func shown(_ statement: TPMKeyEvidence.Key) throws -> TPMEvidence.Key {
            let guarding: TPMEvidence.Guarding =
                switch statement.guarding {
                case .open: .open
                case .matcher(let key, let reference, let counter, let value):
                    .matcher(
                        TPMEvidence.Matcher(key: try VerifyingKey(key), reference: reference, counter: counter, value: value)
                    )
                case .pin(let index, let reference): .pin(TPMEvidence.PIN(index: index, reference: reference))
                }
            return TPMEvidence.Key(
                publicArea: statement.publicArea, creationData: statement.creationData, attestation: statement.attestation,
                signature: statement.signature, guarding: guarding)
        }

        private func judge(
            _ evidence: TPMEvidence, _ keys: [VerifyingKey], _ policy: TPMPolicy, _ expectation: TPMCredential.Expectation
        ) throws(EvidenceRefusal) -> TPMVerdict {
            try policy.judge(evidence, of: keys, boundTo: value, opening: expectation, at: now(evidence.endorsement))
        }

        /// The first second at which all certificates of a chain are valid: that of the lab's last certificate.
        private func now(_ chain: [[UInt8]]) throws(EvidenceRefusal) -> UnixTime {
            try CertificateChain.read(chain).map(\.notBefore).max() ?? UnixTime(seconds: 0)
        }

        private func expectRefusal(
            _ reason: EvidenceRefusal.Reason, _ work: () throws(EvidenceRefusal) -> TPMVerdict,
            location: SourceLocation = #_sourceLocation
        ) {
            do throws(EvidenceRefusal) {
                _ = try work()
                Issue.record("accepted instead of \(reason)", sourceLocation: location)
            } catch {
                #expect(error.reason == reason, "\(error.debugDescription)", sourceLocation: location)
            }
        }

        @Test(.tpm) func aTPMAsItsMakerLeavesItProvesWhereTheKeysAre() async throws {
            let device = try await device()
            let keys = try await enrol(device)
            var policy = try policy(device)
            let (evidence, expectation) = try await evidence(device, policy)
            let verdict = try judge(evidence, keys, policy, expectation)
            #expect(verdict.protection == .software, "swtpm is a program, and its certificate names it")
            #expect(verdict.endorsement.manufacturer.id == 0x1014 && verdict.endorsement.model == "swtpm")
            #expect(verdict.keys.map(\.publicKey) == keys)
            #expect(verdict.keys.map(\.verification) == [.none, .biometric, .pin])
            // The attestation key belongs to the endorsement hierarchy, so the TPM tells its true version.
            #expect(verdict.firmwareVersion == 0x2019_1023_0016_3636)

            policy.minimum = .attestedHardware
            expectRefusal(.wrongSecurityLevel) { () throws(EvidenceRefusal) in try judge(evidence, keys, policy, expectation) }
            policy.roots[0].kind = .testHardware
            #expect(try judge(evidence, keys, policy, expectation).protection == .attestedHardware)
            policy.matchers = []
            #expect(try judge(evidence, keys, policy, expectation).keys.map(\.verification) == [.none, .none, .pin])

            // The same keys for another challenge, other keys for the same challenge, and another person's credential.
            expectRefusal(.wrongChallenge) { () throws(EvidenceRefusal) in
                try policy.judge(
                    evidence, of: keys, boundTo: [UInt8](repeating: 6, count: 32), opening: expectation,
                    at: now(evidence.endorsement))
            }
            expectRefusal(.wrongKey) { () throws(EvidenceRefusal) in
                try judge(evidence, Array(keys.dropLast()), policy, expectation)
            }
            let (_, later) = try await self.evidence(device, policy)
            expectRefusal(.wrongCredential) { () throws(EvidenceRefusal) in try judge(evidence, keys, policy, later) }
            try tidy(device)
        }

        /// What the port gives to an enrolment, with a server's part played by the verifier.
        @Test(.tpm) func thePortAsksOpensAndCertifies() async throws {
            let device = try await device()
            let keys = Array(try await enrol(device).dropLast())
            let policy = try policy(device)
            let named = Dictionary(
                uniqueKeysWithValues: zip(names, keys).map { ($0, PublicKey(x963: $1.x963)!) })
            let kept = Mutex<TPMCredential.Expectation?>(nil)
            let request = EvidenceRequest(
                challenge: "a challenge", keys: named, makingChallenge: nil, server: names[0].server,
                account: names[0].account
            ) { (path, body) async throws(Failure) in
                do {
                    #expect(path == "/v1/evidence/tpm")
                    let asked = try WireJSON.decode(TPMActivationRequest.self, from: body)
                    var generator = SystemRandomNumberGenerator()
                    let credential = try policy.credential(
                        for: try policy.endorse(asked.endorsement, at: now(asked.endorsement)),
                        attestationKey: asked.attestationKey, using: &generator)
                    kept.withLock { $0 = credential.expectation }
                    return WireJSON.encode(
                        TPMActivationAnswer(
                            idObject: credential.idObject, encryptedSeed: credential.encryptedSeed, token: "token",
                            expiresIn: 300))
                } catch { throw Failure(.refused) }
            }
            guard case .tpm(let made)? = try await device.source.evidence(request) else {
                Issue.record("no evidence")
                return
            }
            #expect(made.token == "token" && Set(made.keys.keys) == [.session, .biometric])
            let evidence = TPMEvidence(
                endorsement: made.endorsement, attestationKey: made.attestationKey, secret: made.secret,
                keys: try made.keys.values.map { try Self.shown($0) })
            let verdict = try policy.judge(
                evidence, of: keys, boundTo: request.boundValue, opening: try #require(kept.withLock { $0 }),
                at: now(made.endorsement))
            #expect(verdict.keys.map(\.verification) == [.none, .biometric])

            // What the server refuses, and an answer that is none, end the evidence.
            for body: [UInt8]? in [nil, [], Array("{}".utf8)] {
                let other = EvidenceRequest(
                    challenge: "a challenge", keys: named, makingChallenge: nil, server: names[0].server,
                    account: names[0].account
                ) { (_, _) async throws(Failure) in
                    guard let body else { throw Failure(.refused) }
                    return body
                }
                await expectFailure(body == nil ? .refused : .unexpectedAnswer) {
                    _ = try await device.source.evidence(other)
                }
            }
            try tidy(device)
        }

        @Test(.tpm, arguments: [EndorsementTemplate.lowP256, .highP256])
        func anEndorsementKeyOnP256OpensItsCredential(template: EndorsementTemplate) async throws {
            let device = try await device()
            let keys = try await enrol(device)
            let point = try TPM.connected(device.lab.tcti) { tpm throws(TPMError) in
                try tpm.withEndorsementKey(template) { key throws(TPMError) in try tpm.point(of: key) }
            }
            // The lab's authority certifies this key, as a maker would have, and the owner stores the certificate.
            let certificate = try await device.lab.issueEndorsement(x: Array(point[..<32]), y: Array(point[32...]))
            let (handle, path) = ("0x" + String(template.certificate, radix: 16), "\(device.scratch.path)/certificate")
            // Makers' indexes are longer than their certificates.
            try Data(certificate + [UInt8](repeating: 0xFF, count: 100)).write(to: URL(fileURLWithPath: path))
            for (tool, arguments) in [
                ("tpm2_nvdefine", ["-C", "o", "-s", String(certificate.count + 100), "-a", "ownerwrite|authread", handle]),
                ("tpm2_nvwrite", ["-C", "o", "-i", path, handle]),
            ] {
                let result = try await device.lab.run(tool, arguments)
                #expect(result.status == 0, "\(tool): \(result.output)")
            }
            let policy = try policy(device)
            let (evidence, expectation) = try await evidence(device, policy)
            #expect(evidence.endorsement[0] == certificate)
            let verdict = try judge(evidence, keys, policy, expectation)
            #expect(verdict.keys.map(\.verification) == [.none, .biometric, .pin])

            // A certificate for another key is passed over, and the maker's own is used.
            let other = Array(P256.Signing.PrivateKey().publicKey.rawRepresentation)
            let foreign = try await device.lab.issueEndorsement(x: Array(other[..<32]), y: Array(other[32...]))
            try Data(foreign + [UInt8](repeating: 0, count: certificate.count + 100 - foreign.count))
                .write(to: URL(fileURLWithPath: path))
            #expect(try await device.lab.run("tpm2_nvwrite", ["-C", "o", "-i", path, handle]).status == 0)
            let (again, _) = try await self.evidence(device, policy)
            #expect(again.endorsement[0] != foreign && again.endorsement[0] != certificate)
            #expect(try await device.lab.run("tpm2_nvundefine", ["-C", "o", handle]).status == 0)
            try tidy(device)
        }

        @Test(.tpm) func eachServerAndAccountHasAnAttestationKeyOfItsOwn() async throws {
            let device = try await device()
            let policy = try policy(device)
            func key(_ server: String, _ account: String) async throws -> [UInt8] {
                try #require(try await device.source.endorsement(server: server, account: account)).attestationKey
            }
            let ours = try await key("https://id.example", "ada")
            #expect(try await key("https://id.example", "ada") == ours)
            #expect(try await key("https://id.example", "eve") != ours)
            #expect(try await key("https://other.example", "ada") != ours)
            // A hostile server passes on the credential that another server made for its own attestation key.
            let chain = try #require(try await device.source.endorsement(server: "https://id.example", account: "ada"))
                .certificates
            var generator = SystemRandomNumberGenerator()
            let credential = try policy.credential(
                for: try policy.endorse(chain, at: now(chain)), attestationKey: ours, using: &generator)
            let (object, seed) = (credential.idObject, credential.encryptedSeed)
            let secret = try await device.source.open(
                idObject: object, encryptedSeed: seed, server: "https://id.example", account: "ada")
            #expect(secret.count == 32)
            for (server, account) in [("https://other.example", "ada"), ("https://id.example", "eve")] {
                await #expect(throws: Failure.self) {
                    try await device.source.open(idObject: object, encryptedSeed: seed, server: server, account: account)
                }
            }
            for (object, seed) in [
                (object.dropLast(), seed[...]), (object[...], seed.dropLast()), ([], []), (object + [0], seed[...]),
            ] {
                await #expect(throws: Failure.self) {
                    try await device.source.open(
                        idObject: Array(object), encryptedSeed: Array(seed), server: "https://id.example", account: "ada")
                }
            }
            await #expect(throws: Failure.self) {
                try await device.source.open(
                    idObject: [UInt8](repeating: 0, count: 70_000), encryptedSeed: seed, server: "", account: "")
            }
            try tidy(device)
        }

        @Test(.tpm) func onlyAKeyThatTheTPMMadeIsCertified() async throws {
            let device = try await device()
            _ = try await enrol(device)
            func file(_ name: KeyName) throws -> (URL, TPMKeyFile) {
                let url = URL(fileURLWithPath: "\(device.scratch.path)/\(name.file)")
                return (url, try TPMKeyFile(Array(Data(contentsOf: url))))
            }
            let (url, kept) = try file(names[0])
            // A file of an earlier version.
            var changed = kept
            changed.creation = nil
            try Data(try changed.bytes).write(to: url)
            await expectFailure(.keyInvalidated) { _ = try await device.source.certify([names[0]], boundTo: value) }
            #expect(await device.keys.state(of: names[0]) == .usable, "the key itself goes on to work")
            // The proof of another key's creation, and a changed proof.
            changed.creation = try file(names[1]).1.creation
            try Data(try changed.bytes).write(to: url)
            await #expect(throws: Failure.self) { try await device.source.certify([names[0]], boundTo: value) }
            changed.creation = kept.creation
            changed.creation?.ticket[20] ^= 1
            try Data(try changed.bytes).write(to: url)
            await #expect(throws: Failure.self) { try await device.source.certify([names[0]], boundTo: value) }
            changed.creation?.ticket = []
            try Data(try changed.bytes).write(to: url)
            await #expect(throws: Failure.self) { try await device.source.certify([names[0]], boundTo: value) }
            try Data(try kept.bytes).write(to: url)
            #expect(try await device.source.certify([names[0]], boundTo: value).count == 1)
            await expectFailure(.notEnrolled) { _ = try await device.source.certify([key(.session, "eve")], boundTo: value) }
            try tidy(device)
        }

        @Test(.tpm) func aTPMWithoutACertificateProvesNothing() async throws {
            let (lab, scratch) = (try await Real.lab.value, try Scratch())
            let source = TPMEvidenceSource(of: TPMKeys(tcti: lab.tcti, folder: scratch.path))
            #expect(try await source.endorsement(server: "https://id.example", account: "ada") == nil)
        }

        /// tpm2-tools make the keys and open the credential that the verifier made.
        @Test(.tpm) func theToolsOfOthersOpenOurCredential() async throws {
            let device = try await device()
            let (lab, folder) = (device.lab, device.scratch.path)
            func run(_ tool: String, _ arguments: String...) async throws -> ToolResult {
                try await lab.run(tool, arguments.map { $0.replacing("@", with: folder + "/") })
            }
            func must(_ tool: String, _ arguments: String...) async throws {
                let result = try await lab.run(tool, arguments.map { $0.replacing("@", with: folder + "/") })
                #expect(result.status == 0, "\(tool): \(result.output)")
            }
            func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)"))) }
            try await must("tpm2_createek", "-G", "ecc", "-c", "@ek.ctx", "-u", "@ek.pub")
            try await must(
                "tpm2_createak", "-C", "@ek.ctx", "-c", "@ak.ctx", "-G", "ecc", "-g", "sha256", "-s", "ecdsa", "-u", "@ak.pub",
                "-n", "@ak.name")
            try await must("tpm2_flushcontext", "-t")
            // TPM2B_PUBLIC: a size before the area, and the point at its end.
            let (area, template) = (Array(try read("ek.pub").dropFirst(2)), EndorsementTemplate.lowP256.publicArea)
            #expect(area.dropLast(68).elementsEqual(template.dropLast(68)), "our template is that of the tools")
            let attestation = try TPMPublic(Array(try read("ak.pub").dropFirst(2)))
            #expect(try attestation.name == read("ak.name"))
            let point = [4] + area.suffix(66).prefix(32) + area.suffix(32)
            let secret = Array("a secret of 32 bytes, none other".utf8)
            var generator = SystemRandomNumberGenerator()
            let credential = try TPMCredential.make(
                for: .p256(x963: point), attestationName: attestation.name, secret: secret, using: &generator)
            func write(_ object: [UInt8], _ seed: [UInt8]) throws {
                func sized(_ bytes: [UInt8]) -> [UInt8] { [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes }
                try Data([0xBA, 0xDC, 0xC0, 0xDE, 0, 0, 0, 1] + sized(object) + sized(seed))
                    .write(to: URL(fileURLWithPath: "\(folder)/credential"))
            }
            func activate() async throws -> Int32 {
                try await must("tpm2_startauthsession", "--policy-session", "-S", "@session")
                try await must("tpm2_policysecret", "-S", "@session", "-c", "e")
                let status = try await run(
                    "tpm2_activatecredential", "-c", "@ak.ctx", "-C", "@ek.ctx", "-i", "@credential", "-o", "@secret", "-P",
                    "session:\(folder)/session"
                ).status
                try await must("tpm2_flushcontext", "@session")
                try await must("tpm2_flushcontext", "-t")
                return status
            }
            try write(credential.idObject, credential.encryptedSeed)
            #expect(try await activate() == 0)
            #expect(try read("secret") == secret)
            var changed = credential.idObject
            changed[40] ^= 1
            try write(changed, credential.encryptedSeed)
            #expect(try await activate() != 0)
            try tidy(device)
        }
    }
}
#endif
