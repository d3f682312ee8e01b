import TestSupport
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnTestKit
@testable import ThumbturnDevice

/// Every record that the library keeps, brought back without its key, as by a backup: it counts as absent, and goes. No person
/// is kept out by it.
@Suite struct RestoreTests {
    /// The beginnings of the names of all records. One that is missing here was not thought of: add it, and see that the tests
    /// below hold for it.
    static let kinds = [
        "assignment token", "biometric ledger", "biometric offer", "enrolment mark", "enrolments", "former vault",
        "numbers of vault", "open flow", "pace", "pin ledger", "policy document", "preferred rung", "sensor switch",
        "sensor switches", "session", "telemetry owner", "vault",
    ]
    static let phones = SimulatedPhone.Model.catalogue.indices

    static func kind(of name: String) -> String { kinds.first { name == $0 || name.hasPrefix($0 + " ") } ?? "unknown: \(name)" }

    /// The records that one enrolment, visit or vault has, under its number.
    static let numbered = ["biometric ledger", "pin ledger", "session"]

    @Test("the kinds of records are known", arguments: phones)
    func kinds(_ model: Int) async throws {
        let model = SimulatedPhone.Model.catalogue[model]
        for keeping in [SessionKeeping.stored, .untilLock] {
            // A sensor that unlocks no key has no pace and no ledger, and some systems tell no mark.
            let expected = Self.kinds.filter { kind in
                switch kind {
                case "pace", "biometric ledger": model.isStrong
                case "enrolment mark": model.tellsMark
                case "session": keeping == .stored
                default: true
                }
            }
            try await Life.tell(on: model, keeping) { life in
                #expect(Set(life.phone.secrets.names.map(Self.kind)).sorted() == expected, "\(model.name), \(keeping)")
            }
        }
    }

    @Test("a record that lost its key keeps no person out", arguments: phones)
    func oneRecord(_ model: Int) async throws {
        let model = SimulatedPhone.Model.catalogue[model]
        for (index, kind) in Self.kinds.enumerated() {
            let keeping = index.isMultiple(of: 2) || kind == "session" ? SessionKeeping.stored : .untilLock
            // Each call comes first for some record of some model.
            let first = (model.name.utf8.count + index * 5) % Life.calls.count
            try await Life.tell(on: model, keeping) { life in
                life.phone.secrets.seal(life.phone.secrets.names.filter { Self.kind(of: $0) == kind })
                let problems = try await life.problemsOfTheNextProcess(first: first)
                #expect(problems == [], "\(model.name), \(keeping), \(kind), \(Life.calls[first].name) first")
            }
        }
    }

    @Test("nor do all of them, on this phone or another one", arguments: phones, [false, true])
    func allRecords(_ model: Int, _ isAnotherPhone: Bool) async throws {
        let model = SimulatedPhone.Model.catalogue[model]
        for first in Life.calls.indices where (first + model.name.utf8.count) % 8 == (isAnotherPhone ? 0 : 4) {
            try await Life.tell(on: model, .stored) { life in
                life.sealEverything(isAnotherPhone: isAnotherPhone)
                let problems = try await life.problemsOfTheNextProcess(first: first)
                #expect(problems == [], "\(model.name), \(Life.calls[first].name) first")
            }
        }
    }

    /// Only the journal and the vault's record knew the numbers of these, so the store itself deletes them.
    @Test("a record whose number is lost goes too", arguments: [false, true])
    func numberedRecords(_ isAnotherPhone: Bool) async throws {
        try await Life.tell(on: .android(), .stored) { life in
            life.sealEverything(isAnotherPhone: isAnotherPhone)
            _ = try await life.problemsOfTheNextProcess(first: 0)
            let left = life.phone.secrets.names.map(Self.kind).filter(Self.numbered.contains)
            #expect(left == [])
        }
    }
}

/// A person who has used everything that the library keeps records of.
private struct Life: Sendable {
    let phone: SharedPhone
    let access: VaultAccess
    let app: PhoneProcess

    static let byPIN = UnlockPolicy(ladder: [.appPIN])
    static let vault = "notes"

    /// Runs a story after the person has used everything, and their app was killed in the middle of an unlock.
    static func tell(
        on model: SimulatedPhone.Model, _ keeping: SessionKeeping, _ story: @escaping @Sendable (Life) async throws -> Void
    ) async throws {
        let phone = SharedPhone(model, keeping)
        let access: VaultAccess = !model.isStrong ? .passcode : model.hasPasscode ? .userPresence : .biometryCurrentSet
        try await phone.clock.run {
            let life = Life(phone: phone, access: access, app: try phone.start(collecting: true))
            try await life.live()
            let unfinished = Task(executorPreference: phone.clock.executor) {
                await failure { _ = try await phone.start().auth.authenticate("Unlock") }
            }
            phone.phone.next(.ignore)
            phone.phone.pins(.ignore)
            try await phone.pass(.seconds(2))
            phone.phone.killApp()
            phone.phone.forgetActs()
            phone.phone.forgetPINs()
            try await story(life)
            unfinished.cancel()
        }
    }

    /// Brings everything back without its key.
    func sealEverything(isAnotherPhone: Bool) {
        phone.secrets.loseKey()
        if isAnotherPhone { phone.phone.restore(phone.phone.backup()) }
    }

    private func live() async throws {
        let auth = app.auth
        try await keepPolicies()
        _ = await auth.policy(within: PolicyBounds(around: .unlock))
        try await auth.enrol(with: Resident.ada.signIn)
        phone.phone.next(.match, after: .seconds(1))
        _ = try await auth.authenticate("Unlock")
        phone.phone.forgetActs()
        let vault = vault(of: app)
        for _ in 1...2 {
            try await vault.save("secret", as: "name")
            try await vault.delete()
        }
        try await vault.save("secret", as: "name")
        try await auth.requireStrongerRungNextTime()
        _ = try await auth.authenticate("Unlock", policy: Self.byPIN)
        try await app.platform.requireStrongerRungEverywhere()
        _ = try await auth.authenticate("Unlock", policy: Self.byPIN)
        try await auth.answerBiometricOffer(.notNow)
        _ = try await auth.signIn(with: Resident.ada.signIn)
        _ = await auth.shouldOfferBiometrics()
        try await auth.prefer(.appPIN)
        try await auth.prefer(nil)
        try await auth.prefer(.biometric)
    }

    private func keepPolicies() async throws {
        let (keys, name) = (SimulatedPhone(.plain).platform().keys, KeyName(server: "server", account: "server", kind: .session))
        let (point, now) = (try await keys.create(name).x963, phone.clock.civilTime)
        let jwk = JWK(x: Array(point[1..<33]), y: Array(point[33...]), kid: "k", use: "sig", alg: "ES256")
        let document = PolicyDocument(
            iss: "https://bank.example", iat: now, exp: now + .seconds(86_400), ver: 1, policies: ["unlock": .policy(.unlock)])
        let input = CompactJWS.signingInput(
            header: Array(#"{"alg":"ES256","kid":"k","typ":"thumbturn-policy+jwt"}"#.utf8), payload: StrictJSON.encode(document))
        let text = CompactJWS.compact(signingInput: input, signature: try await keys.sign(input, with: name, presence: nil))
        let check = PolicyDocumentCheck(issuer: "https://bank.example", keys: [jwk])
        try await PolicyCache(on: app.platform, of: "https://bank.example").keep(text, if: check)
    }

    private func vault(of process: PhoneProcess) -> Vault {
        Vault(named: Self.vault, platform: process.platform, policy: .storedCredential, access: access)
    }

    // MARK: - The next process

    typealias Call = (name: String, act: @Sendable (Authenticator, Vault) async throws -> Void)

    /// Everything that an app can call.
    static let calls: [Call] = [
        ("readiness", { auth, _ in _ = await auth.readiness() }),
        ("settle", { auth, _ in await auth.settle() }),
        ("me", { auth, _ in _ = try await auth.me() }),
        ("send", { auth, _ in _ = try await auth.send("GET", to: "/v1/me") }),
        ("refresh", { auth, _ in try await auth.refresh() }),
        ("signIn", { auth, _ in _ = try await auth.signIn(with: Resident.ada.signIn) }),
        ("authenticate", { auth, _ in _ = try await auth.authenticate("Unlock", policy: SharedPhone.anyRung) }),
        ("enrol", { auth, _ in try await auth.enrol(with: Resident.ada.signIn) }),
        ("enrol of another", { auth, _ in try await auth.enrol(with: Resident.bob.signIn) }),
        ("addBiometrics", { auth, _ in try await auth.addBiometrics() }),
        ("stepUp", { auth, _ in _ = try await auth.stepUp(for: .cardDetails, reason: "Show", policy: SharedPhone.anyRung) }),
        ("approvals", { auth, _ in _ = try await auth.approvals() }),
        ("devices", { auth, _ in _ = try await auth.devices() }),
        ("signOut", { auth, _ in try await auth.signOut(forgetDevice: false) }),
        ("signOut, forgetting the device", { auth, _ in try await auth.signOut(forgetDevice: true) }),
        ("revoke", { auth, _ in try await auth.revoke() }),
        ("requireStrongerRungNextTime", { auth, _ in try await auth.requireStrongerRungNextTime() }),
        ("requireStrongerRungEverywhere", { auth, _ in try await auth.platform.requireStrongerRungEverywhere() }),
        ("shouldOffer", { auth, _ in _ = await auth.shouldOfferBiometrics() }),
        ("answer", { auth, _ in try await auth.answerBiometricOffer(.notNow) }),
        ("prefer", { auth, _ in try await auth.prefer(.appPIN) }),
        ("policy", { auth, _ in _ = await auth.policy(within: PolicyBounds(around: .unlock)) }),
        ("changePIN", { auth, _ in try await auth.changePIN(policy: byPIN) }),
        ("replaceBiometricKey", { auth, _ in try await auth.replaceBiometricKey(with: Resident.ada.signIn) }),
        ("declineBiometrics", { auth, _ in try await auth.declineBiometrics() }),
        ("vault readiness", { _, vault in _ = await vault.readiness() }),
        ("vault contains", { _, vault in _ = try await vault.contains("name") }),
        ("vault unlocked", { _, vault in _ = try await vault.read("name") }),
        ("vault panic", { _, vault in try await vault.requireStrongerRungNextTime() }),
        ("vault delete", { _, vault in try await vault.delete {} }),
    ]

    /// What is wrong after a restart: the person gets in, each call ends with an answer that does not ask to set the device up
    /// again, and no record without its key is left.
    ///
    /// - Parameter first: the call that meets the records first.
    func problemsOfTheNextProcess(first: Int) async throws -> [String] {
        let process = try phone.start()
        let (auth, vault) = (process.auth, vault(of: process))
        var problems: [String] = []
        _ = await failure { try await Self.calls[first].act(auth, vault) }
        if case .enrolment(Resident.bob.id) = try await auth.enrolments().owner { try await auth.revoke() }
        for name in ["signIn", "enrol", "authenticate", "me", "stepUp"] {
            if let failure = await call(name, auth, vault) { problems.append("\(name): \(failure)") }
        }
        // The contents of a vault go with its record.
        if await call("vault unlocked", auth, vault)?.recovery == .reEnrol { _ = await call("vault delete", auth, vault) }
        if let failure = await call("vault unlocked", auth, vault) { problems.append("the vault: \(failure)") }
        for call in Self.calls where !call.name.hasPrefix("enrol of") {
            let failure = await failure { try await call.act(auth, vault) }
            if let failure, failure.recovery == .reEnrol || failure.code == .keyInvalidated || failure.code == .platform {
                problems.append("\(call.name) still throws \(failure)")
            }
        }
        for name in ["signIn", "enrol", "authenticate", "vault unlocked"] {
            if let failure = await call(name, auth, vault) { problems.append("at last \(name): \(failure)") }
        }
        let sealed = phone.secrets.sealed.map(RestoreTests.kind).filter { !RestoreTests.numbered.contains($0) }
        if !sealed.isEmpty { problems.append("still sealed: \(sealed)") }
        try await auth.revoke()
        try await vault.delete {}
        if phone.phone.keyCount > 0 { problems.append("\(phone.phone.keyCount) keys are left") }
        return problems
    }

    /// Makes a call, and once more if it fails, after the pause that the failure names: a vault that only the sensor opens
    /// pauses after a panic.
    private func call(_ name: String, _ auth: Authenticator, _ vault: Vault) async -> Failure? {
        guard let call = Self.calls.first(where: { $0.name == name }) else { preconditionFailure("a call of the list") }
        guard let failed = await failure({ try await call.act(auth, vault) }) else { return nil }
        if case .wait(let pause) = failed.recovery { try? await phone.pass(pause) }
        return await failure { try await call.act(auth, vault) }
    }
}
