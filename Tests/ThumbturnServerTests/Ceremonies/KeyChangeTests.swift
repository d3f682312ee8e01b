#if Tools
import Crypto
import Foundation
import GRDB
import Synchronization
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice
import ThumbturnLoad
@testable import ThumbturnServer

/// Changes of the keys of a live enrolment, and who may pay for them.
@Suite struct KeyChangeTests {
    /// A device that holds all its keys in memory, and builds every request by hand.
    struct Phone: Sendable {
        let live: LiveServer
        let device: LoadDevice
        let connection: LoadConnection
        let passcode = P256.Signing.PrivateKey()
        let pin = P256.Signing.PrivateKey()
        let handle: String?

        init(_ live: LiveServer, of account: String = "ada", hasPIN: Bool = true) async throws {
            self.live = live
            let attempt = try await EnrolmentTests.Attempt(live)
            (device, connection) = (attempt.device, attempt.connection)
            let ticket = try await attempt.ticket(account: account).read(EnrolmentTicket.self).ticket
            let passcodeKid = Signing.thumbprint(of: PINKeyTests.jwk(passcode))
            let kids = [device.sessionKid, device.kid, passcodeKid] + (hasPIN ? ["pin"] : [])
            let asked = try await device.challenge(.enrol, kids, over: connection)
            var keys = device.registrations(asked.challenge)
            keys.append(KeyRegistration(kind: .passcode, jwk: PINKeyTests.jwk(passcode), proof: nil))
            handle = hasPIN ? PINKeyTests.kids(asked.challenge).last : nil
            if let handle { keys.append(PINKeyTests.registration(pin, asked.challenge, handle)) }
            let answer = try await PINKeyTests.post(
                EnrolRequest(ticket: ticket, name: "Test", keys: keys), from: device, nonce: asked.nonce, over: connection)
            #expect(answer.status == 201, "\(answer.text)")
        }

        enum Payer: CaseIterable, Sendable { case biometric, passcode, pin, credentials, session, nobody }

        func kid(of payer: Payer) -> String? {
            switch payer {
            case .biometric: device.kid
            case .passcode: Signing.thumbprint(of: PINKeyTests.jwk(passcode))
            case .pin: handle ?? "pin.AAAAAAAAAAAAAAAAAAAAAA"
            case .session: device.sessionKid
            case .credentials, .nobody: nil
            }
        }

        func proof(_ payer: Payer, _ challenge: String) -> String? {
            switch payer {
            case .biometric: device.proof(challenge)
            case .passcode: PINKeyTests.proof(challenge, by: passcode, kid(of: .passcode) ?? "")
            case .pin: PINKeyTests.proof(challenge, by: pin, kid(of: .pin) ?? "")
            case .session: device.sessionProof(challenge)
            case .credentials, .nobody: nil
            }
        }

        func ticket(account: String = "ada", password: String = LiveServer.password) async throws -> String {
            let body = Signing.encode(PasswordSignInRequest(account: account, password: password))
            let nonce = try await device.challenge(over: connection).nonce
            let answer = try await connection.send(
                "POST", "/v1/accounts/sign-in", type: "application/json",
                headers: [("DPoP", device.dpop("POST", "/v1/accounts/sign-in", body, nonce: nonce))], body: body
            )
            return try answer.read(EnrolmentTicket.self).ticket
        }

        /// A request for a change, before it is sent.
        struct Draft: Sendable {
            var request: KeyChangeRequest
            var challenge: String
            var nonce: String
        }

        func draft(
            _ change: KeyChange, paidBy payer: Payer, new: P256.Signing.PrivateKey = .init(), purpose: Purpose = .manage,
            act: String? = nil
        ) async throws -> Draft {
            let newKid = change.kind == .pin ? "pin" : Signing.thumbprint(of: PINKeyTests.jwk(new))
            var kids = change.bringsKey ? [newKid] : []
            if let kid = kid(of: payer) { kids.append(kid) }
            if kids.isEmpty { kids = [device.kid] }
            let asked = try await device.challenge(
                purpose, kids, act: purpose == .manage ? act ?? change.rawValue : nil, over: connection)
            var key: KeyRegistration?
            if change.bringsKey {
                let kid = PINKeyTests.kids(asked.challenge)[0]
                key = PINKeyTests.registration(new, asked.challenge, kid)
                key?.kind = change.kind
            }
            var request = KeyChangeRequest(key: key, proof: proof(payer, asked.challenge) ?? "")
            if payer == .nobody || payer == .credentials { request.proof = nil }
            if payer == .credentials { request.ticket = try await ticket() }
            return Draft(request: request, challenge: asked.challenge, nonce: asked.nonce)
        }

        func send(
            _ draft: Draft, from sender: LoadDevice? = nil, body other: [UInt8]? = nil, over own: LoadConnection? = nil
        ) async throws -> LoadConnection.Answer {
            let path = "/v1/devices/current/keys"
            let body = Signing.encode(draft.request)
            let proof = (sender ?? device).dpop("POST", path, body, nonce: draft.nonce)
            return try await (own ?? connection).send(
                "POST", path, type: "application/json", headers: [("DPoP", proof)], body: other ?? body)
        }

        func change(
            _ change: KeyChange, paidBy payer: Payer, new: P256.Signing.PrivateKey = .init()
        ) async throws -> LoadConnection.Answer {
            try await send(draft(change, paidBy: payer, new: new))
        }

        func record() async throws -> LoadConnection.Answer {
            let nonce = try await device.challenge(over: connection).nonce
            return try await connection.send(
                "GET", "/v1/devices/current", headers: [("DPoP", device.dpop("GET", "/v1/devices/current", nil, nonce: nonce))])
        }

        func handles() async throws -> [String] {
            try await record().read(DeviceRecord.self).keys.filter { $0.kind == .pin }.map(\.kid)
        }

        func opens(_ key: P256.Signing.PrivateKey, _ handle: String) async throws -> LoadConnection.Answer {
            let asked = try await device.challenge(.signIn, [handle], over: connection)
            return try await device.redeem(
                PINKeyTests.proof(asked.challenge, by: key, handle), nonce: asked.nonce, over: connection)
        }

        func origin(of kind: KeyKind) throws -> String? {
            try DatabaseQueue(path: live.folder + "/thumbturn.sqlite").read { db in
                try String.fetchOne(
                    db, sql: "SELECT enrolled_by FROM keys WHERE kind = ? AND retired_at IS NULL", arguments: [kind.rawValue])
            }
        }
    }

    // MARK: The table

    /// Every change with every payer; what is not listed here is refused.
    static let allowed: [(change: KeyChange, hasPIN: Bool, payers: Set<Phone.Payer>)] = [
        (.setPIN, true, []), (.setPIN, false, [.biometric, .passcode]),
        (.changePIN, true, [.biometric, .pin]), (.changePIN, false, []),
        (.resetPIN, true, [.credentials]), (.resetPIN, false, [.credentials]),
        (.removePIN, true, [.biometric, .pin]), (.removePIN, false, []),
        (.replaceBiometric, true, [.credentials]),
        (.removeBiometric, true, [.biometric, .passcode, .pin]),
    ]

    @Test("who may pay for what", arguments: KeyChange.allCases, [true, false])
    func table(_ change: KeyChange, _ hasPIN: Bool) async throws {
        let row = Self.allowed.first { $0.change == change && $0.hasPIN == hasPIN }
        guard let row else { return }
        for payer in Phone.Payer.allCases {
            try await LiveServer.run { live in
                let phone = try await Phone(live, hasPIN: hasPIN)
                let answer = try await phone.change(change, paidBy: payer)
                let expected = row.payers.contains(payer) ? "ok" : payer == .nobody ? "malformed" : "verification-failed"
                #expect(answer.kind == expected, "\(change) by \(payer): \(answer.text)")
                let keys = try await phone.record().read(DeviceRecord.self).keys
                let isThere = keys.contains { $0.kind == change.kind }
                let wasThere = change.kind == .biometric || hasPIN
                #expect(isThere == (expected == "ok" ? change.bringsKey : wasThere), "\(change) by \(payer)")
            }
        }
    }

    @Test func theRulesNameEveryChangeAndDenyWhatTheyDoNotName() {
        #expect(Set(KeyChangeRules.table.keys) == Set(KeyChange.allCases))
        let rules = KeyChangeRules(letsPasscodeReplaceBiometricKey: true)
        let device = JudgedDevice(id: .random(), account: .random(), coolsOffUntil: UnixTime(seconds: 0), keys: [])
        func allows(_ change: KeyChange, _ factor: KeyKind) -> Bool {
            var key = CeremonyDraft(.signIn).rows[0]
            key.kind = factor
            return rules.allow(change, by: .key(key.standing(at: UnixTime(seconds: 0))), on: device)
        }
        #expect(allows(.replaceBiometric, .passcode))
        #expect(!allows(.resetPIN, .passcode), "never the passcode alone")
        #expect(!allows(.replaceBiometric, .biometric))
        #expect(!allows(.replaceBiometric, .pin))
    }

    // MARK: The PIN

    @Test func aChangedPINIsAnotherKeyUnderAnotherHandle() async throws {
        try await LiveServer.run { live in
            let phone = try await Phone(live)
            let new = P256.Signing.PrivateKey()
            let answer = try await phone.change(.changePIN, paidBy: .pin, new: new)
            #expect(answer.kind == "ok")
            let handles = try await phone.handles()
            #expect(handles.count == 1 && handles != [phone.handle!])
            for trace in [PINKeyTests.jwk(new).x, PINKeyTests.jwk(new).y] { #expect(!answer.text.contains(trace)) }
            #expect(try await phone.opens(new, handles[0]).kind == "ok")
            #expect(try await phone.opens(phone.pin, phone.handle!).kind == "verification-failed")
            #expect(try await phone.opens(phone.pin, handles[0]).kind == "verification-failed")
            #expect(try phone.origin(of: .pin) == "pin")
        }
    }

    /// A thief who has watched the PIN signs in and changes it: his session must not outlast the owner's next change.
    @Test("a change by another key ends the sessions of former PINs too") func sessionsOfFormerPINs() async throws {
        try await LiveServer.run { live in
            let phone = try await Phone(live)
            let token = try await phone.opens(phone.pin, phone.handle!).read(TokenAnswer.self).accessToken
            func me() async throws -> Int {
                let nonce = try await phone.device.challenge(over: phone.connection).nonce
                return try await phone.device.get("/v1/me", token: token, nonce: nonce, over: phone.connection).status
            }
            #expect(try await phone.change(.changePIN, paidBy: .pin).kind == "ok")
            #expect(try await me() == 200)
            #expect(try await phone.change(.changePIN, paidBy: .biometric).kind == "ok")
            #expect(try await me() == 401)
        }
    }

    @Test func aWrongOldPINIsCountedAndToldToItsOwnSessionKey() async throws {
        try await LiveServer.run { live in
            let phone = try await Phone(live)
            let thief = try await Phone(live, of: "bob")
            for count in 1...10 {
                var draft = try await phone.draft(.changePIN, paidBy: .pin)
                draft.request.proof = PINKeyTests.proof(draft.challenge, by: .init(), phone.handle!)
                let stolen = try await phone.send(draft, from: thief.device)
                #expect(
                    stolen.kind == "verification-failed" && stolen.problem?.triesLeft == nil, "another session key hears nothing")
                let answer = try await phone.send(draft)
                #expect(answer.status == 401 && answer.problem?.triesLeft == 10 - count)
                #expect(try await phone.send(draft).problem?.triesLeft == nil, "a spent challenge tells nothing")
            }
            let right = try await phone.change(.changePIN, paidBy: .pin)
            #expect(right.problem?.triesLeft == 0, "the right one is told the same as a wrong one")
            #expect(try await phone.change(.changePIN, paidBy: .biometric).kind == "ok", "the sensor still changes it")
        }
    }

    @Test func whetherAUsedUpPINIsRightIsToldNobody() async throws {
        try await LiveServer.run { live in
            let phone = try await Phone(live)
            for _ in 1...10 { _ = try await phone.opens(.init(), phone.handle!) }
            let (right, wrong) = (try await phone.opens(phone.pin, phone.handle!), try await phone.opens(.init(), phone.handle!))
            #expect(right.status == wrong.status && right.body == wrong.body && right.problem?.triesLeft == 0)
            // Neither is it told over a challenge that was spent.
            let asked = try await phone.device.challenge(.signIn, [phone.handle!], over: phone.connection)
            _ = try await phone.device.redeem(
                PINKeyTests.proof(asked.challenge, by: .init(), phone.handle!), nonce: asked.nonce, over: phone.connection)
            var bodies: [[UInt8]] = []
            for key in [phone.pin, .init()] {
                let proof = PINKeyTests.proof(asked.challenge, by: key, phone.handle!)
                bodies.append(try await phone.device.redeem(proof, nonce: asked.nonce, over: phone.connection).body)
            }
            #expect(bodies[0] == bodies[1])
        }
    }

    @Test func whatAKeyIsLikeTellsNothingAboutThePIN() async throws {
        try await LiveServer.run(configure: { $0.letsPasscodeReplaceBiometricKey = true }) { live in
            let phone = try await Phone(live)
            // A thief with the device's half of a derived key makes a key for each PIN, and offers it as something else.
            let wrong = try await phone.change(.replaceBiometric, paidBy: .passcode)
            let right = try await phone.change(.replaceBiometric, paidBy: .passcode, new: phone.pin)
            #expect(wrong.status == right.status && wrong.kind == "ok" && right.kind == "ok")
        }
    }

    @Test func aResetNeedsThePasswordOfThisAccountOnThisDevice() async throws {
        try await LiveServer.run { live in
            let phone = try await Phone(live)
            let other = try await Phone(live, of: "bob")
            let nonce = try await phone.device.challenge(over: phone.connection).nonce
            let typed = Signing.encode(PasswordSignInRequest(account: "ada", password: "not the password of ada"))
            let refused = try await phone.connection.send(
                "POST", "/v1/accounts/sign-in", type: "application/json",
                headers: [("DPoP", phone.device.dpop("POST", "/v1/accounts/sign-in", typed, nonce: nonce))], body: typed)
            #expect(refused.kind == "verification-failed", "a wrong password")
            for (name, ticket) in [
                ("another account's", try await phone.ticket(account: "bob")), ("another device's", try await other.ticket()),
                ("none", "ticket"),
            ] {
                var draft = try await phone.draft(.resetPIN, paidBy: .credentials)
                draft.request.ticket = ticket
                #expect(try await phone.send(draft).kind == "verification-failed", "\(name)")
            }
            let new = P256.Signing.PrivateKey()
            let draft = try await phone.draft(.resetPIN, paidBy: .credentials, new: new)
            #expect(try await phone.send(draft).kind == "ok")
            #expect(try await phone.send(draft).kind == "verification-failed", "once")
            #expect(try await phone.opens(new, try await phone.handles()[0]).kind == "ok")
            #expect(try phone.origin(of: .pin) == "credentials")
        }
    }

    // MARK: What rests on the passcode

    @Test func wherePolicyAllowsThePasscodeBringsABiometricKeyThatIsWorthNoMore() async throws {
        try await LiveServer.run(configure: { $0.letsPasscodeReplaceBiometricKey = true }) { live in
            let phone = try await Phone(live)
            let face = P256.Signing.PrivateKey()
            #expect(try await phone.change(.replaceBiometric, paidBy: .biometric).kind == "verification-failed")
            #expect(try await phone.change(.replaceBiometric, paidBy: .pin).kind == "verification-failed")
            #expect(try await phone.change(.replaceBiometric, paidBy: .passcode, new: face).kind == "ok")
            #expect(try phone.origin(of: .biometric) == "passcode")
            let kid = Signing.thumbprint(of: PINKeyTests.jwk(face))
            #expect(try await phone.opens(face, kid).kind == "ok", "it signs in")

            func pay(_ change: KeyChange, _ new: P256.Signing.PrivateKey = .init()) async throws -> String {
                let newKids = change.bringsKey ? ["pin"] : []
                let asked = try await phone.device.challenge(
                    .manage, newKids + [kid], act: change.rawValue, over: phone.connection)
                let key =
                    change.bringsKey ? PINKeyTests.registration(new, asked.challenge, PINKeyTests.kids(asked.challenge)[0]) : nil
                let request = KeyChangeRequest(key: key, proof: PINKeyTests.proof(asked.challenge, by: face, kid))
                return try await phone.send(.init(request: request, challenge: asked.challenge, nonce: asked.nonce)).kind
            }
            // Or the passcode alone would be a way to another PIN.
            #expect(try await pay(.changePIN) == "verification-failed")
            #expect(try await pay(.removePIN) == "verification-failed")
            #expect(try await phone.change(.removePIN, paidBy: .pin).kind == "ok")
            #expect(try await pay(.setPIN) == "ok")
            #expect(try phone.origin(of: .pin) == "passcode", "what rests on the passcode goes on resting on it")
            #expect(try await phone.change(.replaceBiometric, paidBy: .credentials).kind == "ok")
            #expect(try phone.origin(of: .biometric) == "credentials")
        }
    }

    @Test func aPINThatThePasscodeSetKeepsItsOrigin() async throws {
        try await LiveServer.run { live in
            let phone = try await Phone(live, hasPIN: false)
            let first = P256.Signing.PrivateKey()
            #expect(try await phone.change(.setPIN, paidBy: .passcode, new: first).kind == "ok")
            #expect(try phone.origin(of: .pin) == "passcode")
            let record = try await phone.record().read(DeviceRecord.self)
            #expect(record.keys.first { $0.kind == .passcode }?.active == true, "its first proof made it active")
            let handle = try await phone.handles()[0]
            let asked = try await phone.device.challenge(
                .manage, ["pin", handle], act: KeyChange.changePIN.rawValue, over: phone.connection)
            let request = KeyChangeRequest(
                key: PINKeyTests.registration(.init(), asked.challenge, PINKeyTests.kids(asked.challenge)[0]),
                proof: PINKeyTests.proof(asked.challenge, by: first, handle)
            )
            let draft = Phone.Draft(request: request, challenge: asked.challenge, nonce: asked.nonce)
            #expect(try await phone.send(draft).kind == "ok")
            #expect(try phone.origin(of: .pin) == "passcode")
        }
    }

    // MARK: One request, exactly

    @Test func aChangeIsMadeOnce() async throws {
        try await LiveServer.run { live in
            let phone = try await Phone(live)
            let draft = try await phone.draft(.changePIN, paidBy: .biometric)
            var connections: [LoadConnection] = []
            for _ in 0..<16 { connections.append(try await live.connect()) }
            let kinds = try await withThrowingTaskGroup { group in
                for connection in connections { group.addTask { try await phone.send(draft, over: connection).kind } }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(kinds.count { $0 == "ok" } == 1 && kinds.count { $0 == "verification-failed" } == 15)
        }
    }

    @Test func ofTwoChangesAtOnceOneWins() async throws {
        // Both are judged while the old key is still there.
        let gate = Gate(2)
        try await LiveServer.run(beforeSpending: { await gate.pass() }) { live in
            gate.isOpen = true
            let phone = try await Phone(live)
            let second = try await live.connect()
            let drafts = [try await phone.draft(.changePIN, paidBy: .biometric), try await phone.draft(.changePIN, paidBy: .pin)]
            gate.isOpen = false
            let kinds = try await withThrowingTaskGroup { group in
                group.addTask { try await phone.send(drafts[0]).kind }
                group.addTask { try await phone.send(drafts[1], over: second).kind }
                return try await group.reduce(into: [String]()) { $0.append($1) }
            }
            #expect(kinds.sorted() == ["ok", "verification-failed"])
            gate.isOpen = true
            #expect(try await phone.handles().count == 1)
        }
    }

    @Test func whatIsNotThisChangeIsRefused() async throws {
        try await LiveServer.run { live in
            let other = try await Phone(live, of: "bob")
            typealias Make = @Sendable (Phone) async throws -> LoadConnection.Answer
            let table: [(String, Make, String)] = [
                ("nothing wrong", { try await $0.change(.changePIN, paidBy: .biometric) }, "ok"),
                (
                    "another session key",
                    { try await $0.send(try await $0.draft(.changePIN, paidBy: .biometric), from: other.device) },
                    "verification-failed"
                ),
                (
                    "another device's proof",
                    { phone in
                        var draft = try await phone.draft(.changePIN, paidBy: .biometric)
                        draft.request.proof = other.device.proof(draft.challenge)
                        return try await phone.send(draft)
                    }, "verification-failed"
                ),
                (
                    "another device's proof that the challenge names",
                    { phone in
                        let asked = try await phone.device.challenge(
                            .manage, ["pin", other.device.kid], act: "change-pin", over: phone.connection)
                        let key = PINKeyTests.registration(.init(), asked.challenge, PINKeyTests.kids(asked.challenge)[0])
                        let request = KeyChangeRequest(key: key, proof: other.device.proof(asked.challenge))
                        return try await phone.send(.init(request: request, challenge: asked.challenge, nonce: asked.nonce))
                    }, "verification-failed"
                ),
                (
                    "a payer that the challenge does not name",
                    { phone in
                        var draft = try await phone.draft(.changePIN, paidBy: .biometric)
                        draft.request.proof = phone.proof(.pin, draft.challenge)
                        return try await phone.send(draft)
                    }, "verification-failed"
                ),
                (
                    "the new key pays for itself",
                    { phone in
                        var draft = try await phone.draft(.changePIN, paidBy: .biometric)
                        draft.request.proof = draft.request.key?.proof
                        return try await phone.send(draft)
                    }, "verification-failed"
                ),
                (
                    "a wrong signer",
                    { phone in
                        var draft = try await phone.draft(.changePIN, paidBy: .biometric)
                        draft.request.proof = PINKeyTests.proof(draft.challenge, by: .init(), phone.device.kid)
                        return try await phone.send(draft)
                    }, "verification-failed"
                ),
                (
                    "a new key without its own proof",
                    { phone in
                        var draft = try await phone.draft(.changePIN, paidBy: .biometric)
                        draft.request.key?.proof = nil
                        return try await phone.send(draft)
                    }, "verification-failed"
                ),
                (
                    "a new key that did not sign",
                    { phone in
                        var draft = try await phone.draft(.changePIN, paidBy: .biometric)
                        draft.request.key?.jwk = PINKeyTests.jwk(.init())
                        return try await phone.send(draft)
                    }, "verification-failed"
                ),
                (
                    "a new key under the old handle",
                    { phone in
                        let asked = try await phone.device.challenge(
                            .manage, ["pin", phone.handle!, phone.device.kid], act: "change-pin", over: phone.connection)
                        let request = KeyChangeRequest(
                            key: PINKeyTests.registration(.init(), asked.challenge, phone.handle!),
                            proof: phone.device.proof(asked.challenge)
                        )
                        return try await phone.send(.init(request: request, challenge: asked.challenge, nonce: asked.nonce))
                    }, "verification-failed"
                ),
                (
                    "a new key over another challenge",
                    { phone in
                        var draft = try await phone.draft(.changePIN, paidBy: .biometric)
                        draft.request.key = try await phone.draft(.changePIN, paidBy: .biometric).request.key
                        return try await phone.send(draft)
                    }, "verification-failed"
                ),
                (
                    "the old PIN key, which tells nobody", { try await $0.change(.changePIN, paidBy: .biometric, new: $0.pin) },
                    "ok"
                ),
                (
                    "the passcode key as the PIN", { try await $0.change(.changePIN, paidBy: .biometric, new: $0.passcode) },
                    "verification-failed"
                ),
                (
                    "a key of another kind",
                    { phone in
                        var draft = try await phone.draft(.changePIN, paidBy: .biometric)
                        draft.request.key?.kind = .passcode
                        return try await phone.send(draft)
                    }, "verification-failed"
                ),
                (
                    "a key where one is taken away",
                    { phone in
                        var draft = try await phone.draft(.removePIN, paidBy: .biometric)
                        draft.request.key = PINKeyTests.registration(.init(), draft.challenge, phone.handle!)
                        return try await phone.send(draft)
                    }, "verification-failed"
                ),
                (
                    "no key where one is needed",
                    { phone in
                        var draft = try await phone.draft(.changePIN, paidBy: .biometric)
                        draft.request.key = nil
                        return try await phone.send(draft)
                    }, "verification-failed"
                ),
                (
                    "a ticket and a proof",
                    { phone in
                        var draft = try await phone.draft(.resetPIN, paidBy: .credentials)
                        draft.request.proof = phone.device.proof(draft.challenge)
                        return try await phone.send(draft)
                    }, "malformed"
                ),
                (
                    "another body than was signed",
                    { phone in
                        let draft = try await phone.draft(.changePIN, paidBy: .biometric)
                        var swapped = draft.request
                        swapped.key = PINKeyTests.registration(.init(), draft.challenge, PINKeyTests.kids(draft.challenge)[0])
                        return try await phone.send(draft, body: Signing.encode(swapped))
                    }, "verification-failed"
                ),
                (
                    "a challenge to sign in", { try await $0.send(try await $0.purposeDraft(.signIn)) }, "verification-failed"
                ),
                ("a challenge to enrol", { try await $0.send(try await $0.purposeDraft(.enrol)) }, "verification-failed"),
                (
                    "a challenge for another change",
                    { phone in
                        let draft = try await phone.draft(.changePIN, paidBy: .passcode, act: "set-pin")
                        return try await phone.send(draft)
                    }, "verification-failed"
                ),
            ]
            for (name, make, kind) in table {
                try await LiveServer.reset(live)
                let phone = try await Phone(live)
                let answer = try await make(phone)
                #expect(answer.kind == kind, "\(name): \(answer.text)")
                #expect(try await phone.handles() == [phone.handle!] || kind == "ok", "\(name)")
            }
        }
    }

    @Test func aProofToChangeKeysSignsNobodyInAndEnrolsNothing() async throws {
        try await LiveServer.run { live in
            let phone = try await Phone(live)
            let draft = try await phone.draft(.changePIN, paidBy: .biometric)
            #expect(
                try await phone.device.redeem(draft.request.proof!, nonce: draft.nonce, over: phone.connection).kind
                    == "verification-failed")
            #expect(try await phone.send(draft).kind == "ok", "and it was not used up by the attempt")
        }
    }

    @Test func aRevokedDeviceChangesNothing() async throws {
        try await LiveServer.run { live in
            let phone = try await Phone(live)
            let drafts = [
                try await phone.draft(.changePIN, paidBy: .biometric), try await phone.draft(.resetPIN, paidBy: .credentials),
            ]
            let nonce = try await phone.device.challenge(over: phone.connection).nonce
            _ = try await phone.connection.send(
                "DELETE", "/v1/devices/current",
                headers: [("DPoP", phone.device.dpop("DELETE", "/v1/devices/current", [], nonce: nonce))])
            for draft in drafts { #expect(try await phone.send(draft).kind == "verification-failed") }
            #expect(try await phone.record().kind == "not-found")
        }
    }

    // MARK: The cool-off, and what a device may ask of itself

    @Test func aDeviceThatCoolsOffChangesNoFactorsWithItsOwnKeys() async throws {
        try await LiveServer.run { live in
            let first = try await Phone(live)
            #expect(try await first.change(.changePIN, paidBy: .biometric).kind == "ok", "an only device does not cool off")
            let second = try await Phone(live)
            #expect(try await second.change(.changePIN, paidBy: .biometric).kind == "verification-failed")
            #expect(try await second.change(.removeBiometric, paidBy: .passcode).kind == "verification-failed")
            #expect(
                try await second.change(.resetPIN, paidBy: .credentials).kind == "ok", "the password enrols, so it resets too")
            // The password alone brought a factor to the first device, so it cools off like a new one.
            #expect(try await first.change(.resetPIN, paidBy: .credentials).kind == "ok")
            #expect(try await first.change(.changePIN, paidBy: .biometric).kind == "verification-failed")
            live.clock.advance(by: .seconds(24 * 3600))
            #expect(try await first.change(.changePIN, paidBy: .biometric).kind == "ok")
        }
    }

    @Test func aDeviceAsksWhatTheServerHasOfIt() async throws {
        try await LiveServer.run { live in
            let phone = try await Phone(live)
            let record = try await phone.record().read(DeviceRecord.self)
            #expect(record.current && Set(record.keys.map(\.kind)) == [.session, .biometric, .passcode, .pin])
            let stranger = LoadDevice(server: live.url)
            let nonce = try await stranger.challenge(over: phone.connection).nonce
            let answer = try await phone.connection.send(
                "GET", "/v1/devices/current", headers: [("DPoP", stranger.dpop("GET", "/v1/devices/current", nil, nonce: nonce))])
            #expect(answer.kind == "not-found")
            let without = try await phone.connection.send("GET", "/v1/devices/current")
            #expect(without.kind == "verification-failed")
        }
    }
}

extension KeyChangeTests.Phone {
    /// A change under a challenge that is for something else.
    fileprivate func purposeDraft(_ purpose: Purpose) async throws -> Draft {
        let kids = purpose == .enrol ? ["pin", device.kid] : [handle!, device.kid]
        let asked = try await device.challenge(purpose, kids, over: connection)
        let key = PINKeyTests.registration(.init(), asked.challenge, PINKeyTests.kids(asked.challenge)[0])
        return Draft(
            request: KeyChangeRequest(key: key, proof: device.proof(asked.challenge)), challenge: asked.challenge,
            nonce: asked.nonce)
    }
}

extension LiveServer {
    /// Forgets every device, so that the next one is the only one of its account.
    fileprivate static func reset(_ live: LiveServer) async throws {
        try await live.database().write { db in
            try db.execute(
                sql: "UPDATE devices SET revoked_at = 1 WHERE account_id = (SELECT id FROM accounts WHERE name = 'ada')")
        }
    }
}

/// Holds everybody until so many have come.
private final class Gate: Sendable {
    private let state: Mutex<(missing: Int, isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>

    init(_ count: Int) { state = Mutex((count, true, [])) }

    var isOpen: Bool {
        get { state.withLock { $0.isOpen } }
        set { state.withLock { $0.isOpen = newValue } }
    }

    func pass() async {
        await withCheckedContinuation { continuation in
            let free = state.withLock { state -> [CheckedContinuation<Void, Never>] in
                if state.isOpen { return [continuation] }
                state.missing -= 1
                state.waiting.append(continuation)
                guard state.missing <= 0 else { return [] }
                defer { state.waiting = [] }
                return state.waiting
            }
            for waiter in free { waiter.resume() }
        }
    }
}
#endif
