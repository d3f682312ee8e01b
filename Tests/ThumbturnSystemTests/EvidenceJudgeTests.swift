#if Tools
import Foundation
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnTestKit

/// Independent libraries judge the evidence that the test kit mints: Python's cryptography and cbor2, and openssl. Where they and
/// our verifier differ, the row says why, so that a new difference fails.
@Suite(.enabled(if: JudgeTests.isHere)) struct EvidenceJudgeTests {
    /// Evidence, what our verifier says about it, and what the outside judge says.
    struct Row {
        var name: String
        /// `accept`, or the reason of our refusal.
        var ours: String
        var isAcceptedByJudge: Bool
        /// Why the two differ; nil where they agree.
        var because: String?
        /// For our command.
        var sample: [String: Any] = [:]
        /// For the judge.
        var question: [String: Any] = [:]

        init(_ name: String, _ ours: String = "accept") {
            (self.name, self.ours, isAcceptedByJudge) = (name, ours, ours == "accept")
        }

        /// The judge says the reverse of our verifier.
        init(_ name: String, _ ours: String, differsBecause because: String) {
            (self.name, self.ours, self.because, isAcceptedByJudge) = (name, ours, because, ours != "accept")
        }
    }

    private static let noKeyTwice = "cbor2 takes a key that comes twice, and the last value wins"

    /// The judge's line for each question: what it found, or nil for a refusal.
    private static func ask(_ questions: [[String: Any]]) async throws -> [[String: Any]?] {
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "Judges/evidence_judge.py")
        let lines = try questions.map {
            String(decoding: try JSONSerialization.data(withJSONObject: $0, options: .sortedKeys), as: UTF8.self) + "\n"
        }
        let run = try await Built.run(JudgeTests.python, [script.path], input: lines.joined())
        #expect(run.status == 0, "\(run.errors)")
        let answers = run.output.split(separator: "\n")
        try #require(answers.count == questions.count)
        return try answers.map { line in
            guard line.hasPrefix("accepted ") else {
                #expect(line.hasPrefix("refused: "))
                return nil
            }
            let found = try JSONSerialization.jsonObject(with: Data(line.dropFirst("accepted ".count).utf8))
            return try #require(found as? [String: Any])
        }
    }

    /// Compares both judgements of each row, and returns what the judge found.
    private static func compare(
        _ format: String, _ rows: [Row], roots: [TestAuthority], _ options: [String] = []
    ) async throws -> [String: [String: Any]] {
        let ours = try await JudgedEvidence.judge(format, cases: rows.map(\.sample), roots: roots, options)
        let found = try await ask(rows.map(\.question))
        for (row, answer) in zip(rows, found) {
            #expect(ours.results[row.name] == row.ours, "\(row.name)")
            #expect((answer != nil) == row.isAcceptedByJudge, "\(row.name): \(row.because ?? "the judges agree")")
        }
        return Dictionary(uniqueKeysWithValues: zip(rows, found).compactMap { row, answer in answer.map { (row.name, $0) } })
    }

    // MARK: App Attest

    @Test func attestationsAreJudgedAlike() async throws {
        let root = TestAuthority.root(named: "Root")
        typealias Edit = (inout AppAttestMint) -> Void
        func cose(_ mint: AppAttestMint, first: MintedCBOR) -> MintedCBOR {
            guard case .map(let members) = AppAttestMint.cose(mint.key.x963 ?? []) else { preconditionFailure("a key is a map") }
            return .map([(first, .int(1))] + members)
        }
        let launch = AppAttestMint.launch(category: 4, bundleVersion: "7")
        let mints: [(Row, Edit)] = [
            (Row("genuine"), { _ in }), (Row("iOS 27"), { $0.extensions = launch }),
            (Row("a phone's access policy"), { $0.accessPolicy = AppAttestMint.phoneAccessPolicy }),
            (Row("development", "wrong_environment"), { $0.aaguid = AppAttestMint.development }),
            (Row("another app", "wrong_app"), { $0.appID = "TEAM123456.other" }),
            (Row("used", "counter_not_zero"), { $0.counter = 1 }),
            (Row("another credential", "wrong_key"), { $0.credentialID = EvidenceSample.hash }),
            (Row("another nonce", "wrong_challenge"), { $0.clientDataHash = EvidenceSample.challenge }),
            (Row("another format", "unsupported"), { $0.format = "packed" }),
            (Row("no flag of a credential", "malformed"), { $0.flags = 0 }),
            (Row("bytes at the end", "malformed"), { $0.trailing = [0] }),
            (Row("expired", "expired"), { $0.leaf = { $0.notAfter = UnixTime(seconds: 1_600_000_000) } }),
            (Row("of tomorrow", "not_yet_valid"), { $0.leaf = { $0.notBefore = UnixTime(seconds: 1_900_000_000) } }),
            (Row("another key in the data", "wrong_key"), { $0.credentialKey = AppAttestMint.cose(MintedKey.p256().x963 ?? []) }),
            (Row("the root in the chain"), { [root] in $0.chain = { $0 + [root.certificate] } }),
            (Row("without the authority", "untrusted_root"), { $0.chain = { [$0[0]] } }),
            (Row("turned round", "untrusted_root"), { $0.chain = { $0.reversed() } }),
            (
                Row("an authority that is none", "not_an_authority"),
                { mint in
                    mint.intermediate = mint.root.authority(named: "none", key: .p256()) {
                        $0.extensions = [.notAuthority, .signsCertificates]
                    }
                }
            ),
            (
                Row("a key twice in the key", "malformed", differsBecause: Self.noKeyTwice),
                { $0.credentialKey = cose($0, first: .int(1)) }
            ),
            (
                Row("a key twice in two spellings", "malformed", differsBecause: Self.noKeyTwice),
                { $0.credentialKey = cose($0, first: .wide(.int(1), bytes: 1)) }
            ),
            (
                Row("a key twice in the extensions", "malformed", differsBecause: Self.noKeyTwice),
                {
                    $0.extensions = .object([
                        ("apple_validation_category_01", .bytes([3, 0, 0, 0])),
                        ("apple_validation_category_01", .bytes([4, 0, 0, 0])),
                    ])
                }
            ),
            (
                Row(
                    "a key of a longer head", "malformed",
                    differsBecause: "the judge demands the canonical form of the object alone"),
                { mint in
                    guard case .map(var members) = AppAttestMint.cose(mint.key.x963 ?? []) else { return }
                    members[0].key = .wide(.int(1), bytes: 1)
                    mint.credentialKey = .map(members)
                }
            ),
            (
                Row(
                    "an unknown critical extension", "unknown_critical_extension",
                    differsBecause: "cryptography's check of one signature reads no extensions"),
                { $0.leaf = { $0.extensions.append(MintedExtension("1.2.3.4", .yes, value: [5, 0])) } }
            ),
            (
                Row(
                    "a flag without extensions", "malformed",
                    differsBecause: "the flag promises extensions, and the judge reads what is there"),
                { $0.flags = 0xC0 }
            ),
        ]
        var rows: [Row] = []
        func add(_ row: Row, _ mint: AppAttestMint, _ object: [UInt8]) {
            var row = row
            row.sample = EvidenceSample.appAttest(row.name, mint, attestation: object)
            row.question = [
                "kind": "app-attest", "attestation": object.base64, "keyID": mint.keyID.base64,
                "clientDataHash": EvidenceSample.hash.base64, "appID": EvidenceSample.appID, "environment": "production",
                "root": root.certificate.base64, "at": EvidenceSample.seconds,
            ]
            rows.append(row)
        }
        func mint() -> AppAttestMint {
            AppAttestMint(appID: EvidenceSample.appID, clientDataHash: EvidenceSample.hash, root: root)
        }
        var keys: [String: String] = [:]
        for (row, edit) in mints {
            var mint = mint()
            edit(&mint)
            keys[row.name] = mint.key.x963?.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
            add(row, mint, mint.attestation)
        }
        // Other forms of the object itself, which the judge writes anew and compares.
        let good = mint()
        add(Row("bytes behind the object", "malformed"), good, good.attestation + [0])
        add(Row("members in another order", "malformed"), good, MintedCBOR.object(good.members.reversed()).encoded)
        add(Row("a member twice", "malformed"), good, MintedCBOR.object([good.members[0]] + good.members).encoded)
        add(Row("of indefinite length", "malformed"), good, MintedCBOR.indefinite(.object(good.members)).encoded)
        add(Row("a longer head", "malformed"), good, MintedCBOR.wide(.object(good.members), bytes: 1).encoded)
        let other = AppAttestMint(appID: EvidenceSample.appID, clientDataHash: EvidenceSample.hash)
        add(Row("another root", "untrusted_root"), other, other.attestation)

        let found = try await Self.compare("app-attest", rows, roots: [root])
        for (name, verdict) in found { #expect(verdict["key"] as? String == keys[name], "\(name)") }
        #expect(
            found["iOS 27"]?["launch"] as? [String: String] == [
                "apple_bundle_version_01": "7", "apple_validation_category_01": "04000000",
            ])
        // What the last value of two would have said.
        let twice = found["a key twice in the extensions"]?["launch"] as? [String: String]
        #expect(twice == ["apple_validation_category_01": "04000000"])
    }

    @Test func assertionsAreJudgedAlike() async throws {
        let mint = AppAttestMint(appID: EvidenceSample.appID, clientDataHash: EvidenceSample.hash)
        let good = mint.assertion(clientDataHash: EvidenceSample.hash, counter: 5)
        func edited(_ edit: (inout AppAttestMint.Assertion) -> Void) -> [UInt8] {
            var assertion = good
            edit(&assertion)
            return assertion.encoded
        }
        let members = good.members
        let rows: [(Row, [UInt8])] = [
            (Row("genuine"), good.encoded), (Row("by another key", "wrong_signature"), edited { $0.key = .p256() }),
            (Row("over other data", "wrong_signature"), edited { $0.clientDataHash = EvidenceSample.challenge }),
            (Row("of another app", "wrong_app"), edited { $0.appID = "TEAM123456.other" }),
            (Row("the counter 0", "counter_not_greater"), edited { $0.counter = 0 }),
            (Row("a member twice", "malformed"), MintedCBOR.object([members[0]] + members).encoded),
            (Row("a further member", "malformed"), MintedCBOR.object([("a", .int(1))] + members).encoded),
            (Row("bytes behind the object", "malformed"), good.encoded + [0]),
            (Row("bytes behind the data", "malformed"), edited { $0.trailing = [1] }),
        ]
        // Each is the first assertion of its key, so a case of its own with the attestation before it.
        let samples = rows.map { row, bytes in
            EvidenceSample.appAttest(row.name, mint)
                .merging(["assertions": [["assertion": bytes.base64, "clientDataHash": EvidenceSample.hash.base64]]]) { $1 }
        }
        let ours = try await JudgedEvidence.judge("app-attest", cases: samples, roots: [mint.root])
        let found = try await Self.ask(
            rows.map { _, bytes in
                [
                    "kind": "app-attest-assertion", "assertion": bytes.base64, "appID": EvidenceSample.appID,
                    "clientDataHash": EvidenceSample.hash.base64, "key": (mint.key.x963 ?? []).base64, "lastCounter": 0,
                ]
            })
        for ((row, _), answer) in zip(rows, found) {
            #expect(ours.results[row.name] == "accept" && ours.results["\(row.name) assertion 1"] == row.ours, "\(row.name)")
            #expect((answer != nil) == row.isAcceptedByJudge, "\(row.name)")
        }
        #expect(found[0]?["counter"] as? Int == 5)
    }

    // MARK: Android

    @Test func chainsAreJudgedAlike() async throws {
        let root = TestAuthority.root(key: .p256())
        typealias Edit = (inout AndroidMint) -> Void
        let rules = "the judge walks no fixed path and knows no way of provisioning"
        let levels = "the judge tells the level and leaves it to the policy"
        let mints: [(Row, Edit)] = [
            (Row("factory"), { _ in }), (Row("remote"), { $0.form = .remote }), (Row("direct"), { $0.form = .direct }),
            (Row("without its root"), { $0.hasRoot = false }),
            (
                Row("StrongBox"),
                {
                    $0.claim = "StrongBox"
                    $0.description.setLevel(2)
                }
            ),
            (Row("P-384 and RSA"), { ($0.intermediateKey, $0.attestationKey) = (.rsa(), .p384()) }),
            (Row("an RSA key"), { $0.key = .rsa() }),
            (Row("no face"), { $0.description.hardwareEnforced[503] = .null }),
            (Row("lists in another order"), { $0.description.hardwareEnforced.members.reverse() }),
            (Row("expired factory"), { $0.editIntermediate = { $0.notAfter = UnixTime(seconds: 1_700_000_000) } }),
            (Row("an authority that is none"), { $0.editAttestation = { $0.extensions[0] = .notAuthority } }),
            (Row("locked as 01"), { $0.description.hardwareEnforced[704] = .rootOfTrust(isLockedAsOne: true) }),
            (Row("no description", "no_key_description"), { $0.editTarget = { $0.extensions.removeLast() } }),
            (
                Row("of tomorrow", "not_yet_valid"), { $0.editAttestation = { $0.notBefore = UnixTime(seconds: 1_900_000_000) } }
            ),
            (
                Row("another issuer's name", "broken_chain"),
                { $0.editTarget = { $0.issuer = MintedCertificate(named: "x", spki: []).subject } }
            ),
            (Row("two levels", "wrong_security_level"), { $0.description.keyMintLevel = 2 }),
            (
                Row("a tag twice", "malformed"),
                { $0.description.hardwareEnforced.members.insert((tag: 504, value: .integer(3)), at: 0) }
            ),
            (
                Row("software", "wrong_security_level", differsBecause: levels),
                {
                    $0.claim = nil
                    $0.description.setLevel(0)
                }
            ),
            (Row("TEE as StrongBox", "wrong_security_level", differsBecause: levels), { $0.description.setLevel(2) }),
            (
                Row("expired remote", "expired", differsBecause: rules),
                {
                    $0.form = .remote
                    $0.editServer = { $0.notAfter = UnixTime(seconds: 1_700_000_000) }
                }
            ),
            (
                Row("four from the factory", "unknown_path", differsBecause: rules),
                {
                    $0.form = .remote
                    $0.editAttestation = { $0.extensions.removeLast() }
                }
            ),
            (
                Row("a purpose twice", "malformed", differsBecause: "the judge reads the members of a set one by one"),
                { $0.description.hardwareEnforced[1] = .integers([2, 2]) }
            ),
            (
                Row(
                    "ECDSA with NULL", "accept",
                    differsBecause: "cryptography reads no ECDSA with a parameter, which StrongBoxes write"),
                { mint in
                    let algorithm = mint.attestationKey.algorithm().withNull
                    mint.editTarget = { $0.algorithm = algorithm }
                }
            ),
            (
                Row("critical as 01", "accept", differsBecause: "cryptography reads no BOOLEAN of 01, which StrongBoxes write"),
                { $0.editTarget = { $0.extensions[0].criticality = .one } }
            ),
        ]
        var rows: [Row] = []
        var keys: [String: [UInt8]] = [:]
        func add(_ row: Row, _ chain: [[UInt8]]) {
            var row = row
            row.sample = EvidenceSample.android(row.name, chain)
            row.question = [
                "kind": "android", "chain": chain.map(\.base64), "challenge": EvidenceSample.challenge.base64,
                "root": root.certificate.base64, "at": EvidenceSample.seconds,
            ]
            rows.append(row)
        }
        for (row, edit) in mints {
            let mint = EvidenceSample.mint(root, edit: edit)
            keys[row.name] = mint.key.x963
            add(row, mint.chain())
        }
        let good = EvidenceSample.mint(root)
        let chain = good.chain()
        let attacker = TestAuthority(key: good.key, named: "Android Keystore Key", certificate: chain[0])
        let fake = MintedCertificate(
            named: "mine", spki: MintedKey.p256().spki,
            extensions: [MintedExtension(AndroidMint.keyDescription, value: good.description.der)])
        add(Row("extended", "chain_extended"), [attacker.issue(fake)] + chain)
        add(Row("another root", "untrusted_root"), EvidenceSample.mint(.root(key: .p256())).chain())
        add(Row("of two chains", "broken_chain"), [EvidenceSample.mint(root).chain()[0]] + chain.dropFirst())
        add(Row("the root alone", "broken_chain"), [root.certificate])

        let found = try await Self.compare("android-chains", rows, roots: [root], ["--at", EvidenceSample.time])
        for (name, verdict) in found where keys[name] != nil {
            let key = keys[name]?.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
            #expect(verdict["key"] as? String == key && verdict["origin"] as? Int == 0, "\(name)")
        }
        let factory = try #require(found["factory"])
        #expect(factory["userAuthType"] as? Int == 2 && factory["level"] as? Int == 1 && factory["patchLevel"] as? Int == 202_607)
        #expect(factory["noAuthRequired"] as? Bool == false && factory["deviceLocked"] as? Bool == true)
        #expect(found["no face"]?["noAuthRequired"] as? Bool == true && found["StrongBox"]?["level"] as? Int == 2)
        // The judge takes 01 for false, and ours for true: it stands in a structure that the judge reads by itself.
        #expect(found["locked as 01"]?["deviceLocked"] as? Bool == false)
    }

    // MARK: openssl

    @Test(.enabled(if: TranscriptTests.areHere)) func opensslVerifiesTheChainsByTheRulesOfX509() async throws {
        let root = TestAuthority.root(named: "Root")
        func appAttest(_ edit: (inout AppAttestMint) -> Void = { _ in }) -> [[UInt8]] {
            var mint = AppAttestMint(appID: EvidenceSample.appID, clientDataHash: EvidenceSample.hash, root: root)
            edit(&mint)
            return mint.certificates
        }
        func android(_ edit: (inout AndroidMint) -> Void = { _ in }) -> [[UInt8]] {
            EvidenceSample.mint(root, edit: edit).chain()
        }
        let past = UnixTime(seconds: 1_700_000_000)
        let own = "Android's certificates do not follow RFC 5280, and our path reads them as Google's does"
        // The certificates, whether openssl accepts them, and whether our path does.
        let rows: [(name: String, chain: [[UInt8]], openssl: Bool, ours: Bool, because: String?)] = [
            ("App Attest", appAttest(), true, true, nil),
            ("App Attest, expired", appAttest { $0.leaf = { $0.notAfter = past } }, false, false, nil),
            ("App Attest, of two chains", [appAttest()[0], appAttest()[1]], false, false, nil),
            (
                "App Attest, no authority",
                appAttest { mint in
                    mint.intermediate = root.authority(named: "none", key: .p256()) {
                        $0.extensions = [.notAuthority, .signsCertificates]
                    }
                }, false, false, nil
            ),
            (
                "App Attest, unknown critical extension",
                appAttest { $0.leaf = { $0.extensions.append(MintedExtension("1.2.3.4", .yes, value: [5, 0])) } }, false, false,
                nil
            ),
            ("factory", android(), true, true, nil), ("remote", android { $0.form = .remote }, true, true, nil),
            ("without its root", android { $0.hasRoot = false }, true, true, nil),
            ("another root", EvidenceSample.mint(.root(named: "Root", key: .p384())).chain(), false, false, nil),
            (
                "expired remote",
                android { mint in
                    mint.form = .remote
                    mint.editServer = { $0.notAfter = past }
                }, false, false, nil
            ),
            ("expired factory", android { $0.editIntermediate = { $0.notAfter = past } }, false, true, own),
            ("an expired key's certificate", android { $0.editTarget = { $0.notAfter = past } }, false, true, own),
            ("no authority", android { $0.editAttestation = { $0.extensions[0] = .notAuthority } }, false, true, own),
            (
                "ECDSA with NULL",
                android { mint in
                    let algorithm = mint.attestationKey.algorithm().withNull
                    mint.editTarget = { $0.algorithm = algorithm }
                }, true, true, nil
            ),
        ]
        let folder = try TestFolder()
        defer { folder.remove() }
        let trusted = try folder.write("root.pem", Data(root.pem.utf8))
        for row in rows {
            let pem = row.chain.map { "-----BEGIN CERTIFICATE-----\n\($0.lines)\n-----END CERTIFICATE-----\n" }
            let leaf = try folder.write("leaf.pem", Data(pem[0].utf8))
            let others = try folder.write("others.pem", Data(pem.dropFirst().joined().utf8))
            let run = try await Built.run(
                "/usr/bin/env",
                [
                    "openssl", "verify", "-CAfile", trusted, "-untrusted", others, "-attime", "\(EvidenceSample.seconds)", leaf,
                ])
            #expect((run.status == 0) == row.openssl, "\(row.name): \(run.output)\(run.errors)")
            #expect((row.openssl == row.ours) == (row.because == nil), "\(row.name)")
        }
        let chains = rows.filter { !$0.name.hasPrefix("App Attest") }
        let ours = try await JudgedEvidence.judge(
            "android-chains", cases: chains.map { EvidenceSample.android($0.name, $0.chain) }, roots: [root],
            ["--at", EvidenceSample.time])
        for row in chains { #expect((ours.results[row.name] == "accept") == row.ours, "\(row.name)") }
    }
}

extension [UInt8] {
    /// Base64 in the lines of PEM.
    fileprivate var lines: String { Data(self).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed]) }
}
#endif
