#if Tools
import Crypto
import Foundation
import Testing
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier
@testable import ThumbturnServer

/// Each check of the ceremony, for every row of its table that has it. Nothing here reads or writes: the value is walked to its
/// ends.
@Suite struct CeremonyTests {
    typealias Draft = CeremonyDraft
    typealias Row = CeremonyDraft.Row

    /// One thing that is wrong, the rows that refuse it, and how.
    struct Check: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var rows: [Row]
        var refusal: Ceremony.Refusal
        var change: @Sendable (inout CeremonyDraft) -> Void

        init(
            _ name: String, _ rows: [Row], _ refusal: Ceremony.Refusal,
            _ change: @escaping @Sendable (inout CeremonyDraft) -> Void
        ) {
            (testDescription, self.rows, self.refusal, self.change) = (name, rows, refusal, change)
        }
    }

    static let challengeChecks: [Check] = [
        Check("a challenge for another purpose", Row.allCases, .unopened(.wrongPurpose)) {
            $0.claims.purpose = $0.claims.purpose == .signIn ? .stepUp : .signIn
            $0.claims.exp = $0.now + .seconds(100)
        },
        Check("a challenge for another action", Row.allCases, .unopened(.wrongPurpose)) { $0.claims.act = "something else" },
        Check("a challenge that expired", Row.allCases, .unopened(.expired)) { $0.now = $0.claims.exp },
        Check("a challenge of another server", Row.allCases, .unopened(.wrongIssuer)) { $0.claims.iss = "another" },
        Check("a foreign session key", Row.allCases, .unopened(.foreignKey)) { $0.caller = Draft.kid(Draft.key()) },
        Check("no proof of anything", Row.allCases, .unopened(.malformed)) {
            $0.signers = []
            for index in $0.newKeys.indices { $0.newKeys[index].pen = nil }
        },
        Check("a ticket beside the keys", Row.byKey, .unopened(.malformed)) { $0.ticket = "ticket" },
        Check("more proofs than keys may sign", Row.byKey, .unopened(.malformed)) {
            $0.useTwoKeys()
            $0.signers.append(.init(kid: Draft.kid($0.passcode), key: $0.passcode))
        },
        Check("a proof beside the ticket", Row.byTicket, .unopened(.malformed)) {
            $0.signers = [.init(kid: Draft.kid($0.face), key: $0.face)]
        },
        Check("a ticket that expired", Row.byTicket, .unopened(.expired)) { $0.openedTicket = .failure(.expired) },
        Check("a ticket that a device gave", [.replaceKeyByTicket], .unopened(.foreignKey)) {
            guard case .success(var ticket) = $0.openedTicket else { return }
            ticket.voucher = .random()
            $0.openedTicket = .success(ticket)
        },
        Check("no ticket", [.enrol], .unopened(.malformed)) { $0.ticket = nil },
    ]

    private static let lastSecond = CoolOff(until: Draft.start + .seconds(1), rest: .seconds(1))

    static let keyChecks: [Check] = [
        Check("a kid that the challenge does not name", Row.byKey, .spent(.unknownKey)) { draft in
            let kid = draft.signers[0].kid
            draft.claims.kids.removeAll { $0 == kid }
        },
        Check("a key that is not enrolled", Row.byKey, .spent(.unknownKey)) { draft in
            let kid = draft.signers[0].kid
            draft.rows.removeAll { $0.kid == kid }
            draft.device?.keys = draft.rows
        },
        Check("a key that is gone", Row.byKey, .spent(.unknownKey)) { draft in
            let kid = draft.signers[0].kid
            for index in draft.rows.indices where draft.rows[index].kid == kid { draft.rows[index].isRevoked = true }
            draft.device?.keys = draft.rows
        },
        Check("a key of another device", Row.byKey, .spent(.foreignKey)) { $0.changeSigner { $0.sessionJKT = "another" } },
        Check("a session key", Row.byKey, .spent(.unknownKey)) {
            $0.claims.kids.append(Draft.kid($0.session))
            $0.signers = [.init(kid: Draft.kid($0.session), key: $0.session)]
        },
        Check("a device that cools off", [.stepUp, .approve, .bringKey, .removeKey], .coolsOff(lastSecond)) { draft in
            let until = draft.now + .seconds(1)
            draft.changeSigner { $0.coolsOffUntil = until }
        },
        Check("a key that pauses", Row.byKey, .paused(.seconds(30))) { draft in
            let until = draft.now + .seconds(30)
            draft.changeSigner { $0.pausedUntil = until }
        },
        Check("a key that is disabled", Row.byKey, .wrongPIN(inARow: 10)) { $0.changeSigner { $0.wrongInARow = 100 } },
        Check("a wrong signature", Row.byKey, .spent(.wrongSignature)) { $0.signers[0].key = Draft.key() },
        Check("a signature by another key of the device", Row.byKey, .spent(.wrongSignature)) { $0.signers[0].key = $0.pin },
        Check("a wrong PIN", Row.byKey, .wrongPIN(inARow: 5)) {
            $0.usePIN()
            $0.changeSigner { $0.wrongInARow = 4 }
            $0.signers[0].key = $0.face
        },
        Check("a wrong PIN over a challenge that was spent before", Row.byKey, .spent(.wrongSignature)) {
            $0.usePIN()
            $0.signers[0].key = $0.face
            $0.wasSpent = true
        },
        Check("a proof of another type", Row.byKey, .spent(.wrongType)) { $0.signers[0].typ = "JWT" },
        Check("a proof by another algorithm", Row.byKey, .spent(.wrongAlgorithm)) { $0.signers[0].alg = "ES384" },
        Check("a key that is no key", Row.byKey, .spent(.unacceptableKey)) { $0.changeSigner { $0.x963 = [4] } },
        Check("two proofs by keys of one kind", Row.byTwoKeys, .spent(.unknownKey)) { $0.signers.append($0.signers[0]) },
        Check("a second proof over another challenge", Row.byTwoKeys, .spent(.foreignKey)) {
            $0.useTwoKeys()
            let another = $0.challenges.sign(Draft($0.row).claims)
            $0.signers[1].over = another
        },
        Check("a second proof that is wrong", Row.byTwoKeys, .wrongPIN(inARow: 1)) {
            $0.useTwoKeys()
            $0.signers[1].key = Draft.key()
        },
        Check("a wrong PIN beside a wrong signature", Row.byTwoKeys, .spent(.wrongSignature)) {
            $0.useTwoKeys()
            $0.signers = $0.signers.reversed().map { .init(kid: $0.kid, key: Draft.key()) }
        },
        Check("a challenge that was spent before", Row.allCases, .spent(.replayed)) { $0.wasSpent = true },
    ]

    static let registrationChecks: [Check] = [
        Check("a new key whose proof names another", Row.registering, .spent(.unknownKey)) { $0.newest.pen?.kid = "x" },
        Check("a new key that did not sign", Row.registering, .spent(.wrongSignature)) { $0.newest.pen?.key = Draft.key() },
        // Beside a ticket the new key's proof is the only one, so its challenge is the challenge.
        Check("a new key over another challenge", [.bringKey, .enrol], .spent(.foreignKey)) {
            let another = $0.challenges.sign(Draft($0.row).claims)
            $0.newest.pen?.over = another
        },
        Check("a new key's proof of another type", Row.registering, .spent(.wrongType)) { $0.newest.pen?.typ = "JWT" },
        Check("a new key's proof by another algorithm", Row.registering, .spent(.wrongAlgorithm)) {
            $0.newest.pen?.alg = "none"
        },
        Check("a new key that the challenge does not name", Row.registering, .spent(.unknownKey)) {
            $0.claims.kids[$0.row == .enrol ? 1 : 0] = "another"
        },
        Check("a new key without a proof", [.bringKey], .spent(.unknownKey)) { $0.newKeys[0].pen = nil },
        Check("no device", [.replaceKeyByTicket], .spent(.unknownKey)) { $0.device = nil },
        Check("a new key of another kind", [.bringKey, .replaceKeyByTicket], .spent(.malformed)) {
            $0.newKeys[0].kind = .passcode
        },
        Check("no new key where one is needed", [.bringKey], .unopened(.wrongPurpose)) {
            $0.newKeys = []
            $0.claims.act = KeyChange.changePIN.rawValue
            $0.signers = [.init(kid: Draft.kid($0.face), key: $0.face)]
            $0.claims.kids = ["pin.BBBBBBBBBBBBBBBBBBBBBA", Draft.kid($0.face)]
        },
        Check("a new key where one is removed", [.removeKey], .unopened(.wrongPurpose)) {
            $0.newKeys = [.init(kind: .biometric, key: $0.fresh, pen: .init(kid: Draft.kid($0.fresh), key: $0.fresh))]
            $0.claims.kids.insert(Draft.kid($0.fresh), at: 0)
        },
        Check("the new key authorises itself", [.bringKey], .spent(.unknownKey)) {
            var enrolled = $0.rows[1]
            (enrolled.kid, enrolled.x963) = (Draft.kid($0.fresh), Array($0.fresh.publicKey.x963Representation))
            $0.device?.keys.append(enrolled)
            $0.signers = [.init(kid: enrolled.kid, key: $0.fresh)]
        },
        Check("a key that the device has for another factor", [.bringKey, .replaceKeyByTicket], .spent(.unacceptableKey)) {
            let (kid, key) = (Draft.kid($0.passcode), $0.passcode)
            $0.claims.kids = $0.row == .bringKey ? [kid, kid] : [kid]
            $0.newKeys = [.init(kind: .biometric, key: key, pen: .init(kid: kid, key: key))]
        },
        Check("a change that the rules do not allow", [.bringKey], .spent(.unknownKey)) {
            $0.letsPasscodeReplaceBiometricKey = false
        },
        Check("a change that full credentials may not make", [.replaceKeyByTicket], .spent(.foreignKey)) {
            $0.claims.act = KeyChange.changePIN.rawValue
        },
        Check("the ticket of another account", [.replaceKeyByTicket], .spent(.foreignKey)) {
            $0.openedTicket = .success(
                .init(
                    account: .random(), spend: Spend(.ticket, id: [2], expiresAt: $0.now, epoch: 0), voucher: nil,
                    freshness: .fresh))
        },
        Check("the ticket of a sign-in that is not fresh", [.replaceKeyByTicket], .spent(.insufficient)) {
            $0.openedTicket = $0.openedTicket.map { ticket in
                var ticket = ticket
                ticket.freshness = .stale
                return ticket
            }
        },
        Check("two new keys of one kind", [.enrol], .spent(.malformed)) {
            let key = Draft.key()
            $0.newKeys.append(.init(kind: .biometric, key: key, pen: .init(kid: Draft.kid(key), key: key)))
            $0.claims.kids.append(Draft.kid(key))
        },
        Check("one key for two factors", [.enrol], .spent(.unacceptableKey)) {
            $0.newKeys.append(.init(kind: .passcode, key: $0.fresh, pen: $0.newKeys[1].pen))
        },
        Check("a key that the challenge names and the request does not have", [.enrol], .spent(.unknownKey)) {
            $0.claims.kids.append("another")
        },
        Check("a challenge that names a key twice", [.enrol], .spent(.unknownKey)) { $0.claims.kids.append($0.claims.kids[0]) },
        Check("another session key than the caller's", [.enrol], .spent(.foreignKey)) {
            let key = Draft.key()
            $0.newKeys[0] = .init(kind: .session, key: key, pen: .init(kid: Draft.kid(key), key: key))
            $0.claims.kids[0] = Draft.kid(key)
        },
        Check("a session key without a proof", [.enrol], .spent(.foreignKey)) { $0.newKeys[0].pen = nil },
        Check("no key that verifies the person", [.enrol], .spent(.wrongSignature)) {
            $0.newKeys.removeLast()
            $0.claims.kids.removeLast()
        },
        Check("a biometric key without a proof", [.enrol], .spent(.wrongSignature)) { $0.newKeys[1].pen = nil },
        Check("a biometric key without a proof, beside a passcode key", [.enrol], .spent(.wrongSignature)) {
            $0.newKeys[1].pen = nil
            $0.newKeys.append(.init(kind: .passcode, key: $0.passcode, pen: .init(kid: Draft.kid($0.passcode), key: $0.passcode)))
            $0.claims.kids.append(Draft.kid($0.passcode))
        },
        Check("a passcode key without a proof, beside a PIN key alone", [.enrol], .spent(.wrongSignature)) {
            $0.newKeys[1] = .init(kind: .pin, key: $0.pin, pen: .init(kid: Draft.handle, key: $0.pin))
            $0.newKeys.append(.init(kind: .passcode, key: $0.passcode))
            $0.claims.kids = [$0.claims.kids[0], Draft.handle, Draft.kid($0.passcode)]
        },
        Check("a PIN key without a handle", [.enrol], .spent(.unknownKey)) {
            $0.newKeys[1] = .init(kind: .pin, key: $0.pin, pen: .init(kid: Draft.kid($0.pin), key: $0.pin))
            $0.claims.kids[1] = Draft.kid($0.pin)
        },
    ]

    static let policyChecks: [Check] = [
        Check("a key that the passcode brought", [.approve], .spent(.unknownKey)) {
            $0.changeSigner { $0.enrolledBy = .passcode }
        },
        Check("a PIN that the passcode set", [.approve], .spent(.unknownKey)) {
            $0.usePIN()
            $0.changeSigner { $0.enrolledBy = .passcode }
        },
        Check("a passcode key", [.approve], .spent(.unknownKey)) {
            $0.signers = [.init(kid: Draft.kid($0.passcode), key: $0.passcode)]
        },
        Check("a factor that the approval does not take", [.approve], .spent(.unknownKey)) {
            $0.usePIN()
            $0.claims.demand = ApprovalDemand(keys: [.biometric])
            $0.approval?.demand = ApprovalDemand(keys: [.biometric])!
        },
        Check("no such approval", [.approve], .spent(.unknownKey)) { $0.approval = nil },
        Check("an approval of another account", [.approve], .spent(.unknownKey)) { $0.approval?.account = .random() },
        Check("an approval that was declined", [.approve], .spent(.over)) { $0.approval?.state = .declined },
        Check("an approval that expired", [.approve], .spent(.over)) { $0.approval?.expiresAt = $0.now },
        Check("an approval that the account has signed", [.approve], .spent(.over)) { draft in
            let (row, now) = (draft.rows[0], draft.now)
            let signature = ApprovalSignature(
                account: row.account, device: row.device, kind: row.kind, kid: row.kid, x963: row.x963, enrolledAt: now,
                enrolledBy: row.enrolledBy, assurance: .withoutEvidence, at: now)
            draft.approval?.signatures = [signature]
        },
        Check("an approval that has changed", [.approve], .spent(.changed)) { $0.approval?.txn = "W10" },
        Check("an approval whose demand has changed", [.approve], .spent(.changed)) {
            $0.approval?.demand = ApprovalDemand(keys: [.biometric])!
        },
        Check("a challenge without a transaction", [.approve], .spent(.changed)) { $0.claims.txn = nil },
        Check("liveness that is demanded and missing", [.approve], .spent(.insufficient)) {
            $0.claims.demand = ApprovalDemand(liveness: .high)
            $0.approval?.demand = ApprovalDemand(liveness: .high)!
        },
        Check("liveness that was not demanded", [.approve], .spent(.malformed)) { $0.liveness = "live" },
        Check("liveness that no vendor signed", [.approve], .spent(.malformed)) {
            $0.claims.demand = ApprovalDemand(liveness: .high)
            $0.approval?.demand = ApprovalDemand(liveness: .high)!
            $0.liveness = "live"
        },
        Check("an action that the table does not have", [.stepUp], .denied(.unknownAction)) {
            $0.table = StepUpTable(actions: [:])
        },
        Check("a key that the passcode brought for an action", [.stepUp], .unmet) {
            $0.changeSigner { $0.enrolledBy = .passcode }
        },
        Check("a key that is not trusted enough", [.stepUp], .unmet) {
            $0.table.actions["card-details"]?.assurance = Assurance(protection: .attestedHardware, verification: .none)
        },
        Check("one key where two are demanded", [.stepUp], .unmet) { $0.table.actions["card-details"]?.oneOf = [.twoKeys] },
        Check("two keys of which the passcode brought one", [.stepUp], .unmet) {
            $0.table.actions["card-details"]?.oneOf = [.twoKeys]
            $0.useTwoKeys()
            $0.changeSigner { $0.enrolledBy = .passcode }
        },
        Check("liveness that does not hold", [.stepUp], .spent(.wrongSignature)) { $0.liveness = "dead" },
    ]

    static let checks = challengeChecks + keyChecks + registrationChecks + policyChecks

    @Test("nothing wrong", arguments: Row.allCases)
    func nothingWrong(_ row: Row) {
        var draft = Draft(row)
        #expect(draft.run() == nil)
        #expect(draft.committed != nil && draft.counted.isEmpty)
        #expect(draft.spendings == (Row.byTicket.contains(row) ? 2 : 1), "all of it is spent with what it authorises")
        #expect(draft.verifications == draft.signers.count + draft.newKeys.count, "each signature is counted")
    }

    @Test("one thing wrong", arguments: checks)
    func oneThingWrong(_ check: Check) {
        for row in check.rows {
            var draft = Draft(row)
            check.change(&draft)
            let refusal = draft.run()
            #expect(refusal == check.refusal, "\(row)")
            #expect(draft.committed == nil, "\(row)")
            // Before the caller is authenticated nothing is spent; from then on all of it is.
            let all = draft.ticket == nil ? 1 : 2
            if case .unopened = refusal {
                #expect(draft.spendings == 0, "\(row)")
            } else {
                #expect(draft.spendings == all, "\(row)")
            }
        }
    }

    @Test("a wrong signature counts at the key that it names, and nothing else does", arguments: checks)
    func whatCounts(_ check: Check) {
        let counts = [
            "a wrong signature", "a signature by another key of the device", "a wrong PIN", "a key that is no key",
            "a second proof that is wrong", "a wrong PIN beside a wrong signature",
        ].contains(check.testDescription)
        for row in check.rows {
            var draft = Draft(row)
            check.change(&draft)
            _ = draft.run()
            #expect(draft.counted.count == (counts ? 1 : 0), "\(row)")
            if check.testDescription == "a wrong PIN beside a wrong signature" {
                #expect(draft.counted == [Draft.kid(draft.face)], "\(row): the PIN is judged last, where nothing else is wrong")
            }
        }
    }

    /// What one row refuses and another allows on purpose.
    @Test func whatIsAllowed() {
        let until = Draft(.signIn).now + .seconds(1)
        for row in Row.byKey where row.rules.coolingOffMay {
            var draft = Draft(row)
            draft.changeSigner { $0.coolsOffUntil = until }
            #expect(draft.run() == nil, "\(row): on a device that cools off")
        }
        for row in [Row.signIn, .removeKey] {
            var draft = Draft(row)
            draft.changeSigner { $0.enrolledBy = .passcode }
            #expect(draft.run() == nil, "\(row): by a key that the passcode brought")
        }
        for row in Row.byTwoKeys {
            var draft = Draft(row)
            draft.useTwoKeys()
            #expect(draft.run() == nil, "\(row): by two keys")
        }
        var voucher = Draft(.enrol)
        guard case .success(var ticket) = voucher.openedTicket else { return }
        ticket.voucher = .random()
        voucher.openedTicket = .success(ticket)
        #expect(voucher.run() == nil, "a device lets in another one")
        guard case .device = voucher.committed else { return }
        var changed = Draft(.bringKey)
        changed.usePIN()
        changed.changeSigner { $0.enrolledBy = .passcode }
        #expect(changed.run() == nil, "a PIN that the passcode set is changed by itself: what follows rests on the same")
        var unproven = Draft(.enrol)
        unproven.newKeys.append(.init(kind: .passcode, key: unproven.passcode))
        unproven.claims.kids.append(Draft.kid(unproven.passcode))
        #expect(unproven.run() == nil, "a passcode key comes under the biometric key's proof")
    }

    @Test("the store hears what to do where the device is enrolled already", arguments: [IfEnrolled.fail, .replace])
    func enrolledAlready(_ ifEnrolled: IfEnrolled) {
        var draft = Draft(.enrol)
        draft.ifEnrolled = ifEnrolled
        #expect(draft.run() == nil)
        guard case .device(let new) = draft.committed else {
            Issue.record("an enrolment commits a device")
            return
        }
        #expect(new.ifEnrolled == ifEnrolled)
    }

    @Test func whatIsGranted() {
        var draft = Draft(.stepUp)
        draft.useTwoKeys()
        draft.liveness = "live"
        #expect(draft.run() == nil)
        guard case .session(let authTime, let granted) = draft.committed else {
            Issue.record("a step-up opens a session of one action")
            return
        }
        #expect(authTime == draft.claims.iat, "the age counts from the challenge")
        #expect(granted?.keys == [.biometric, .pin] && granted?.shown == [.twoKeys, .highLiveness])
    }

    @Test("a PIN is judged last, whatever the order of the proofs", arguments: Row.byTwoKeys)
    func aPINComesLast(_ row: Row) {
        var draft = Draft(row)
        draft.useTwoKeys()
        draft.signers.reverse()
        for index in draft.signers.indices where draft.signers[index].kid != Draft.handle {
            draft.signers[index].key = Draft.key()
        }
        #expect(draft.run() == .spent(.wrongSignature))
        #expect(draft.verifications == 1, "the PIN's signature was not looked at")
    }

    @Test func theTableHasEveryPurpose() {
        #expect(Set(CeremonyRules.table.map(\.challenge)) == Set(Purpose.allCases))
        #expect(
            CeremonyRules.table
                == [Row.signIn, .stepUp, .approve, .bringKey, .removeKey, .replaceKeyByTicket, .enrol].map(\.rules))
    }

    // MARK: Again, inside the transaction

    /// What may change between the judgement and its transaction.
    static let rowChanges: [(name: String, end: String, change: @Sendable (inout EnrolledKey) -> Void)] = [
        ("nothing", "done", { _ in }),
        ("gone", "refused", { $0.isRevoked = true }),
        ("paused", "refused", { $0.pausedUntil = UnixTime(seconds: 2_000_000) }),
        ("another device's", "refused", { $0.sessionJKT = "another" }),
        ("disabled", "disabled", { $0.wrongInARow = 100 }),
        ("disabled and gone", "refused", { ($0.wrongInARow, $0.isRevoked) = (100, true) }),
        ("cooling off", "as the row says", { $0.coolsOffUntil = UnixTime(seconds: 2_000_000) }),
        ("a session key", "refused", { $0.kind = .session }),
        ("brought by the passcode", "as its factor", { $0.enrolledBy = .passcode }),
        ("unproven", "done", { $0.isActive = false }),
    ]

    static func expected(_ end: String, _ row: Row) -> String {
        switch end {
        case "as the row says": row.rules.coolingOffMay ? "done" : "refused"
        case "as its factor": row == .approve ? "refused" : "done"
        default: end
        }
    }

    @Test("the store judges the rows again by the same rules", arguments: Row.byKey)
    func again(_ row: Row) {
        for change in Self.rowChanges {
            let draft = Draft(row)
            var key = draft.rows[0]
            change.change(&key)
            func authorisation(_ kids: String...) -> Authorisation {
                Authorisation(rules: row.rules, spends: [], grounds: .keys(kids), jkt: draft.caller)
            }
            let expected = Self.expected(change.end, row)
            #expect(authorisation(key.kid).judge([key], at: draft.now).name == expected, "\(row): \(change.name)")
            #expect(authorisation(key.kid).judge([nil], at: draft.now).name == "refused", "\(row): no row")
            #expect(
                authorisation(draft.rows[1].kid, key.kid).judge([draft.rows[1], key], at: draft.now).name
                    == (Row.byTwoKeys.contains(row) ? expected : "refused"), "\(row): \(change.name), the second of two")
            #expect(authorisation().judge([], at: draft.now).name == "refused", "\(row): no key at all")
            #expect(authorisation(key.kid, key.kid).judge([key], at: draft.now).name == "refused", "\(row): a row is missing")
            let ticket = Tickets.Right(
                account: key.account, spend: Spend(.ticket, id: [1], expiresAt: draft.now, epoch: 0), voucher: nil,
                freshness: .fresh)
            let byTicket = Authorisation(rules: row.rules, spends: [], grounds: .ticket(ticket), jkt: draft.caller)
            #expect(byTicket.judge([], at: draft.now).name == "refused", "\(row): a ticket in the place of keys")
        }
    }
}

extension CommitOutcome {
    var name: String {
        switch self {
        case .done: "done"
        case .refused: "refused"
        case .disabled: "disabled"
        case .insufficient: "insufficient"
        case .full: "full"
        }
    }
}
#endif
