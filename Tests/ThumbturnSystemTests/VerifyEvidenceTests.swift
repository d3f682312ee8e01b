#if Tools
import Crypto
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit

/// `thumbturn verify app-attest`, `android-chains` and `tpm`: the outside test data, and minted files of the same formats.
@Suite struct VerifyEvidenceTests {
    typealias Cases = [[String: Any]]

    private static let apple = Vectors.folder.appendingPathComponent("veehaitch-devicecheck-appattest/normalized.json").path
    private static let google = Vectors.folder.appendingPathComponent("google-android-key-attestation/normalized.json").path
    private static let googleStatus = Vectors.folder
        .appendingPathComponent("google-android-key-attestation/src/test/resources/status.json").path
    private static let tpm = Vectors.folder.appendingPathComponent("tpm-go-attestation/activation-params.json").path

    private static func cases(_ path: String) throws -> Cases {
        try #require(JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path))) as? Cases)
    }

    // MARK: App Attest

    @Test(.enabled(if: Vectors.areHere)) func applesEvidenceIsAcceptedAtItsTimeAlone() async throws {
        let judged = try await JudgedEvidence.judge("app-attest", Self.apple)
        #expect(judged.summary.cases == 14 && judged.summary.accepted == 14)
        #expect(judged.lines.allSatisfy { $0.level == "attestedApp" })
        #expect(judged.lines.map(\.name).filter { $0.hasSuffix(" assertion 1") }.count == 7)

        let rows: [(options: [String], reason: String)] = [
            (["--environment", "production"], "wrong_environment"), (["--app-id", "TEAM123456.other"], "wrong_app"),
            (["--at", "2026-01-01"], "expired"), (["--at", "2020-11-01T00:00:00Z"], "not_yet_valid"),
        ]
        for (options, reason) in rows {
            let refused = try await JudgedEvidence.judge("app-attest", Self.apple, options)
            #expect(refused.summary.accepted == 0 && refused.summary.reasons == [reason: 14], "\(options)")
        }
        let both = ["--app-id", "TEAM123456.other", "--app-id", "6MURL8TA57.de.vincent-haupert.apple-appattest-poc"]
        #expect(try await JudgedEvidence.judge("app-attest", Self.apple, both).summary.accepted == 14)

        let folder = try TestFolder()
        defer { folder.remove() }
        let other = try folder.write("roots.pem", Data(TestAuthority.root(key: .p256()).pem.utf8))
        let refused = try await JudgedEvidence.judge("app-attest", Self.apple, ["--roots", other])
        #expect(refused.summary.reasons == ["untrusted_root": 14])
    }

    @Test(.enabled(if: Vectors.areHere)) func applesEvidenceIsRefusedForOtherData() async throws {
        var samples = try Array(Self.cases(Self.apple).prefix(5))
        for index in samples.indices { samples[index]["name"] = "\(index)" }
        func assertions(_ index: Int) throws -> Cases { try #require(samples[index]["assertions"] as? Cases) }
        samples[0]["keyId"] = EvidenceSample.hash.base64
        samples[1]["attestationClientDataHash"] = EvidenceSample.hash.base64
        // The same assertion a second time, and one over other data.
        samples[2]["assertions"] = try assertions(2) + assertions(2)
        var changed = try assertions(3)
        changed[0]["clientData"] = "AAAA"
        samples[3]["assertions"] = try changed + assertions(3)
        samples[4]["assertions"] = []
        let judged = try await JudgedEvidence.judge("app-attest", cases: samples)
        #expect(
            judged.results == [
                "0": "wrong_key", "0 assertion 1": "wrong_key", "1": "wrong_challenge", "1 assertion 1": "wrong_challenge",
                "2": "accept", "2 assertion 1": "accept", "2 assertion 2": "counter_not_greater",
                "3": "accept", "3 assertion 1": "wrong_signature", "3 assertion 2": "accept", "4": "accept",
            ])
    }

    @Test(.enabled(if: Vectors.areHere)) func onlyWhatIsReadIsNeeded() async throws {
        let needed: Set = [
            "appId", "environment", "keyId", "attestation", "attestationClientDataHash", "suggestedVerificationTime",
            "assertions",
        ]
        var samples = try Self.cases(Self.apple).map { $0.filter { needed.contains($0.key) } }
        for index in samples.indices {
            samples[index]["of tomorrow"] = [1, 2]
            samples[index]["checks"] = NSNull()
            // Each form of time that a file may have.
            let time = try #require(samples[index]["suggestedVerificationTime"] as? String).prefix(19)
            let ends = ["", "Z", "z", ".5Z", ".123456789+00:00", "+0000", ",25"]
            samples[index]["suggestedVerificationTime"] = time + ends[index % ends.count]
        }
        let judged = try await JudgedEvidence.judge("app-attest", cases: samples)
        #expect(judged.summary.accepted == 14 && judged.lines[2].name == "case 2")
    }

    @Test func theFirstAndTheLastSecondOfACertificateCount() async throws {
        let mint = AppAttestMint(appID: EvidenceSample.appID, clientDataHash: EvidenceSample.hash)
        let rows = [
            ("2020-01-01T00:00:00Z", "accept"), ("2020-01-01T00:00:00.999Z", "accept"),
            ("2019-12-31T23:59:59.999Z", "not_yet_valid"),
            ("2020-01-01T01:00:00+01:00", "accept"), ("2019-12-31T23:59:59+00:00", "not_yet_valid"),
            ("2040-01-01T00:00:00.5Z", "accept"), ("2040-01-01T00:00:01Z", "expired"), ("2039-12-31T23:00:00-01:00", "accept"),
            ("2030-02-30T00:00:00Z", "malformed"), ("yesterday", "malformed"), ("", "malformed"),
        ]
        let samples = rows.map { time, _ in
            EvidenceSample.appAttest(time, mint).merging(["suggestedVerificationTime": time]) { $1 }
        }
        let judged = try await JudgedEvidence.judge("app-attest", cases: samples, roots: [mint.root])
        for (time, expected) in rows { #expect(judged.results[time] == expected, "\(time)") }
    }

    @Test func mintedAttestationsAreJudgedByTheirFault() async throws {
        let root = TestAuthority.root(named: "Root")
        let app = EvidenceSample.appID
        func mint(_ edit: (inout AppAttestMint) -> Void = { _ in }) -> AppAttestMint {
            var mint = AppAttestMint(appID: app, clientDataHash: EvidenceSample.hash, root: root)
            edit(&mint)
            return mint
        }
        let rows: [(name: String, mint: AppAttestMint, expected: String)] = [
            ("genuine", mint(), "accept"),
            ("iOS 27", mint { $0.extensions = AppAttestMint.launch(category: 4, bundleVersion: "7") }, "accept"),
            ("a phone's access policy", mint { $0.accessPolicy = AppAttestMint.phoneAccessPolicy }, "accept"),
            ("a Mac", mint { $0.accessPolicy = AppAttestMint.macAccessPolicy }, "accept"),
            ("development", mint { $0.aaguid = AppAttestMint.development }, "wrong_environment"),
            ("another app", mint { $0.appID = "TEAM123456.other" }, "wrong_app"),
            ("used", mint { $0.counter = 1 }, "counter_not_zero"),
            ("another credential", mint { $0.credentialID = EvidenceSample.hash }, "wrong_key"),
            ("another nonce", mint { $0.clientDataHash = EvidenceSample.challenge }, "wrong_challenge"),
            ("no nonce", mint { $0.nonceExtension = [] }, "malformed"),
            ("another format", mint { $0.format = "packed" }, "unsupported"),
            ("another root", AppAttestMint(appID: app, clientDataHash: EvidenceSample.hash), "untrusted_root"),
            ("40 certificates", mint { $0.chain = { [$0[0]] + Array(repeating: $0[1], count: 39) } }, "chain_too_long"),
            ("expired", mint { $0.leaf = { $0.notAfter = UnixTime(seconds: 1_600_000_000) } }, "expired"),
        ]
        let samples = rows.map { row in
            EvidenceSample.appAttest(
                row.name, row.mint, assertions: [row.mint.assertion(clientDataHash: EvidenceSample.hash, counter: 1)])
        }
        let judged = try await JudgedEvidence.judge("app-attest", cases: samples, roots: [root])
        for row in rows {
            #expect(judged.results[row.name] == row.expected, "\(row.name)")
            #expect(judged.results["\(row.name) assertion 1"] == row.expected, "\(row.name)")
        }
        let development = try await JudgedEvidence.judge(
            "app-attest", cases: samples, roots: [root], ["--environment", "development"])
        #expect(development.lines.filter { $0.verdict == "accept" }.map(\.name) == ["development", "development assertion 1"])
    }

    @Test func theCounterIsKeptFromOneAssertionToTheNext() async throws {
        let mint = AppAttestMint(appID: EvidenceSample.appID, clientDataHash: EvidenceSample.hash)
        let other = AppAttestMint(appID: EvidenceSample.appID, clientDataHash: EvidenceSample.hash)
        func assertion(_ counter: UInt32, by mint: AppAttestMint = mint) -> AppAttestMint.Assertion {
            mint.assertion(clientDataHash: EvidenceSample.hash, counter: counter)
        }
        // The first counter may be any; a refused assertion changes nothing.
        let sample = EvidenceSample.appAttest(
            "key", mint,
            assertions: [assertion(7), assertion(7), assertion(9), assertion(20, by: other), assertion(8), assertion(10)])
        let judged = try await JudgedEvidence.judge("app-attest", cases: [sample], roots: [mint.root])
        #expect(
            judged.lines.map(\.result) == [
                "accept", "accept", "counter_not_greater", "accept", "wrong_signature", "counter_not_greater", "accept",
            ])
    }

    // MARK: Android

    @Test(.enabled(if: Vectors.areHere), arguments: [false, true])
    func googlesChainsAreJudgedWithAndWithoutTheStatusList(hasStatus: Bool) async throws {
        let judged = try await JudgedEvidence.judge(
            "android-chains", Self.google, hasStatus ? ["--status", Self.googleStatus] : [])
        #expect(
            judged.results == [
                "algorithm_EC_SecurityLevel_TEE": "accept", "algorithm_RSA_SecurityLevel_TEE": "accept",
                "algorithm_EC_SecurityLevel_StrongBox": "untrusted_root",
                "algorithm_RSA_SecurityLevel_StrongBox": "untrusted_root",
            ])
        for line in judged.lines where line.verdict == "accept" {
            #expect(line.level == "attestedHardware")
            #expect(line.securityLevel == "TrustedEnvironment" && line.userVerification == "none")
        }
    }

    @Test(.enabled(if: Vectors.areHere)) func aProductsPolicyRefusesAllOfGooglesChains() async throws {
        let judged = try await JudgedEvidence.judge(
            "android-chains", Self.google, ["--package", "com.example.bank", "--patch-level", "2026-06"])
        #expect(judged.summary.accepted == 0)
        let policy: Set = ["wrong_authentication", "not_verified_boot", "wrong_app", "old_patch_level"]
        for line in judged.lines where line.name.hasSuffix("TEE") {
            let reasons = Set(line.refusals.map(\.reason))
            #expect(reasons == (line.name.contains("RSA") ? policy.union(["wrong_algorithm"]) : policy), "\(line.name)")
        }
    }

    @Test(.enabled(if: Vectors.areHere)) func aRealChainIsRefusedForEachOfItsCertificates() async throws {
        let sample = try #require(Self.cases(Self.google).first { $0["name"] as? String == "algorithm_EC_SecurityLevel_TEE" })
        let texts = try #require(sample["chainDerB64"] as? [String])
        let chain = texts.compactMap { Data(base64Encoded: $0).map { Array($0) } }
        try #require(chain.count == 4)
        for der in chain {
            // Two heads of four bytes, five bytes of the version, and the head of the serial number.
            try #require(der[13] == 2)
            let digits = der[15..<15 + Int(der[14])].map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
            let serial = String(digits.drop { $0 == "0" })
            for (word, reason) in [("REVOKED", "revoked"), ("SUSPENDED", "suspended")] {
                let judged = try await JudgedEvidence.judge(
                    "android-chains", cases: [sample], status: #"{"entries": {"\#(serial)": {"status": "\#(word)"}}}"#)
                #expect(judged.lines.map(\.result) == [reason], "\(serial)")
            }
        }
        // Without the root that stands in the chain, and without anything that was measured.
        let short: [String: Any] = ["chainDerB64": chain.dropLast().map(\.base64)]
        #expect(try await JudgedEvidence.judge("android-chains", cases: [short]).lines.map(\.result) == ["accept"])
        // Before the certificates of its maker.
        let early = try await JudgedEvidence.judge("android-chains", cases: [sample], ["--at", "2014-05-13T00:00:00Z"])
        #expect(early.lines.map(\.result) == ["not_yet_valid"])
    }

    @Test func serialsOfDigitsAreHexadecimal() async throws {
        let root = TestAuthority.root(key: .p256())
        // 0x1234567890 is 78187493520.
        let mint = EvidenceSample.mint(root) { $0.editAttestation = { $0.serial = [0x12, 0x34, 0x56, 0x78, 0x90] } }
        let sample = EvidenceSample.android("chain", mint.chain())
        for (serial, expected) in [("1234567890", "revoked"), ("78187493520", "accept"), ("01234567890", "revoked")] {
            let judged = try await JudgedEvidence.judge(
                "android-chains", cases: [sample], roots: [root], status: #"{"entries": {"\#(serial)": {"status": "REVOKED"}}}"#)
            #expect(judged.lines.map(\.result) == [expected], "\(serial)")
        }
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        /// The result without a policy.
        var path: String
        /// The reasons of the whole policy; empty where it accepts.
        var policy: [String]
        var form = AndroidMint.Form.factory
        var edit: @Sendable (inout AndroidMint) -> Void = { _ in }
        var testDescription: String { name }
    }

    static let rows = [
        Row(name: "factory", path: "accept", policy: []),
        Row(name: "remote", path: "accept", policy: [], form: .remote),
        Row(name: "direct", path: "accept", policy: [], form: .direct),
        Row(name: "without its root", path: "accept", policy: [], form: .remote) { $0.hasRoot = false },
        Row(name: "StrongBox", path: "accept", policy: []) {
            $0.claim = "StrongBox"
            $0.description.setLevel(2)
        },
        Row(name: "TEE as StrongBox", path: "wrong_security_level", policy: ["wrong_security_level"]) {
            $0.description.setLevel(2)
        },
        Row(
            name: "software", path: "wrong_security_level",
            // What the hardware's list says counts for nothing in a key of the system.
            policy: [
                "wrong_security_level", "wrong_origin", "wrong_purpose", "wrong_algorithm", "wrong_algorithm", "wrong_algorithm",
                "wrong_authentication", "not_verified_boot", "old_patch_level",
            ]
        ) {
            $0.claim = nil
            $0.description.setLevel(0)
        },
        Row(name: "two levels", path: "wrong_security_level", policy: ["wrong_security_level"]) {
            $0.description.keyMintLevel = 0
        },
        Row(name: "passcode or face", path: "accept", policy: ["wrong_authentication"]) {
            $0.description.hardwareEnforced[504] = .integer(3)
        },
        Row(name: "no factor", path: "accept", policy: ["wrong_authentication"]) {
            $0.description.hardwareEnforced[504] = nil
        },
        Row(name: "a minute", path: "accept", policy: ["authentication_timeout", "wrong_authentication"]) {
            $0.description.hardwareEnforced[505] = .integer(60)
        },
        Row(name: "imported", path: "accept", policy: ["wrong_origin"]) { $0.description.hardwareEnforced[702] = .integer(2) },
        Row(name: "decrypts", path: "accept", policy: ["wrong_purpose"]) {
            $0.description.hardwareEnforced[1] = .integers([1, 2])
        },
        Row(name: "unlocked", path: "accept", policy: ["not_verified_boot"]) {
            $0.description.hardwareEnforced[704] = .rootOfTrust(isLocked: false, state: 2)
        },
        Row(name: "another app", path: "accept", policy: ["wrong_app"]) {
            $0.description.softwareEnforced[709] =
                MintedApplication(package: "com.example.other", signingDigest: EvidenceSample.digest).value
        },
        Row(name: "signed by another", path: "accept", policy: ["wrong_app"]) {
            $0.description.softwareEnforced[709] =
                MintedApplication(package: "com.example.bank", signingDigest: EvidenceSample.hash).value
        },
        Row(name: "an old patch", path: "accept", policy: ["old_patch_level"]) {
            $0.description.hardwareEnforced[706] = .integer(202_501)
        },
        Row(name: "several faults", path: "accept", policy: ["unknown_version", "wrong_origin", "not_verified_boot"]) {
            $0.description.version = 900
            $0.description.hardwareEnforced[702] = .integer(2)
            $0.description.hardwareEnforced[704] = .rootOfTrust(state: 1)
        },
        Row(name: "expired remote", path: "expired", policy: ["expired"], form: .remote) {
            $0.editServer = { $0.notAfter = UnixTime(seconds: 1_700_000_000) }
        },
        Row(name: "expired factory", path: "accept", policy: []) {
            $0.editIntermediate = { $0.notAfter = UnixTime(seconds: 1_700_000_000) }
        },
        Row(name: "no description", path: "no_key_description", policy: ["no_key_description"]) {
            $0.editTarget = { $0.extensions.removeLast() }
        },
        Row(name: "revoked", path: "revoked", policy: ["revoked"]) { $0.editIntermediate = { $0.serial = [0xAB, 0xCD] } },
    ]

    @Test func mintedChainsAreJudgedByTheirFault() async throws {
        let root = TestAuthority.root(key: .p256())
        let samples = Self.rows.map { row in
            EvidenceSample.android(row.name, EvidenceSample.mint(root, form: row.form, edit: row.edit).chain())
        }
        let status = #"{"entries": {"abcd": {"status": "REVOKED", "reason": "KEY_COMPROMISE"}}}"#
        let at = ["--at", EvidenceSample.time]
        let path = try await JudgedEvidence.judge("android-chains", cases: samples, roots: [root], status: status, at)
        for row in Self.rows { #expect(path.results[row.name] == row.path, "\(row.name)") }
        let strongBox = try #require(path.lines.first { $0.name == "StrongBox" })
        #expect(strongBox.securityLevel == "StrongBox" && strongBox.userVerification == "biometric")

        let digest = EvidenceSample.digest.map { "0\($0)" }
        let policy = [
            "--package", "com.example.bank", "--signing-digest", digest.joined(separator: ":"), "--patch-level", "2026-06",
        ]
        let whole = try await JudgedEvidence.judge("android-chains", cases: samples, roots: [root], status: status, at + policy)
        for (row, line) in zip(Self.rows, whole.lines) { #expect(line.refusals.map(\.reason) == row.policy, "\(row.name)") }

        // Without a digest the app's name counts, and with another verification its own keys are accepted.
        let lenient = try await JudgedEvidence.judge(
            "android-chains", cases: samples, roots: [root], at + ["--package", "com.example.bank", "--verification", "passcode"])
        for name in ["signed by another", "passcode or face", "an old patch"] { #expect(lenient.results[name] == "accept") }
        #expect(lenient.results["no factor"] == "wrong_authentication" && lenient.results["another app"] == "wrong_app")
    }

    @Test func aChainThatTheAttestedKeyExtendedIsRefused() async throws {
        let root = TestAuthority.root(key: .p256())
        let mint = EvidenceSample.mint(root)
        let chain = mint.chain()
        let attacker = TestAuthority(key: mint.key, named: "Android Keystore Key", certificate: chain[0])
        var fake = MintedCertificate(named: "mine", spki: MintedKey.p256().spki)
        let plain = attacker.issue(fake)
        fake.extensions = [MintedExtension(AndroidMint.keyDescription, value: mint.description.der)]
        let samples = [
            EvidenceSample.android("with a description", [attacker.issue(fake)] + chain),
            EvidenceSample.android("without", [plain] + chain), EvidenceSample.android("genuine", chain),
            EvidenceSample.android("40 certificates", Array(repeating: chain[0], count: 40) + chain),
            EvidenceSample.android("the root alone", [root.certificate]), EvidenceSample.android("none", []),
        ]
        let judged = try await JudgedEvidence.judge("android-chains", cases: samples, roots: [root])
        #expect(
            judged.results == [
                "with a description": "chain_extended", "without": "chain_extended", "genuine": "accept",
                "40 certificates": "chain_too_long", "the root alone": "broken_chain", "none": "malformed",
            ])
    }

    // MARK: TPM

    @Test(.enabled(if: Vectors.areHere)) func aTPMsKeyIsAcceptedWhereSHA1Is() async throws {
        var samples = try Self.cases(Self.tpm)
        let place = Dictionary(uniqueKeysWithValues: samples.enumerated().map { ($1["test"] as? String ?? "", $0) })
        let rsa = samples[try #require(place["TestActivation"])]
        let ecc = samples[try #require(place["TestECCActivation"])]
        // The parts that two cases take from the others.
        let curve = try #require(place["TestECCActivationRejectsInsecureCurve"])
        let text = try #require(ecc["Public"] as? String)
        var area = Array(try #require(Data(base64Encoded: text)))
        let id = try #require(area.firstRange(of: [0x00, 0x03, 0x00, 0x10])).lowerBound
        area[id + 1] = 0x02
        samples[curve]["Public"] = area.base64
        samples[try #require(place["TestActivationRejectsSignatureAlgorithmMismatch"])]["CreateSignature"] =
            rsa["CreateSignature"]
        samples.append(
            rsa.merging(["test": "RSA with the other signature", "CreateSignature": ecc["CreateSignature"] as Any]) { $1 })

        let strict = try await JudgedEvidence.judge("tpm", cases: samples)
        #expect(strict.summary.accepted == 0 && strict.results["TestActivation"] == "wrong_algorithm")
        let judged = try await JudgedEvidence.judge("tpm", cases: samples, ["--allow-sha1"])
        #expect(
            judged.results == [
                "TestActivation": "accept", "TestECCActivation": "accept",
                "TestECCActivationRejectsInsecureCurve": "weak_key",
                "TestActivationRejectsSignatureAlgorithmMismatch": "wrong_algorithm",
                "RSA with the other signature": "wrong_algorithm",
            ])
        #expect(judged.lines.allSatisfy { $0.level == "software" }, "no chain and no credential prove a TPM")
        // The file as it is: two of its cases lack a part.
        let file = try await JudgedEvidence.judge("tpm", Self.tpm, ["--allow-sha1"])
        #expect(file.summary.accepted == 2 && file.summary.reasons == ["malformed": 2])
    }

    @Test func mintedStatementsOfATPMAreJudgedByTheirFault() async throws {
        var mint = TPMMint(under: .root(key: .p256()))
        func sample(_ name: String, _ edit: (inout MintedTPMAttest) -> Void = { _ in }) -> [String: Any] {
            let said = mint.certify(mint.attestationKey, boundTo: [], edit: edit)
            return [
                "test": name, "Public": said.publicArea.base64, "CreateData": said.creationData.base64,
                "CreateAttestation": said.attestation.base64, "CreateSignature": said.signature.base64,
            ]
        }
        var samples = [
            sample("genuine"), sample("not of a TPM") { $0.magic = 0xFF54_4348 }, sample("a certification") { $0.type = 0x8017 },
            sample("of another key") { $0.attested = MintedTPMAttest(name: [0, 11], creationHash: [], extraData: []).attested },
            sample("bound") { $0.extraData = [1] },
        ]
        var forged = samples[0]
        (forged["test"], forged["CreateSignature"]) = ("forged", mint.sign([1, 2, 3]).base64)
        mint.attestationKey.attributes = MintedTPMPublic.open
        samples += [forged, sample("no attestation key")]
        let judged = try await JudgedEvidence.judge("tpm", cases: samples)
        #expect(
            judged.results == [
                "genuine": "accept", "not of a TPM": "not_from_tpm", "a certification": "not_from_tpm",
                "of another key": "wrong_key",
                "bound": "wrong_challenge", "forged": "wrong_signature", "no attestation key": "wrong_attributes",
            ])
    }

    // MARK: Files

    @Test("a damaged case is refused and the others are judged", arguments: ["app-attest", "android-chains", "tpm"])
    func damage(_ format: String) async throws {
        let root = TestAuthority.root(key: .p256())
        let folder = try TestFolder()
        defer { folder.remove() }
        let roots = format == "tpm" ? [] : ["--roots", try folder.write("roots.pem", Data(root.pem.utf8))]
        let good: [String: Any]
        switch format {
        case "app-attest":
            let mint = AppAttestMint(appID: EvidenceSample.appID, clientDataHash: EvidenceSample.hash, root: root)
            good = EvidenceSample.appAttest("good", mint)
        case "android-chains": good = EvidenceSample.android("good", EvidenceSample.mint(root).chain())
        default:
            let mint = TPMMint(under: root)
            let said = mint.certify(mint.attestationKey, boundTo: [])
            good = [
                "test": "good", "Public": said.publicArea.base64, "CreateData": said.creationData.base64,
                "CreateAttestation": said.attestation.base64, "CreateSignature": said.signature.base64,
            ]
        }
        let members = good.keys.filter {
            !["name", "test", "assertions", "suggestedVerificationTime", "environment"].contains($0)
        }
        var all: [Any] = [good, 7, NSNull(), "text", [good], [String: Any]()]
        for member in members.sorted() {
            let isList = good[member] is [Any]
            let values: [Any?] = [nil, NSNull(), 7, "not base64!", ["AA=="], [[String]()], [7], [String: Any](), "", "AAAA"]
            for value in values {
                // Any text is an app id, to be refused as another one's.
                if value is String, isList || member == "appId" { continue }
                var changed = good
                changed[member] = value
                all.append(changed)
            }
        }
        all.append(good)
        let file = try folder.write("cases.json", try JSONSerialization.data(withJSONObject: all))
        let judged = try await JudgedEvidence.judge(format, file, roots)
        #expect(judged.summary.cases == all.count && judged.summary.accepted == 2)
        #expect(judged.lines.first?.verdict == "accept" && judged.lines.last?.verdict == "accept")
        #expect(judged.lines[1..<6].map(\.result) == Array(repeating: "malformed", count: 5))
        #expect(judged.lines[1].name == "case 2")

        // One case without a list around it.
        let one = try folder.write("one.json", try JSONSerialization.data(withJSONObject: good))
        #expect(try await JudgedEvidence.judge(format, one, roots).lines.map(\.result) == ["accept"])

        // A file that cannot be read, or has no case, ends with 1 and names the cause.
        let noCases = "it is neither a JSON array of cases nor one case"
        let rows = [
            ("", "it is empty"), ("[]", "it has no case"), ("{", noCases), ("7", noCases), ("\"text\"", noCases),
            ("[1,", noCases), (String(repeating: "[", count: 100_000), noCases),
        ]
        for (text, cause) in rows {
            let bad = try folder.write("bad.json", Data(text.utf8))
            let run = try await Built.run(Built.path("thumbturn"), ["verify", format, bad])
            #expect(run.status == 1 && run.output.isEmpty, "\(text.prefix(9))")
            #expect(run.errors.contains("cannot be read: \(cause)"), "\(text.prefix(9)): \(run.errors)")
        }
        for (path, cause) in [(folder.path + "/absent", "not there"), (folder.path, "a folder"), ("/dev/null", "empty")] {
            let run = try await Built.run(Built.path("thumbturn"), ["verify", format, path])
            #expect(run.status == 1 && run.errors.contains("cannot be read: it is \(cause)"), "\(path)")
        }
        for other in ["app-attest", "android-chains", "tpm"] where other != format {
            let run = try await Built.run(Built.path("thumbturn"), ["verify", other, one])
            #expect(run.status == 1 && run.errors.contains("looks like a file for `thumbturn verify \(format)`"), "\(other)")
        }
    }

    @Test func optionsAreCheckedBeforeTheFileIsJudged() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let file = try folder.write("cases.json", Data("[{}]".utf8))
        let bad = try folder.write("bad", Data("bad".utf8))
        let rows: [(arguments: [String], status: Int32)] = [
            (["app-attest", file, "--at", "noon"], 64), (["app-attest", file, "--environment", "test"], 64),
            (["app-attest", file, "--roots", bad], 1), (["android-chains", file, "--roots", folder.path + "/absent"], 1),
            (["android-chains", file, "--status", bad], 1),
            (["android-chains", file, "--package", "a", "--verification", "pin"], 64),
            (["android-chains", file, "--signing-digest", "00"], 64), (["android-chains", file, "--verification", "none"], 64),
            (["android-chains", file, "--package", "a", "--signing-digest", "00"], 64),
            (["android-chains", file, "--package", "a", "--patch-level", "2026-13"], 64), (["tpm"], 64),
        ]
        for (arguments, status) in rows {
            let run = try await Built.run(Built.path("thumbturn"), ["verify"] + arguments)
            #expect(run.status == status && run.output.isEmpty, "\(arguments): \(run.errors)")
        }
    }

    @Test func theSentencesNameWhatWasExpectedAndWhatWasThere() async throws {
        let root = TestAuthority.root(key: .p256())
        let folder = try TestFolder()
        defer { folder.remove() }
        let mint = EvidenceSample.mint(root) { $0.description.hardwareEnforced[504] = .integer(3) }
        let file = try folder.write(
            "cases.json", try JSONSerialization.data(withJSONObject: [EvidenceSample.android("phone", mint.chain())]))
        let roots = try folder.write("roots.pem", Data(root.pem.utf8))
        func sentences(_ options: [String]) async throws -> String {
            try await Built.run(Built.path("thumbturn"), ["verify", "android-chains", file, "--roots", roots] + options).output
        }
        let path = try await sentences([])
        #expect(path.hasPrefix("phone: accepted, level attestedHardware\n"))
        #expect(path.contains("The key is in TrustedEnvironment and demands the passcode at each use"))
        #expect(path.contains("give Google's list with --status") && path.hasSuffix("1 case: 1 accepted, 0 refused.\n"))
        let policy = try await sentences(["--package", "com.example.bank"])
        #expect(policy.hasPrefix("phone: refused: wrong_authentication\n"))
        #expect(policy.contains("Expected the policy's user verification, found passcode: userAuthType 3."))
        #expect(policy.contains("give the digest with --signing-digest"))
        let other = try await sentences(["--package", "com.example.other", "--package", "com.example.third"])
        #expect(other.contains("found com.example.bank; asked for was com.example.other or com.example.third."), "\(other)")
        let early = try await sentences(["--at", "2014-01-01"])
        #expect(early.contains("is valid from 2020-01-01T00:00:00Z, and now is 2014-01-01T00:00:00Z."), "\(early)")
    }

    @Test func aCasesNameForgesNoLine() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let name = "a\n\u{1b}[31mb: accepted\u{202e}\u{2028}"
        let file = try folder.write("cases.json", try JSONSerialization.data(withJSONObject: [["name": name]]))
        let text = try await Built.run(Built.path("thumbturn"), ["verify", "android-chains", file]).output
        #expect(text.hasPrefix(#"a\u{a}\u{1b}[31mb: accepted\u{202e}\u{2028}: refused: malformed"# + "\n"), "\(text)")
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || (" "..."~").contains($0) })
        #expect(try await JudgedEvidence.judge("android-chains", file).lines.map(\.name) == [name])
    }

    @Test func whatWasAskedForIsNamed() async throws {
        let mint = AppAttestMint(appID: EvidenceSample.appID, clientDataHash: EvidenceSample.hash)
        let sample = EvidenceSample.appAttest("good", mint)
        func explanation(_ members: [String: Any], _ options: [String] = []) async throws -> (reason: String, text: String) {
            let judged = try await JudgedEvidence.judge(
                "app-attest", cases: [sample.merging(members) { $1 }], roots: [mint.root], options)
            let refusal = try #require(judged.lines.first?.refusals.first)
            return (refusal.reason, refusal.explanation)
        }
        let app = try await explanation([:], ["--app-id", "TEAM123456.b", "--app-id", "TEAM123456.a"])
        #expect(app.reason == "wrong_app" && app.text.hasSuffix("; asked for was TEAM123456.a or TEAM123456.b"))
        let other = EvidenceSample.challenge.base64
        let key = try await explanation(["keyId": other])
        #expect(key.reason == "wrong_key" && key.text.hasSuffix("; the key id of the case is \(other)"))
        let hash = try await explanation(["attestationClientDataHash": other])
        #expect(hash.reason == "wrong_challenge" && hash.text.hasSuffix("; the client data hash of the case is \(other)"))
        // What is no hash is no other challenge either.
        for length in [0, 31, 33] {
            let short = try await explanation(["attestationClientDataHash": [UInt8](repeating: 3, count: length).base64])
            #expect(short.reason == "malformed" && short.text.hasSuffix("found \(length)"))
        }
    }

    // MARK: As a device sends it

    private static func base64URL(_ bytes: [UInt8]) -> String {
        bytes.base64.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }

    /// Judges the member `evidence` of an enrolment, which is one object.
    private static func judge(
        _ format: String, sent: [String: Any], _ root: TestAuthority, _ options: [String] = []
    ) async throws -> JudgedEvidence {
        let folder = try TestFolder()
        defer { folder.remove() }
        let file = try folder.write("evidence.json", try JSONSerialization.data(withJSONObject: sent))
        let roots = try folder.write("roots.pem", Data(root.pem.utf8))
        return try await JudgedEvidence.judge(format, file, ["--roots", roots, "--at", EvidenceSample.time] + options)
    }

    @Test func appAttestIsJudgedAsADeviceSendsIt() async throws {
        let value = EvidenceSample.challenge
        let mint = AppAttestMint(appID: EvidenceSample.appID, clientDataHash: Array(SHA256.hash(data: value)))
        let sent: [String: Any] = [
            "format": "apple-appattest", "key_id": mint.keyID.base64, "attestation": Self.base64URL(mint.attestation),
            "attested_value": Self.base64URL(value),
            "assertion": Self.base64URL(mint.assertion(clientDataHash: EvidenceSample.hash, counter: 1).encoded),
        ]
        let app = ["--app-id", EvidenceSample.appID]
        #expect(try await Self.judge("app-attest", sent: sent, mint.root, app).results == ["apple-appattest": "accept"])
        let rows: [(member: String, value: String, reason: String)] = [
            ("attested_value", Self.base64URL(EvidenceSample.hash), "wrong_challenge"),
            ("key_id", EvidenceSample.hash.base64, "wrong_key"), ("attestation", "not base64url!", "malformed"),
        ]
        for (member, value, reason) in rows {
            let judged = try await Self.judge("app-attest", sent: sent.merging([member: value]) { $1 }, mint.root, app)
            #expect(judged.lines.map(\.result) == [reason], "\(member)")
        }
        let other = try await Self.judge("app-attest", sent: sent, mint.root, ["--app-id", "TEAM123456.other"])
        #expect(other.lines.map(\.result) == ["wrong_app"])

        // The evidence does not name its app, and no other command judges it.
        let folder = try TestFolder()
        defer { folder.remove() }
        let file = try folder.write("evidence.json", try JSONSerialization.data(withJSONObject: sent))
        let bare = try await Built.run(Built.path("thumbturn"), ["verify", "app-attest", file])
        #expect(bare.status == 64 && bare.output.isEmpty && bare.errors.contains("--app-id"))
        let wrong = try await Built.run(Built.path("thumbturn"), ["verify", "android-chains", file])
        #expect(wrong.status == 1 && wrong.errors.contains("looks like a file for `thumbturn verify app-attest`"))
    }

    @Test func anAndroidsChainsAreJudgedAsADeviceSendsThem() async throws {
        let root = TestAuthority.root(key: .p256())
        let chain = EvidenceSample.mint(root).chain().map(Self.base64URL)
        let imported = EvidenceSample.mint(root) { $0.description.hardwareEnforced[702] = .integer(2) }
        let chains: [String: Any] = [
            "biometric": chain, "passcode": imported.chain().map(Self.base64URL), "session": [chain[0] + "="], "pin": 7,
        ]
        let sent: [String: Any] = ["format": "android-key", "challenge": "a.challenge", "chains": chains]
        let judged = try await Self.judge("android-chains", sent: sent, root, ["--package", "com.example.bank"])
        #expect(
            judged.results == [
                "biometric": "accept", "passcode": "wrong_origin", "session": "malformed", "pin": "malformed",
            ])
    }

    @Test func aTPMsEvidenceAsADeviceSendsItNeedsItsCredential() async throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        let sent = ["format": "tpm", "attestation_key": "AAAA", "token": "a", "secret": "AAAA"]
        let file = try folder.write("evidence.json", try JSONSerialization.data(withJSONObject: sent))
        let run = try await Built.run(Built.path("thumbturn"), ["verify", "tpm", file])
        #expect(run.status == 1 && run.output.isEmpty && run.errors.contains("needs the credential"))
        #expect(run.errors.contains("server's log"))
    }
}
#endif
