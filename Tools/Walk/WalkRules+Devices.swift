#if Tools
import ThumbturnCore
import ThumbturnMessages

/// The rules for the phones of an account and their keys: tickets, what a ticket does, and the removal of a phone.
extension WalkRules {
    // MARK: Tickets

    /// A session vouches for a phone, which gets a ticket.
    static func vouch(
        _ index: Int, for phone: PhoneName, _ answer: WalkServer.Answer, in world: inout World
    ) throws -> Violation? {
        let session = world.sessions[index]
        let violation: Violation? =
            refusal(of: session, in: world) ?? refusalToVouch(session, in: world)
            ?? (world.elapsed - session.openedAt > presenceLife ? "a session vouched for a phone long after its proof" : nil)
        if let person = world.person(of: session.phone) {
            try add(answer, for: phone, of: person, voucher: index, to: &world)
        }
        return violation
    }

    private static func refusalToVouch(_ session: World.Session, in world: World) -> Violation? {
        if session.act != nil { return "a step-up for another action vouched for a phone" }
        if world.isCooling(session.phone) { return "a phone vouched for another one during its cool-off" }
        return [.biometric, .pin].contains(session.shows) ? nil : "a session that shows the \(session.shows) vouched for a phone"
    }

    /// Keeps a new ticket.
    static func add(
        _ answer: WalkServer.Answer, for phone: PhoneName, of person: Person, voucher: Int?, isOfVisit: Bool = false,
        to world: inout World
    ) throws {
        world.tickets.append(
            World.Ticket(
                text: try answer.read(EnrolmentTicket.self).ticket, phone: phone, person: person, voucher: voucher,
                generation: world.people[person]?.generation ?? 0, epoch: world.epoch, madeAt: world.elapsed,
                isOfVisit: isOfVisit))
    }

    /// Why a ticket must not be accepted; nil if it may be.
    static func judgeTicket(_ ticket: World.Ticket, by caller: PhoneName, in world: World) -> Violation? {
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

    // MARK: By a ticket

    static func enrol(
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

    static func change(
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

    /// A key of a phone is replaced, set or, without a new one, removed.
    static func replace(
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

    // MARK: By a session

    static func remove(_ phone: PhoneName, by index: Int, in world: inout World) -> Violation? {
        let violation = refusalToRemove(phone, by: world.sessions[index], in: world)
        world.phones[phone]?.revokedAt = world.elapsed
        return violation
    }

    private static func refusalToRemove(_ phone: PhoneName, by session: World.Session, in world: World) -> Violation? {
        let target = world.phones[phone]
        if let refused = refusal(of: session, in: world) { return refused }
        if world.person(of: session.phone) != target?.person { return "a session removed a phone of another account" }
        if session.act != nil { return "a step-up for another action removed a phone" }
        if world.elapsed - session.openedAt > presenceLife { return "a session removed a phone long after its proof" }
        if world.isCooling(session.phone) { return "a phone removed another one during its cool-off" }
        if session.shows == .passcode, target?.keys.keys.contains(where: { $0 != .passcode }) == true {
            return "the passcode removed a phone with stronger keys"
        }
        return nil
    }
}
#endif
