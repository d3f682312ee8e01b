#if Tools
import Crypto
import Foundation
import Thumbturn
import ThumbturnCommands
import ThumbturnMessages
import ThumbturnTestKit

/// What evidence does at a running server: genuine phones, one whose key is worth less, and four forgeries. The evidence is
/// minted under test roots, which the server's policy has to name; `thumbturn lab evidence-policy` writes that policy.
struct EvidenceStory {
    let server: URL
    let password: String
    let roots: EvidenceRoots

    /// The accounts of the phones. Each has one device, so that none cools off.
    static let accounts = ["iris", "sam", "tess", "vic"]

    func play() async throws {
        announce("An iPhone enrols. Its app has App Attest, so a genuine copy of the app vouches for the keys.")
        let iPhone = try phone(evidence: { _ in roots.appAttest() })
        try await iPhone.enrol(with: signIn("iris"), deviceName: "iPhone")
        confirm("the server reports \(try await acr(iPhone)): an app's word, which is no proof of the hardware")

        announce("An Android phone enrols. Its StrongBox signs what the new keys demand at each use.")
        let strongBox = try phone(.android(.finger), evidence: { roots.keystore($0) })
        try await strongBox.enrol(with: signIn("sam"), deviceName: "StrongBox")
        confirm("the server reports \(try await acr(strongBox))")

        announce("The policy demands attested hardware and a biometric for a new recipient.")
        _ = try await strongBox.stepUp(for: .newRecipient, reason: "Add the recipient")
        confirm("the StrongBox phone may add one")
        try await refused("an app's word is less than attested hardware") {
            _ = try await iPhone.stepUp(for: .newRecipient, reason: "Add the recipient")
        }

        announce("Another Android phone has a key in the TEE that the device passcode unlocks as well.")
        let passcode = try phone(
            .android(.finger),
            evidence: {
                roots.keystore($0) { mint, kind in
                    mint.claim = "TEE"
                    mint.description.setLevel(1)
                    if kind == .biometric { mint.description.hardwareEnforced[504] = .integer(3) }
                }
            })
        try await passcode.enrol(with: signIn("tess"), deviceName: "TEE")
        confirm("the server reports \(try await acr(passcode)): the weakest factor that unlocks the key counts")
        try await refused("the passcode adds no recipient") {
            _ = try await passcode.stepUp(for: .newRecipient, reason: "Add the recipient")
        }

        announce("A thief has Vic's password and four forgeries. Each gets the same answer; the reasons are in the audit log.")
        try await forged("a chain under the thief's own root", .android(.finger)) { phone in
            SimulatedKeystore(phone, app: EvidenceRoots.app, root: .root(named: "The thief's own root"))
        }
        try await forged("a genuine key of hardware signs a certificate for one in a file", .android(.finger)) {
            ExtendedKeystore(SimulatedKeystore($0, app: EvidenceRoots.app, root: roots.android))
        }
        try await forged("evidence of a development build", .plain) { _ in roots.appAttest(isProduction: false) }
        try await forged("chains that were made for another phone's challenge", .android(.finger)) {
            ReplayedKeystore(roots.keystore($0))
        }
        print("\nGenuine evidence counts for what it proves, and forged evidence enrols nothing.")
    }

    private func signIn(_ account: String) -> PasswordSignIn { PasswordSignIn(account: account, password: password) }

    private func phone(
        _ model: SimulatedPhone.Model = .plain, evidence: (SimulatedPhone) -> any EvidenceSource
    ) throws -> Authenticator {
        let phone = SimulatedPhone(model)
        var platform = phone.platform(transport: commandTransport())
        platform.evidence = evidence(phone)
        return try Authenticator(server: server, platform: platform)
    }

    private func acr(_ phone: Authenticator) async throws -> String {
        _ = try await phone.authenticate("Unlock Acme")
        return try await phone.me().acr
    }

    private func forged(
        _ what: String, _ model: SimulatedPhone.Model, evidence: (SimulatedPhone) -> any EvidenceSource
    ) async throws {
        let thief = try phone(model, evidence: evidence)
        try await refused(what) { try await thief.enrol(with: signIn("vic"), deviceName: "Forged") }
    }

    private func refused(_ reason: String, _ attempt: () async throws -> Void) async throws {
        do {
            try await attempt()
        } catch let failure as Failure where failure.code == .refused {
            confirm("refused: \(reason)")
            return
        }
        throw UnexpectedOutcome("accepted: \(reason)")
    }
}

/// The test roots of the story. The same seed gives the same roots, so two processes agree on them without a file.
struct EvidenceRoots {
    let apple: TestAuthority
    let android: TestAuthority

    static let appID = "TEAM123456.com.example.acme"
    static let app = MintedApplication(package: "com.example.acme", signingDigest: [UInt8](repeating: 0xAC, count: 32))

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        apple = .root(named: "Thumbturn Test App Attestation Root", key: .p256(using: &generator))
        android = .root(named: "Thumbturn Test Key Attestation Root", key: .p256(using: &generator))
    }

    func appAttest(isProduction: Bool = true) -> SimulatedAppAttest {
        SimulatedAppAttest(appID: Self.appID, root: apple, isProduction: isProduction)
    }

    func keystore(
        _ phone: SimulatedPhone, edit: @escaping @Sendable (inout AndroidMint, KeyKind) -> Void = { _, _ in }
    ) -> SimulatedKeystore {
        SimulatedKeystore(phone, app: Self.app, root: android, edit: edit)
    }

    /// Writes the policies of the story's server into a folder: `evidence.json` with its files of roots, and `actions.json`.
    func write(into folder: String) throws {
        let digest = String(repeating: "ac", count: 32)
        let evidence = """
            {
              "format": "thumbturn-evidence/1",
              "without_evidence": "lower",
              "apple": {
                "app_ids": ["\(Self.appID)"], "environment": "production", "device": "mobile", "roots": ["apple.pem"]
              },
              "android": {
                "apps": [{"package": "com.example.acme", "signing_digests": ["\(digest)"]}],
                "roots": ["android.pem"],
                "status": {"longest_days": 7, "when_unknown": "accept"}
              }
            }

            """
        let actions = """
            {
              "format": "thumbturn-policy/1",
              "preset": "standard",
              "actions": {
                "new-recipient": {
                  "max_age": 0, "keys": ["biometric"], "protection": "attestedHardware", "verification": "biometric"
                }
              }
            }

            """
        let files = ["evidence.json": evidence, "actions.json": actions, "apple.pem": apple.pem, "android.pem": android.pem]
        for (name, text) in files { try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/" + name)) }
    }
}

/// A thief's Keystore: the hardware attests a key of the thief's, which then signs a certificate for the key that is enrolled,
/// with a key description of the thief's own.
private struct ExtendedKeystore: EvidenceSource {
    let genuine: SimulatedKeystore

    init(_ genuine: SimulatedKeystore) { self.genuine = genuine }

    var attestsNewKeys: Bool { true }

    func evidence(_ request: EvidenceRequest) async throws(Failure) -> KeyEvidence? {
        guard let challenge = request.makingChallenge, let session = request.keys.first(where: { $0.key.kind == .session })
        else { return nil }
        let value = Signing.boundValue(challenge: challenge, keys: [session.value])
        let description = MintedKeyDescription(challenge: value, app: genuine.app)
        var chains: [KeyKind: [[UInt8]]] = [:]
        for (name, key) in request.keys where name.kind == .biometric {
            guard let enrolled = try? P256.Signing.PublicKey(x963Representation: key.x963) else { return nil }
            let hardware = AndroidMint(root: genuine.root, claim: "TEE", key: .p256(), description: description)
            let chain = hardware.chain()
            let fake = MintedCertificate(
                named: "Android Keystore Key", spki: Array(enrolled.derRepresentation),
                extensions: [.signsData, MintedExtension(AndroidMint.keyDescription, value: description.der)])
            chains[name.kind] = [fake.signed(by: hardware.key, named: fake.subject)] + chain
        }
        return .androidKey(AndroidKeyEvidence(challenge: challenge, chains: chains))
    }
}

/// Chains of a Keystore that name another challenge than their keys were made for.
private struct ReplayedKeystore: EvidenceSource {
    let genuine: SimulatedKeystore

    init(_ genuine: SimulatedKeystore) { self.genuine = genuine }

    var attestsNewKeys: Bool { true }

    func evidence(_ request: EvidenceRequest) async throws(Failure) -> KeyEvidence? {
        guard case .androidKey(let made)? = try await genuine.evidence(request) else { return nil }
        return .androidKey(AndroidKeyEvidence(challenge: request.challenge, chains: made.chains))
    }
}
#endif
