import Crypto
import Foundation
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice

@testable import ThumbturnLinux
@testable import ThumbturnMatcher

/// The matcher's rules, which need neither a TPM nor a reader.
@Suite struct MatcherRulesTests {
    static let server = "https://id.example"
    let identity: MatcherIdentity
    let name = KeyName(server: server, account: "ada", enrolment: 7, kind: .biometric)
    let area: TPMPublicArea
    let kid: String

    init() throws {
        func publicKey() throws -> PublicKey {
            try #require(PublicKey(x963: Array(P256.Signing.PrivateKey().publicKey.x963Representation)))
        }
        let guardian = try publicKey()
        identity = MatcherIdentity(key: JWK(guardian), counter: TPMIndex(handle: 1, name: [1, 2]), value: 4)
        let signer = TPMPublicArea(verifying: guardian)
        var area = TPMPublicArea.guarded(
            by: .biometric(matcher: signer.name, reference: name.reference, counter: identity.counter.name, at: 4)
        )
        let key = try publicKey()
        let point = key.x963
        (area.x, area.y) = (Array(point[1..<33]), Array(point[33...]))
        self.area = area
        kid = Signing.thumbprint(of: key)
    }

    private func challenge(
        iss: String = server, aud: String = server, kids: [String]? = nil, purpose: Purpose = .signIn,
        txn: String? = nil
    ) -> String {
        let claims = ChallengeClaims(
            iss: iss, aud: aud, jti: "j", iat: UnixTime(seconds: 1), exp: UnixTime(seconds: 2), kids: kids ?? [kid],
            cnf: KeyConfirmation(jkt: "k"), purpose: purpose, txn: txn.map { Base64URL.encode($0.utf8) }
        )
        let input = CompactJWS.signingInput(header: Array(#"{"alg":"HS256"}"#.utf8), payload: Signing.encode(claims))
        return CompactJWS.compact(signingInput: input, signature: [1])
    }

    private func refusal(of request: MatchRequest, for identity: MatcherIdentity? = nil) -> MatcherRefusal? {
        do throws(MatcherRefusal) {
            _ = try request.checked(for: identity ?? self.identity)
            return nil
        } catch {
            return error
        }
    }

    private func request(
        _ message: [UInt8]? = nil, name: KeyName? = nil, key: TPMPublicArea? = nil
    ) -> MatchRequest {
        MatchRequest(
            name ?? self.name, key: key ?? area, message: message ?? Signing.proofInput(challenge: challenge(), kid: kid))
    }

    @Test func theMatcherComputesTheCommandThatItSigns() throws {
        let message = Signing.proofInput(challenge: challenge(), kid: kid)
        let checked = try request(message).checked(for: identity)
        #expect(checked.command == TPMAuthorization.signing(Array(SHA256.hash(data: message)), with: area.name))
        #expect(checked.reference == name.reference)
        #expect(checked.issuer == Self.server)
        #expect(checked.prompt(for: "ada") == "ada: touch the reader to sign in to https://id.example")
        let other = try request(Signing.proofInput(challenge: challenge(purpose: .enrol), kid: kid)).checked(for: identity)
        #expect(other.prompt(for: "ada") == "ada: touch the reader to set this device up for https://id.example")
        #expect(other.command != checked.command)
        let stepUp = try request(Signing.proofInput(challenge: challenge(purpose: .stepUp), kid: kid)).checked(for: identity)
        #expect(stepUp.prompt(for: "ada") == "ada: touch the reader to confirm an action at https://id.example")
    }

    @Test func theTransactionIsShownAtTheReader() throws {
        func prompt(payee: String, more: String = "") throws -> String {
            let txn = #"""
                {"type":"urn:eudi:sca:payment:1","payload":{"transaction_id":"1","payee":{"name":"\#(payee)","id":"1"},\#
                "currency":"EUR","amount":"12.50"\#(more)}}
                """#
            let message = Signing.proofInput(challenge: challenge(purpose: .approve, txn: txn), kid: kid)
            return try request(message).checked(for: identity).prompt(for: "ada")
        }
        #expect(
            try prompt(payee: "Super Store")
                == "ada: touch the reader to approve at https://id.example: Payment, 12.50 EUR, Super Store")
        #expect(try prompt(payee: "ООО Store").contains("letter by letter"))
        for name in ["Super\u{202E}erots", "Supеr"] { #expect(throws: MatcherRefusal.malformed) { _ = try prompt(payee: name) } }
        #expect(throws: MatcherRefusal.malformed) { _ = try prompt(payee: "Super Store", more: #","fee":"1""#) }
        #expect(refusal(of: request(Signing.proofInput(challenge: challenge(purpose: .approve), kid: kid))) == .malformed)
    }

    @Test func onlyAProofOfThisKeyForThisServerIsSigned() throws {
        let claims = DPoPClaims(
            jti: "a", htm: "POST", htu: Self.server, iat: UnixTime(seconds: 1), ath: nil, nonce: "n", bdy: nil)
        let key = try #require(area.publicKey)
        let bad: [(String, [UInt8])] = [
            ("nothing", []), ("text", Array("Pay Mallory".utf8)), ("a digest", [UInt8](repeating: 7, count: 32)),
            ("a DPoP proof", Signing.dpopInput(claims, key: key)),
            ("a proof with another kid", Signing.proofInput(challenge: challenge(), kid: "other")),
            ("a challenge for other keys", Signing.proofInput(challenge: challenge(kids: ["other"]), kid: kid)),
            ("another server's challenge", Signing.proofInput(challenge: challenge(iss: "https://evil.example"), kid: kid)),
            ("another audience", Signing.proofInput(challenge: challenge(aud: "https://evil.example"), kid: kid)),
            ("no challenge", Signing.proofInput(challenge: "x.y.z", kid: kid)),
            ("a whole JWS", Signing.proofInput(challenge: challenge(), kid: kid) + Array(".AA".utf8)),
            ("a line more", Signing.proofInput(challenge: challenge(), kid: kid) + [10]),
        ]
        for (name, message) in bad { #expect(refusal(of: request(message)) == .malformed, "\(name)") }
    }

    @Test func noControlCharacterReachesTheScreenOrTheLog() {
        for server in [
            "https://a\n", "\u{1B}[2Khttps://a", "https://a b", "https://\u{202E}a", "", String(repeating: "a", count: 257),
        ] {
            let message = Signing.proofInput(challenge: challenge(iss: server, aud: server), kid: kid)
            let name = KeyName(server: server, account: "ada", enrolment: 7, kind: .biometric)
            #expect(refusal(of: request(message, name: name)) != nil)
            if !server.isEmpty { #expect(refusal(of: request(message, name: name)) == .malformed, "\(server.debugDescription)") }
        }
    }

    @Test func aKeyOfAnotherEnrolmentIsRefused() {
        var later = identity
        later.value += 1
        #expect(refusal(of: request(), for: later) == .enrolmentChanged)
        var another = identity
        another.counter.name = [3]
        #expect(refusal(of: request(), for: another) == .enrolmentChanged)
        var unguarded = area
        unguarded.policy = []
        #expect(refusal(of: request(key: unguarded)) != nil)
        var open = area
        open.attributes.insert(.userWithAuth)
        #expect(refusal(of: request(key: open)) != nil)
        var elsewhere = name
        elsewhere.account = "eve"
        #expect(refusal(of: request(name: elsewhere)) == .enrolmentChanged, "the name is part of the key's policy")
    }

    @Test func referencesTellKeysApart() {
        let names = [
            name, KeyName(server: "https://id.examplea", account: "da", enrolment: 7, kind: .biometric),
            KeyName(server: Self.server, account: "ada", enrolment: 8, kind: .biometric),
            KeyName(server: Self.server, account: "ada", enrolment: 7, kind: .pin),
        ]
        #expect(Set(names.map(\.reference)).count == names.count)
    }

    // MARK: - Prints

    #if LinuxDevice && os(Linux)
    @Test func everyChangeOfThePrintsIsNoticedAndALinkIsRefused() throws {
        let files = FileManager.default
        let folder = files.temporaryDirectory.path + "/thumbturn-prints-\(UUID().uuidString)"
        defer { try? files.removeItem(atPath: folder) }
        let prints = EnrolledPrints(folder: folder)
        #expect(throws: (any Error).self) { try prints.snapshot(of: "ada") }
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var seen: [[UInt8]] = []
        func fileCount() throws -> Int {
            let snapshot = try prints.snapshot(of: "ada")
            #expect(!seen.contains(snapshot.digest), "snapshot \(seen.count) equals an earlier one")
            seen.append(snapshot.digest)
            return snapshot.files
        }
        func write(_ text: String, _ path: String) throws {
            let url = URL(fileURLWithPath: "\(folder)/ada/\(path)")
            try files.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: url)
        }
        #expect(try fileCount() == 0)
        try write("one", "driver/0/7")
        #expect(try fileCount() == 1)
        try write("two", "driver/0/7")
        #expect(try fileCount() == 1, "replaced")
        try write("two", "driver/0/8")
        #expect(try fileCount() == 2, "added")
        try files.removeItem(atPath: "\(folder)/ada/driver/0/7")
        #expect(try fileCount() == 1, "removed")
        try files.moveItem(atPath: "\(folder)/ada/driver", toPath: "\(folder)/ada/river")
        #expect(try fileCount() == 1, "of another reader")
        try files.copyItem(atPath: "\(folder)/ada", toPath: "\(folder)/bob")
        #expect(try prints.snapshot(of: "bob") != prints.snapshot(of: "ada"), "of another user with the same files")
        try files.createSymbolicLink(atPath: "\(folder)/ada/link", withDestinationPath: "/tmp")
        #expect(throws: EnrolledPrints.NotAFile.self) { try prints.snapshot(of: "ada") }
        try files.createSymbolicLink(atPath: "\(folder)/eve", withDestinationPath: "\(folder)/ada/river")
        #expect(throws: EnrolledPrints.NotAFile.self) { try prints.snapshot(of: "eve") }
    }

    #endif

    @Test func everyRefusalHasAFailureWithANextStep() {
        let all: [MatcherRefusal] = [
            .malformed, .busy, .wait(seconds: 3), .enrolmentChanged, .reader("verify-disconnected"), .withdrawn, .timedOut,
            .broken, .off, .notEnrolled, .notPermitted,
        ]
        for refusal in all { #expect(refusal.failure.code != .notMatched, "no refusal is a mismatch") }
        #expect(MatcherRefusal.enrolmentChanged.failure.recovery == .reEnrol)
        #expect(MatcherRefusal.wait(seconds: 3).failure.recovery == .wait(.seconds(3)))
        #expect(MatcherRefusal.off.failure.recovery == .fallBack(.appPIN))
        for refusal in [MatcherRefusal.withdrawn, .timedOut, .enrolmentChanged, .reader("verify-disconnected")] {
            #expect(MatcherRefusal(refusal.failure) == refusal)
        }
    }
}

extension MatchRequest {
    /// All checks of the matcher, in its order.
    fileprivate func checked(for identity: MatcherIdentity) throws(MatcherRefusal) -> CheckedMatchRequest {
        let request = try checked()
        try request.confirm(identity)
        return request
    }
}
