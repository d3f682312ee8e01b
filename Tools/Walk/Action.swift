#if Tools
import ThumbturnCore
import ThumbturnMessages

/// What a proof is for.
enum Act: Hashable, Sendable, CustomStringConvertible {
    case signIn
    case stepUp(String)
    /// The approval of this index.
    case approve(Int)
    case change(KeyChange)

    var description: String {
        switch self {
        case .signIn: "a sign-in"
        case .stepUp(let act): "the step-up \(act)"
        case .approve(let index): "approval \(index + 1)"
        case .change(let change): change.rawValue
        }
    }
}

extension Act {
    /// The kind of key that it brings; nil if it brings none.
    var kindOfNewKey: KeyKind? {
        if case .change(let change) = self, change.bringsKey { change.kind } else { nil }
    }

    /// Whether a request for this is also one for the other, so that the challenge alone says which. A change of a key is
    /// named by its challenge.
    func isSentLike(_ other: Act) -> Bool {
        guard case .change(let change) = self, case .change(let another) = other else { return self == other }
        return change.bringsKey == another.bringsKey && (!change.bringsKey || change.kind == another.kind)
    }
}

/// A key as an action names it.
struct Signer: Hashable, Sendable {
    var phone: PhoneName
    var kind: KeyKind
    /// Whether it is the key before the present one.
    var isFormer = false
}

/// A message with proofs: keys that sign a challenge for one purpose, sent for one purpose by one phone.
struct Attempt: Hashable, Sendable, CustomStringConvertible {
    var act: Act
    /// What the challenge was made for.
    var challengeFor: Act
    /// The phone whose session key sends it.
    var caller: PhoneName
    /// The phone whose session key the challenge names.
    var bound: PhoneName
    var signers: [Signer]
    /// Whether another key signs in the name of the first one, as a wrong PIN does.
    var isWrong = false

    init(_ act: Act, by caller: PhoneName, _ signers: [Signer]) {
        (self.act, challengeFor, self.caller, bound, self.signers) = (act, act, caller, caller, signers)
    }

    var description: String {
        let keys = signers.map { signer in
            (signer.phone == caller ? "its" : "\(signer.phone)'s") + (signer.isFormer ? " former" : "") + " \(signer.kind) key"
        }
        return "\(caller), by \(keys.joined(separator: " and "))\(isWrong ? " (wrong)" : ""): \(act)"
            + (challengeFor == act ? "" : ", with a challenge for \(challengeFor)")
            + (bound == caller ? "" : ", with a challenge for \(bound)")
    }
}

/// The commands of the operator.
enum Command: Hashable, Sendable, CaseIterable {
    case backUp, restore, newEpoch, rotateTokenKey, revokeTokenKey, disable, enable, endDevices, setPassword

    var description: String {
        switch self {
        case .backUp: "makes a backup"
        case .restore: "restores the backup"
        case .newEpoch: "begins an epoch"
        case .rotateTokenKey: "rotates the token key"
        case .revokeTokenKey: "revokes the signing token key"
        case .disable: "switches ada's account off"
        case .enable: "switches ada's account on"
        case .endDevices: "ends ada's devices"
        case .setPassword: "sets ada's password"
        }
    }
}

/// What a visit is used for.
enum VisitUse: Hashable, Sendable {
    case me, devices, refresh
    /// Asks for a ticket to enrol the visit's own phone.
    case ticket
    case remove(PhoneName)
    case changePassword

    var description: String {
        switch self {
        case .me: "asks for the account"
        case .devices: "lists the devices"
        case .refresh: "refreshes it"
        case .ticket: "asks for a ticket"
        case .remove(let phone): "removes \(phone)"
        case .changePassword: "sets the password"
        }
    }
}

/// One step of a story.
enum Action: Hashable, Sendable, CustomStringConvertible {
    case attempt(Attempt)
    /// Makes a message with proofs and keeps it.
    case hold(Attempt)
    case sendHeld
    /// A full sign-in from a phone.
    case password(PhoneName, isFormer: Bool)
    /// Asks with a session for the ticket of another phone.
    case vouch(session: Int, for: PhoneName)
    case enrol(ticket: Int, caller: PhoneName, IfEnrolled)
    case changeByTicket(KeyChange, ticket: Int, caller: PhoneName)
    /// Redeems a ticket for a visit.
    case visit(ticket: Int, caller: PhoneName)
    case useVisit(Int, VisitUse, caller: PhoneName)
    case refresh(session: Int, isFormer: Bool, caller: PhoneName)
    case useToken(session: Int, caller: PhoneName)
    case remove(PhoneName, session: Int)
    case removeItself(PhoneName)
    case changePassword(session: Int)
    case list(PhoneName)
    case decline(Int, PhoneName)
    /// - Parameter isAltered: whether the amount differs from what was approved.
    case redeem(Int, client: String, isAltered: Bool)
    case withdraw(Int, client: String)
    case command(Command)
    case pass(Duration)

    var description: String {
        switch self {
        case .attempt(let attempt): "\(attempt)"
        case .hold(let attempt): "kept for later: \(attempt)"
        case .sendHeld: "the message that was kept is sent"
        case .password(let phone, let isFormer): "\(phone): a full sign-in as ada" + (isFormer ? " with the former password" : "")
        case .vouch(let session, let phone): "session \(session + 1) vouches for \(phone)"
        case .enrol(let ticket, let caller, let ifEnrolled):
            "\(caller): enrols with ticket \(ticket + 1)" + (ifEnrolled == .replace ? ", replacing its keys" : "")
        case .changeByTicket(let change, let ticket, let caller): "\(caller), by ticket \(ticket + 1): \(change.rawValue)"
        case .visit(let ticket, let caller): "\(caller): opens a visit with ticket \(ticket + 1)"
        case .useVisit(let index, let use, let caller): "\(caller), with visit \(index + 1): \(use.description)"
        case .refresh(let session, let isFormer, let caller):
            "\(caller): refreshes session \(session + 1)" + (isFormer ? " with its former token" : "")
        case .useToken(let session, let caller): "\(caller): uses the access token of session \(session + 1)"
        case .remove(let phone, let session): "session \(session + 1) removes \(phone)"
        case .removeItself(let phone): "\(phone) removes itself"
        case .changePassword(let session): "session \(session + 1) sets the password"
        case .list(let phone): "\(phone): lists the open approvals"
        case .decline(let index, let phone): "\(phone): declines approval \(index + 1)"
        case .redeem(let index, let client, let isAltered):
            "the back end \(client): redeems approval \(index + 1)" + (isAltered ? " with another amount" : "")
        case .withdraw(let index, let client): "the back end \(client): withdraws approval \(index + 1)"
        case .command(let command): "the operator \(command.description)"
        case .pass(let duration): "\(duration.components.seconds / 60) minutes pass"
        }
    }
}

extension Action {
    /// Whether a refusal may consume what other actions need in the same state: the ticket, or a count of wrong passwords.
    var mayUseUp: Bool {
        switch self {
        case .enrol, .changeByTicket, .password, .visit, .useVisit: true
        case .attempt, .hold, .sendHeld, .vouch, .refresh, .useToken, .remove, .removeItself, .changePassword, .list, .decline,
            .redeem, .withdraw, .command, .pass:
            false
        }
    }

    /// Where the refusals of a stranger must be the same bytes; nil for the holder of the session key, who may be told more.
    func neutralPlace(in world: World) -> String? {
        switch self {
        case .attempt(let attempt)
        where attempt.bound != attempt.caller || attempt.signers.contains { $0.phone != attempt.caller }:
            switch attempt.act {
            case .signIn, .stepUp: "the token endpoint"
            case .approve: "the proofs of an approval"
            case .change: "the keys of a device"
            }
        case .password: "the full sign-in"
        case .changeByTicket(_, let ticket, let caller) where caller != world.tickets[ticket].phone: "the keys of a device"
        case .enrol(let ticket, let caller, _) where caller != world.tickets[ticket].phone: "the enrolment"
        case .visit(let ticket, let caller) where caller != world.tickets[ticket].phone: "the token endpoint"
        case .attempt, .changeByTicket, .enrol, .hold, .sendHeld, .vouch, .visit, .useVisit, .refresh, .useToken, .remove,
            .removeItself, .changePassword, .list, .decline, .redeem, .withdraw, .command, .pass:
            nil
        }
    }

    /// The notice that the owner of the account must get when it is done.
    func notice(in world: World) -> String? {
        switch self {
        case .enrol(_, let caller, _): world.phones[caller] == nil ? "new-device" : "keys-changed"
        case .attempt(let attempt): if case .change = attempt.act { "keys-changed" } else { nil }
        case .changeByTicket: "keys-changed"
        case .visit: "signed-in-without-device"
        case .remove, .removeItself: "device-revoked"
        case .changePassword, .command(.setPassword): "password-changed"
        case .command(.disable): "account-disabled"
        case .command(.enable): "account-enabled"
        case .hold, .sendHeld, .password, .vouch, .useVisit, .refresh, .useToken, .list, .decline, .redeem, .withdraw, .command,
            .pass:
            nil
        }
    }

    /// Whether the audit log must have a row of it when it is done.
    var isAudited: Bool {
        switch self {
        case .attempt, .enrol, .changeByTicket, .password, .visit, .remove, .removeItself, .changePassword, .decline, .withdraw:
            true
        case .hold, .sendHeld, .vouch, .useVisit, .refresh, .useToken, .list, .redeem, .command, .pass: false
        }
    }
}

extension World {
    /// The actions that may be worth a try in this world.
    ///
    /// - Parameter mixing: whether parts that do not belong together are put together too: a challenge for one purpose with
    ///   another, keys of one phone with another's session key.
    func actions(mixing: Bool) -> [Action] {
        var actions = attempts(mixing: mixing).map(Action.attempt)
        if held == nil {
            actions += [Act.signIn, .approve(0), .change(.changePIN), .change(.setPIN), .stepUp("new-recipient")].flatMap { act in
                [PhoneName.first, .second].flatMap { phone in
                    (phones[phone]?.keys.keys.sorted { $0.rawValue < $1.rawValue } ?? []).map {
                        Action.hold(Attempt(act, by: phone, [Signer(phone: phone, kind: $0)]))
                    }
                }
            }
        } else {
            actions.append(.sendHeld)
        }
        for phone in [PhoneName.first, .second, .new] where !tickets.contains(where: { $0.phone == phone && isUsable($0) }) {
            actions.append(.password(phone, isFormer: false))
            if people[.ada]?.passwords ?? 0 > 0 { actions.append(.password(phone, isFormer: true)) }
        }
        for (index, ticket) in tickets.enumerated() where !ticket.isSpent {
            let callers = mixing ? PhoneName.allCases.filter { $0 != .bens } : [ticket.phone]
            for caller in callers {
                actions.append(.visit(ticket: index, caller: caller))
                for ifEnrolled in IfEnrolled.allCases where ifEnrolled == .fail || phones[caller] != nil {
                    actions.append(.enrol(ticket: index, caller: caller, ifEnrolled))
                }
                guard phones[caller] != nil else { continue }
                for change in [KeyChange.setPIN, .changePIN, .resetPIN, .replaceBiometric] {
                    actions.append(.changeByTicket(change, ticket: index, caller: caller))
                }
            }
        }
        for (index, visit) in visits.enumerated() {
            for use in [VisitUse.me, .devices, .refresh, .ticket, .remove(.first), .changePassword] {
                for caller in mixing ? PhoneName.allCases : [visit.phone] {
                    actions.append(.useVisit(index, use, caller: caller))
                }
            }
        }
        for (index, session) in sessions.enumerated() {
            let others = mixing ? PhoneName.allCases.filter { $0 != session.phone && phones[$0] != nil } : []
            for caller in [session.phone] + others { actions.append(.useToken(session: index, caller: caller)) }
            if session.refresh != nil {
                for caller in [session.phone] + others {
                    actions.append(.refresh(session: index, isFormer: false, caller: caller))
                }
                if session.formerRefresh != nil {
                    actions.append(.refresh(session: index, isFormer: true, caller: session.phone))
                }
            }
            if session.act == nil || mixing {
                actions.append(.vouch(session: index, for: .new))
                for phone in PhoneName.allCases where phones[phone] != nil && phone != session.phone {
                    actions.append(.remove(phone, session: index))
                }
            }
            if session.act != nil || mixing { actions.append(.changePassword(session: index)) }
        }
        for phone in PhoneName.allCases where phones[phone] != nil {
            actions.append(.list(phone))
            if phone != .bens { actions.append(.removeItself(phone)) }
            for index in approvals.indices { actions.append(.decline(index, phone)) }
        }
        for index in approvals.indices {
            actions.append(.redeem(index, client: "shop", isAltered: true))
            for client in mixing ? ["shop", "other"] : ["shop"] {
                actions += [.redeem(index, client: client, isAltered: false), .withdraw(index, client: client)]
            }
        }
        actions += Command.allCases.filter { command in
            switch command {
            case .backUp: backup == nil
            case .restore: backup != nil && epoch < 2
            case .newEpoch: epoch == 0
            case .rotateTokenKey: rotations == 0
            case .revokeTokenKey: revokedTokenKeys.isEmpty
            case .disable: people[.ada]?.isOff == false
            case .enable: people[.ada]?.isOff == true
            case .endDevices: true
            case .setPassword: people[.ada]?.passwords == 0
            }
        }.map(Action.command)
        return actions + [.pass(.seconds(660)), .pass(.seconds(25 * 3600))].filter { _ in elapsed < .seconds(60 * 3600) }
    }

    private func attempts(mixing: Bool) -> [Attempt] {
        let acts =
            [Act.signIn, .stepUp("new-recipient"), .stepUp("change-password")] + approvals.indices.map(Act.approve)
            + [KeyChange.setPIN, .changePIN, .removePIN, .replaceBiometric, .removeBiometric].map(Act.change)
        var attempts: [Attempt] = []
        for (phone, state) in phones.sorted(by: { $0.key < $1.key }) {
            let kinds = state.keys.keys.sorted { $0.rawValue < $1.rawValue }
            let single = kinds.map { [Signer(phone: phone, kind: $0)] }
            let former = state.former.keys.sorted { $0.rawValue < $1.rawValue }
                .map { [Signer(phone: phone, kind: $0, isFormer: true)] }
            let pairs = [(KeyKind.biometric, KeyKind.pin), (.passcode, .pin)].filter {
                kinds.contains($0.0) && kinds.contains($0.1)
            }
            .map { [Signer(phone: phone, kind: $0.0), Signer(phone: phone, kind: $0.1)] }
            for act in acts {
                if case .change = act, phone == .bens { continue }
                attempts += (single + former).map { Attempt(act, by: phone, $0) }
                switch act {
                case .signIn, .stepUp: attempts += pairs.map { Attempt(act, by: phone, $0) }
                case .approve, .change: break
                }
            }
            if kinds.contains(.pin) {
                var wrong = Attempt(.signIn, by: phone, [Signer(phone: phone, kind: .pin)])
                wrong.isWrong = true
                attempts.append(wrong)
            }
            guard mixing else { continue }
            for signers in single {
                for act in acts {
                    for other in acts where !act.isSentLike(other) {
                        var mixed = Attempt(act, by: phone, signers)
                        mixed.challengeFor = other
                        attempts.append(mixed)
                    }
                    for other in PhoneName.allCases where other != phone {
                        var foreign = Attempt(act, by: other, signers)
                        attempts.append(foreign)
                        foreign.bound = phone
                        attempts.append(foreign)
                        foreign = Attempt(act, by: phone, signers)
                        foreign.bound = other
                        attempts.append(foreign)
                    }
                }
            }
        }
        return attempts
    }
}
#endif
