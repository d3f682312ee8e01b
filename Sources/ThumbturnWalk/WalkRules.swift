#if Tools
import Crypto
import ThumbturnCore
import ThumbturnMessages
import ThumbturnServer
import ThumbturnVerifier

/// What must hold, written down a second time and without the server's code: a walk compares every answer with it.
///
/// Each rule is a reason for which a request must not be accepted. What the rules allow the server may still refuse; that
/// honest people get in is asked separately.
enum WalkRules {
    static let accessTokenLife = Duration.seconds(300)
    /// How long after its proof a session may change other devices.
    static let presenceLife = Duration.seconds(300)
    static let ticketLife = Duration.seconds(300)
    static let refreshGrace = Duration.seconds(30)
    static let sessionLife = Duration.seconds(12 * 3600)
    static let idleLimit = Duration.seconds(3600)
    static let mostWrongPINs = 10
    static let coolOff = Duration.seconds(24 * 3600)

    /// A rule that the server has broken, in words.
    typealias Violation = String

    /// Judges the answer to a request, and returns the world after it.
    static func judge(
        _ sent: Prepared, _ answer: WalkServer.Answer, in world: World, _ server: WalkServer, _ cast: Cast
    ) throws -> (violation: Violation?, world: World) {
        var after = world
        guard answer.isAccepted else {
            let violation = refuse(sent, answer, in: &after)
            return (violation, after)
        }
        if let once = sent.once, !after.consumed.insert(once).inserted { return ("a message was accepted twice", after) }
        switch sent.action {
        case .attempt, .enrol, .changeByTicket: after.accepted = after.accepted.suffix(3) + [sent]
        case .hold, .sendHeld, .password, .vouch, .refresh, .useToken, .remove, .removeItself, .changePassword, .list, .decline,
            .redeem, .withdraw, .command, .pass:
            break
        }
        let violation: Violation?
        switch sent.action {
        case .attempt(let attempt): violation = try accept(attempt, sent, answer, in: &after, server, cast)
        case .hold, .sendHeld: preconditionFailure("a message that is kept has the action that it was made for")
        case .password(let phone, _):
            let person: Person = phone == .bens ? .ben : .ada
            violation =
                sent.password != world.people[person]?.passwords
                ? "a former password was accepted"
                : world.people[person]?.isOff == true ? "an account that is off signed in" : nil
            try add(answer, for: phone, of: person, voucher: nil, to: &after)
        case .vouch(let index, let phone):
            let session = world.sessions[index]
            violation =
                refusal(of: session, in: world) ?? refusalToVouch(session, in: world)
                ?? (world.elapsed - session.openedAt > presenceLife ? "a session vouched for a phone long after its proof" : nil)
            if let person = world.person(of: session.phone) {
                try add(answer, for: phone, of: person, voucher: index, to: &after)
            }
        case .enrol(let index, let caller, _): violation = try enrol(index, caller, sent, answer, in: &after)
        case .changeByTicket(let change, let index, let caller): violation = self.change(change, index, caller, sent, in: &after)
        case .refresh(let index, let isFormer, let caller):
            let session = world.sessions[index]
            let tokens = try answer.read(TokenAnswer.self)
            if !world.isLive(session) {
                violation = "a session that is over was refreshed"
            } else if caller != session.phone {
                violation = "another phone refreshed a session"
            } else if world.elapsed - session.openedAt >= sessionLife || world.elapsed - session.refreshedAt >= idleLimit {
                violation = "a session was refreshed after its time"
            } else if isFormer, tokens.refreshToken != session.refresh || world.elapsed - session.refreshedAt > refreshGrace {
                violation = "a former refresh token got another successor"
            } else {
                violation = refusal(of: tokens.accessToken, of: session, by: server, cast, in: world)
            }
            if !isFormer, tokens.refreshToken != session.refresh {
                after.sessions[index].formerRefresh = session.refresh
                after.sessions[index].refresh = tokens.refreshToken
                after.sessions[index].refreshedAt = world.elapsed
            }
            after.sessions[index].access = tokens.accessToken
            after.sessions[index].accessAt = world.elapsed
        case .useToken(let index, let caller):
            let session = world.sessions[index]
            violation = caller == session.phone ? refusal(of: session, in: world) : "another phone used an access token"
        case .remove(let phone, let index):
            let session = world.sessions[index]
            let target = world.phones[phone]
            if let refused = refusal(of: session, in: world) {
                violation = refused
            } else if world.person(of: session.phone) != target?.person {
                violation = "a session removed a phone of another account"
            } else if session.act != nil {
                violation = "a step-up for another action removed a phone"
            } else if world.elapsed - session.openedAt > presenceLife {
                violation = "a session removed a phone long after its proof"
            } else if world.isCooling(session.phone) {
                violation = "a phone removed another one during its cool-off"
            } else if session.shows == .passcode, target?.keys.keys.contains(where: { $0 != .passcode }) == true {
                violation = "the passcode removed a phone with stronger keys"
            } else {
                violation = nil
            }
            after.phones[phone]?.revokedAt = world.elapsed
        case .removeItself(let phone):
            violation = nil
            after.phones[phone]?.revokedAt = world.elapsed
        case .changePassword(let index):
            let session = world.sessions[index]
            if let refused = refusal(of: session, in: world) {
                violation = refused
            } else if session.act != "change-password" {
                violation = "a session without the step-up set the password"
            } else if session.shows != .biometric {
                violation = "a key that shows the \(session.shows) set the password"
            } else if world.isCooling(session.phone) {
                violation = "a phone set the password during its cool-off"
            } else {
                violation = nil
            }
            let person = world.person(of: session.phone) ?? .ada
            after.people[person]?.passwords += 1
            after.people[person]?.generation += 1
            after.endSessions { world.person(of: $0.phone) == person && $0.phone != session.phone }
            after.sessions[index].isOver = true
        case .list(let phone):
            let list = try answer.read(ApprovalList.self)
            violation = refusalToSee(phone, in: world) ?? refusalOfList(list, phone, in: world)
        case .decline(let index, let phone):
            violation =
                refusalToSee(phone, in: world)
                ?? (world.approvals[index].people.contains { $0 == world.person(of: phone) }
                    ? nil : "a stranger declined an approval")
                ?? refusalOfEnd(world.approvals[index], in: world)
            after.approvals[index].end = .declined
        case .redeem(let index, let client, let isAltered):
            violation = isAltered ? "another transaction was redeemed" : try redeem(index, client, answer, in: &after)
        case .withdraw(let index, let client):
            violation =
                client == "shop" ? refusalOfEnd(world.approvals[index], in: world) : "a back end withdrew another one's approval"
            after.approvals[index].end = .withdrawn
        case .command(let command):
            violation = nil
            try carryOut(command, sent, in: &after, server)
        case .pass(let duration):
            violation = nil
            after.elapsed += duration
        }
        return (violation, after)
    }

    /// What a refusal changes, and what must not have been refused so.
    private static func refuse(_ sent: Prepared, _ answer: WalkServer.Answer, in world: inout World) -> Violation? {
        switch sent.action {
        case .attempt(let attempt): return count(attempt, sent, answer, in: &world)
        case .refresh(let index, _, let caller) where caller == world.sessions[index].phone:
            // A token that was used before ends its session; so the world forgets that session either way.
            world.sessions[index].isOver = true
        case .refresh, .redeem, .hold, .sendHeld, .password, .vouch, .enrol, .changeByTicket, .useToken, .remove, .removeItself,
            .changePassword, .list, .decline, .withdraw, .command, .pass:
            break
        }
        return nil
    }

    private static func add(
        _ answer: WalkServer.Answer, for phone: PhoneName, of person: Person, voucher: Int?, to world: inout World
    ) throws {
        world.tickets.append(
            World.Ticket(
                text: try answer.read(EnrolmentTicket.self).ticket, phone: phone, person: person, voucher: voucher,
                generation: world.people[person]?.generation ?? 0, epoch: world.epoch, madeAt: world.elapsed))
    }

    // MARK: Proofs

    private static func accept(
        _ attempt: Attempt, _ sent: Prepared, _ answer: WalkServer.Answer, in world: inout World, _ server: WalkServer,
        _ cast: Cast
    ) throws -> Violation? {
        let before = world
        let violation =
            refusal(of: attempt, sent, in: before) ?? refusal(of: attempt.act, by: sent.signers, on: attempt.caller, in: before)
        // A right signature makes a key active and ends its count.
        for signer in sent.signers {
            guard world.phones[attempt.caller]?.keys[signer.name.kind]?.kid == signer.kid else { continue }
            world.phones[attempt.caller]?.keys[signer.name.kind]?.isProven = true
            world.phones[attempt.caller]?.keys[signer.name.kind]?.wrong = 0
            world.phones[attempt.caller]?.keys[signer.name.kind]?.pausedUntil = .zero
        }
        guard let first = sent.signers.first else { return violation ?? "it was accepted without a signature" }
        switch attempt.act {
        case .signIn:
            let tokens = try answer.read(TokenAnswer.self)
            let session = World.Session(
                phone: attempt.caller, key: first.name, shows: first.shows, access: tokens.accessToken,
                accessAt: before.elapsed, openedAt: before.elapsed, refresh: tokens.refreshToken, refreshedAt: before.elapsed)
            add(session, to: &world)
            return violation ?? refusal(of: tokens.accessToken, of: session, by: server, cast, in: before)
        case .stepUp(let act):
            let token = try answer.read(StepUpAnswer.self).accessToken
            // The strongest of the keys counts.
            let shown = Set(sent.signers.map(\.shows))
            let session = World.Session(
                phone: attempt.caller, key: first.name, shows: shown.contains(.biometric) ? .biometric : first.shows, act: act,
                access: token, accessAt: before.elapsed, openedAt: before.elapsed, refreshedAt: before.elapsed, factors: shown)
            add(session, to: &world)
            return violation ?? refusal(of: token, of: session, by: server, cast, in: before)
        case .approve(let index):
            guard let person = before.person(of: attempt.caller) else { return violation }
            // Signatures of one phone count together, and a key's new one takes the place of its former one.
            world.approvals[index].signatures.removeAll {
                $0.person == person && ($0.key.name.phone != attempt.caller || $0.key.name.kind == first.name.kind)
            }
            world.approvals[index].signatures.append(.init(person: person, key: first, at: before.elapsed))
            if world.approvals[index].people.allSatisfy({ isSigned(world.approvals[index], by: $0, in: world) }) {
                world.approvals[index].expiresAt = max(world.approvals[index].expiresAt, before.elapsed + .seconds(300))
            }
            return violation
        case .change(let change):
            replace(change.kind, with: sent.brought.first, broughtBy: first.shows, on: attempt.caller, in: &world)
            if first.name.kind != change.kind {
                world.endSessions { $0.phone == attempt.caller && $0.key.kind == change.kind }
            }
            return violation
        }
    }

    /// Why a message must not be accepted, whatever it is for: its parts do not belong together, or its time is over.
    private static func refusal(of attempt: Attempt, _ sent: Prepared, in world: World) -> Violation? {
        if attempt.challengeFor != attempt.act {
            return "a challenge for \(attempt.challengeFor) was accepted for \(attempt.act)"
        }
        if attempt.bound != attempt.caller { return "a challenge for \(attempt.bound) was accepted from \(attempt.caller)" }
        if attempt.isWrong { return "a wrong PIN was accepted" }
        if sent.epoch != world.epoch { return "a challenge of an earlier epoch was accepted" }
        if world.elapsed - sent.madeAt >= .seconds(300) { return "a challenge was accepted after its time" }
        if attempt.signers.contains(where: { $0.phone != attempt.caller }) { return "a key of another phone was accepted" }
        return nil
    }

    /// Why these keys must not authorise an act.
    private static func refusal(
        of act: Act, by signers: [World.Key], on phone: PhoneName, in world: World
    ) -> Violation? {
        guard world.isLive(phone) else { return "\(phone) was accepted, and it is removed, or its account is off" }
        for signer in signers {
            guard let key = world.phones[phone]?.keys[signer.name.kind], key.kid == signer.kid else {
                return "\(signer.name) was accepted, and it was replaced or removed"
            }
            if world.elapsed < key.pausedUntil { return "\(signer.name) was accepted during its pause" }
            if key.name.kind == .pin, key.wrong >= mostWrongPINs { return "\(signer.name) was accepted after ten wrong PINs" }
        }
        if Set(signers.map(\.name.kind)).count != signers.count { return "one key was accepted as two" }
        if act != .signIn, world.isCooling(phone) { return "\(phone) did \(act) during its cool-off" }
        let shown = signers.map(\.shows)
        switch act {
        case .signIn: return nil
        case .stepUp(let name):
            let enough: [KeyKind] = name == "change-password" ? [.biometric] : [.biometric, .pin]
            return shown.contains(where: enough.contains) ? nil : "\(list(shown)) was enough for the step-up \(name)"
        case .approve(let index):
            let approval = world.approvals[index]
            guard let person = world.person(of: phone), approval.people.contains(person) else {
                return "a stranger approved"
            }
            if approval.end != nil || world.elapsed >= approval.expiresAt { return "an approval that is over was signed" }
            let takes = approval.demand.keys ?? [.biometric, .pin]
            return shown.allSatisfy(takes.contains) ? nil : "\(list(shown)) approved a payment"
        case .change(let change):
            let isThere = world.phones[phone]?.keys[change.kind] != nil
            let isItself = signers.first?.name.kind == change.kind
            switch change {
            case .setPIN:
                if isThere { return "a second PIN was set" }
                return shown == [.biometric] || shown == [.passcode] ? nil : "\(list(shown)) set a PIN"
            case .changePIN, .removePIN:
                if !isThere { return "a PIN was changed that is not there" }
                return isItself || shown == [.biometric] ? nil : "\(list(shown)) changed a PIN"
            case .removeBiometric: return isThere ? nil : "a biometric key was removed that is not there"
            case .resetPIN, .replaceBiometric: return "\(list(shown)) did \(change.rawValue), which needs full credentials"
            }
        }
    }

    private static func list(_ kinds: [KeyKind]) -> String {
        "a key that shows the " + kinds.map(\.rawValue).joined(separator: " and the ")
    }

    private static func replace(
        _ kind: KeyKind, with new: World.Key?, broughtBy shown: KeyKind?, on phone: PhoneName, in world: inout World
    ) {
        if let old = world.phones[phone]?.keys[kind] { world.phones[phone]?.former[kind] = old }
        guard var new else {
            world.phones[phone]?.keys[kind] = nil
            return
        }
        // A key that the passcode brought shows the passcode: a thief who knows it could have made the key.
        if shown == .passcode { new.shows = .passcode }
        world.phones[phone]?.keys[kind] = new
        world.use(new)
    }

    /// Counts a wrong signature as the server says that it does.
    private static func count(
        _ attempt: Attempt, _ sent: Prepared, _ answer: WalkServer.Answer, in world: inout World
    ) -> Violation? {
        guard attempt.isWrong, sent.epoch == world.epoch, world.isLive(attempt.caller), let signer = sent.signers.first,
            let key = world.phones[attempt.caller]?.keys[signer.name.kind], key.kid == signer.kid,
            world.elapsed >= key.pausedUntil
        else { return nil }
        let (kind, wrong) = (signer.name.kind, key.wrong + 1)
        world.phones[attempt.caller]?.keys[kind]?.wrong = wrong
        guard kind == .pin else {
            // Every key but a PIN key pauses from the fifth wrong signature on.
            if wrong >= 5 { world.phones[attempt.caller]?.keys[kind]?.pausedUntil = world.elapsed + .seconds(30 << (wrong - 5)) }
            return nil
        }
        let left = (try? WireJSON.decodeClaims(Problem.self, from: answer.body))?.triesLeft
        return left == max(0, mostWrongPINs - wrong) ? nil : "a wrong PIN was not counted before the answer"
    }

    // MARK: Sessions and tokens

    /// Keeps the newest session of a phone, a key and an action; an older one serves no purpose that it does not.
    private static func add(_ session: World.Session, to world: inout World) {
        let same = world.sessions.firstIndex {
            $0.phone == session.phone && $0.key == session.key && $0.act == session.act && !$0.isOver && !isVoucher($0, in: world)
        }
        if let same { world.sessions[same] = session } else { world.sessions.append(session) }
    }

    private static func isVoucher(_ session: World.Session, in world: World) -> Bool {
        world.tickets.contains { ticket in ticket.voucher.map { world.sessions[$0] == session } ?? false }
    }

    /// Why the access token of a session must not be accepted.
    private static func refusal(of session: World.Session, in world: World) -> Violation? {
        if session.isOver { return "a session that is over was accepted" }
        guard world.isLive(session.phone) else {
            return "a session was accepted, and its phone is removed, or its account is off"
        }
        return world.elapsed - session.accessAt < accessTokenLife ? nil : "an access token was accepted after its time"
    }

    /// What is wrong with a token that the server has just made.
    private static func refusal(
        of token: String, of session: World.Session, by server: WalkServer, _ cast: Cast, in world: World
    ) -> Violation? {
        guard let jws = CompactJWS(token),
            let claims = try? WireJSON.decodeClaims(AccessTokenClaims.self, from: jws.payload),
            let header = try? WireJSON.decodeClaims(Header.self, from: jws.header)
        else { return "an access token cannot be read" }
        let (now, phone) = (server.clock.now, world.phones[session.phone])
        if claims.authTime > now || claims.iat > now { return "a token says that it is from the future" }
        if claims.exp - claims.iat > accessTokenLife { return "a token lives longer than tokens do" }
        if claims.authTime > server.clock.time(at: session.openedAt) { return "a token is fresher than its proof" }
        if claims.cnf.jkt != cast.session(of: session.phone).thumbprint { return "a token is bound to another key" }
        if claims.sub != phone.flatMap({ world.people[$0.person]?.id }) || claims.did != phone?.id {
            return "a token names another account or phone"
        }
        if claims.acr != Assurance(protection: .software, verification: .none).acr { return "a token says more than is shown" }
        let grant = claims.authorizationDetails?.first
        if claims.authorizationDetails?.map(\.action) != session.act.map({ [$0] }) { return "a token grants another action" }
        if let grant, Set(grant.keys) != session.factors { return "a grant names keys that were not shown" }
        return refusal(ofTokenKey: header.kid, in: world)
    }

    /// What is wrong with a token key that signs.
    static func refusal(ofTokenKey kid: String, in world: World) -> Violation? {
        if world.revokedTokenKeys[kid] != nil { return "a revoked token key signs" }
        if let began = world.tokenKeys[kid], began < world.epoch { return "a token key of an earlier epoch signs" }
        return nil
    }

    private struct Header: Decodable { var kid: String }

    // MARK: Devices

    private static func refusalToVouch(_ session: World.Session, in world: World) -> Violation? {
        if session.act != nil { return "a step-up for another action vouched for a phone" }
        if world.isCooling(session.phone) { return "a phone vouched for another one during its cool-off" }
        return [.biometric, .pin].contains(session.shows) ? nil : "a session that shows the \(session.shows) vouched for a phone"
    }

    /// Why a ticket must not be accepted; nil if it may be.
    private static func judgeTicket(_ ticket: World.Ticket, by caller: PhoneName, in world: World) -> Violation? {
        if ticket.phone != caller { return "a ticket for \(ticket.phone) was accepted from \(caller)" }
        if ticket.isSpent { return "a ticket was accepted twice" }
        if ticket.epoch != world.epoch { return "a ticket of an earlier epoch was accepted" }
        if world.elapsed - ticket.madeAt >= ticketLife { return "a ticket was accepted after its time" }
        guard let person = world.people[ticket.person], !person.isOff, person.generation == ticket.generation else {
            return "a ticket was accepted that the account's owner or the operator had made void"
        }
        guard let voucher = ticket.voucher.map({ world.sessions[$0] }) else { return nil }
        if !world.isLive(voucher) { return "the ticket of a session that is over was accepted" }
        return refusalToVouch(voucher, in: world)
    }

    private static func enrol(
        _ index: Int, _ caller: PhoneName, _ sent: Prepared, _ answer: WalkServer.Answer, in world: inout World
    ) throws -> Violation? {
        let ticket = world.tickets[index]
        var violation = judgeTicket(ticket, by: caller, in: world)
        if sent.epoch != world.epoch { violation = violation ?? "a challenge of an earlier epoch was accepted" }
        let isAgain = world.phones[caller].map { !$0.isRevoked } ?? false
        if isAgain, ticket.voucher != nil { violation = violation ?? "a vouching device brought other keys to an enrolled phone" }
        if isAgain, world.phones[caller]?.person != ticket.person { violation = violation ?? "a phone changed its account" }
        if world.phones[caller]?.isRevoked == true {
            violation = violation ?? "a removed phone was enrolled with its old session key"
        }
        world.tickets[index].isSpent = true
        let voucher = ticket.voucher.map { world.sessions[$0].shows }
        var phone = World.Phone(person: ticket.person, id: try answer.read(DeviceRecord.self).id)
        if isAgain { phone.former = world.phones[caller]?.keys ?? [:] }
        for key in sent.brought {
            phone.keys[key.name.kind] = key
            world.use(key)
        }
        phone.coolsUntil = world.phones[caller]?.coolsUntil ?? .zero
        if voucher != .biometric, world.hasOtherPhones(than: caller, of: ticket.person) {
            phone.coolsUntil = max(phone.coolsUntil, world.elapsed + coolOff)
        }
        world.phones[caller] = phone
        world.endSessions { $0.phone == caller }
        return violation
    }

    private static func change(
        _ change: KeyChange, _ index: Int, _ caller: PhoneName, _ sent: Prepared, in world: inout World
    ) -> Violation? {
        let ticket = world.tickets[index]
        var violation = judgeTicket(ticket, by: caller, in: world)
        if ticket.voucher != nil { violation = violation ?? "the ticket of a vouching device changed a key" }
        if ticket.person != world.person(of: caller) { violation = violation ?? "a ticket changed a key of another account" }
        if !world.isLive(caller) { violation = violation ?? "a key of a removed phone was changed" }
        if change != .resetPIN, change != .replaceBiometric { violation = violation ?? "full credentials did \(change.rawValue)" }
        world.tickets[index].isSpent = true
        replace(change.kind, with: sent.brought.first, broughtBy: nil, on: caller, in: &world)
        world.endSessions { $0.phone == caller && $0.key.kind == change.kind }
        if let person = world.person(of: caller), world.hasOtherPhones(than: caller, of: person) {
            let until = max(world.phones[caller]?.coolsUntil ?? .zero, world.elapsed + coolOff)
            world.phones[caller]?.coolsUntil = until
        }
        return violation
    }

    // MARK: Approvals

    private static func refusalToSee(_ phone: PhoneName, in world: World) -> Violation? {
        if !world.isLive(phone) { return "\(phone) saw or changed approvals, and it is removed, or its account is off" }
        return world.isCooling(phone) ? "\(phone) saw or changed approvals during its cool-off" : nil
    }

    private static func refusalOfList(_ list: ApprovalList, _ phone: PhoneName, in world: World) -> Violation? {
        let shown = world.approvals.filter { approval in list.approvals.contains { $0.id == approval.id } }
        if shown.count != list.approvals.count { return "a list has an approval that is unknown" }
        for approval in shown {
            guard let person = world.person(of: phone), approval.people.contains(person) else {
                return "a list has an approval of another account"
            }
            if let refused = refusalOfEnd(approval, in: world) { return refused }
        }
        let texts = Set(world.approvals.map { Base64URL.encode(Array($0.transaction.utf8)) })
        return list.approvals.allSatisfy { texts.contains($0.txn) } ? nil : "a list has another transaction"
    }

    private static func refusalOfEnd(_ approval: World.Approval, in world: World) -> Violation? {
        approval.end == nil && world.elapsed < approval.expiresAt ? nil : "an approval ended that was over"
    }

    /// The signatures that still count: of keys that are enrolled as they were, from after the account was last off.
    static func signatures(of approval: World.Approval, in world: World) -> [World.Approval.Signature] {
        approval.signatures.filter { signature in
            let phone = signature.key.name.phone
            return world.isLive(phone) && world.phones[phone]?.person == signature.person
                && world.phones[phone]?.keys[signature.key.name.kind]?.kid == signature.key.kid
                && signature.at > world.people[signature.person]?.signaturesOver ?? .zero
        }
    }

    private static func isSigned(_ approval: World.Approval, by person: Person, in world: World) -> Bool {
        let shown = Set(signatures(of: approval, in: world).filter { $0.person == person }.map(\.key.shows))
        return approval.demand.keys.map { shown.isSuperset(of: $0) } ?? !shown.isDisjoint(with: [.biometric, .pin])
    }

    private static func redeem(
        _ index: Int, _ client: String, _ answer: WalkServer.Answer, in world: inout World
    ) throws -> Violation? {
        let approval = world.approvals[index]
        if client != "shop" { return "a back end redeemed another one's approval" }
        let proof = try answer.read(ApprovalProof.self)
        if let receipt = approval.receipt { return proof.receipt == receipt ? nil : "an approval was redeemed twice" }
        world.approvals[index].end = .redeemed
        world.approvals[index].receipt = proof.receipt
        if approval.end != nil { return "an approval that was over was redeemed" }
        if world.elapsed >= approval.expiresAt { return "an approval was redeemed after its time" }
        guard let jws = CompactJWS(proof.receipt),
            let receipt = try? WireJSON.decodeClaims(ApprovalReceipt.self, from: jws.payload)
        else { return "a receipt cannot be read" }
        let valid = signatures(of: approval, in: world)
        if Set(receipt.approvedBy.map(\.kid)) != Set(valid.map(\.key.kid)) {
            return "the receipt names \(receipt.approvedBy.count) signatures, and \(valid.count) count"
        }
        if let person = approval.people.first(where: { !isSigned(approval, by: $0, in: world) }) {
            return "an approval was redeemed that \(person) had not signed as demanded"
        }
        let bytes = Array(approval.transaction.utf8)
        if proof.txn != Base64URL.encode(bytes) { return "another transaction was redeemed" }
        if receipt.txnHash != Base64URL.encode(SHA256.hash(data: bytes)) { return "the receipt is for another transaction" }
        guard let header = try? WireJSON.decodeClaims(Header.self, from: jws.header) else { return "a receipt cannot be read" }
        return refusal(ofTokenKey: header.kid, in: world)
    }

    // MARK: The operator

    private static func carryOut(_ command: Command, _ sent: Prepared, in world: inout World, _ server: WalkServer) throws {
        switch command {
        case .backUp: world.backup = World.Backup(try server.store.image(), world)
        case .restore:
            guard let backup = world.backup else { return }
            var restored = backup.world
            // What was ever sent is known for ever, and the next keys are other ones.
            restored.elapsed = world.elapsed
            restored.backup = world.backup
            (restored.tickets, restored.sessions, restored.held) = (world.tickets, world.sessions, world.held)
            (restored.tokenKeys, restored.revokedTokenKeys) = (world.tokenKeys, world.revokedTokenKeys)
            (restored.editions, restored.kids) = (world.editions, world.kids)
            (restored.accepted, restored.consumed, restored.rotations) = (world.accepted, world.consumed, world.rotations)
            restored.epoch = world.epoch
            world = restored
            beginEpoch(in: &world)
        case .newEpoch: beginEpoch(in: &world)
        case .rotateTokenKey: world.rotations += 1
        case .revokeTokenKey:
            if let leaked = sent.leaked { world.revokedTokenKeys[leaked.kid] = leaked }
        case .disable:
            world.people[.ada]?.isOff = true
            world.people[.ada]?.generation += 1
            world.people[.ada]?.signaturesOver = world.elapsed
            world.endSessions { [phones = world.phones] in phones[$0.phone]?.person == .ada }
        case .enable: world.people[.ada]?.isOff = false
        case .endDevices:
            world.people[.ada]?.generation += 1
            for (phone, state) in world.phones where state.person == .ada { world.phones[phone]?.revokedAt = world.elapsed }
        case .setPassword:
            world.people[.ada]?.passwords += 1
            world.people[.ada]?.generation += 1
            world.endSessions { [phones = world.phones] in phones[$0.phone]?.person == .ada }
        }
    }

    private static func beginEpoch(in world: inout World) {
        world.epoch += 1
        world.endSessions { _ in true }
        for index in world.approvals.indices where world.approvals[index].end == nil { world.approvals[index].end = .expired }
    }
}

#endif
