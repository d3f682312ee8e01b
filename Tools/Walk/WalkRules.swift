#if Tools
/// What must hold, written down a second time and without the server's code: a walk compares every answer with it.
///
/// Each rule is a reason for which a request must not be accepted. What the rules allow the server may still refuse; that
/// honest people get in is asked separately. The rules stand by subject in the files `WalkRules+….swift`.
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
        case .attempt, .enrol, .changeByTicket, .visit: after.accepted = after.accepted.suffix(3) + [sent]
        case .hold, .sendHeld, .password, .vouch, .useVisit, .refresh, .useToken, .remove, .removeItself, .changePassword, .list,
            .decline, .redeem, .withdraw, .command, .pass:
            break
        }
        let violation = try accept(sent, answer, in: &after, server, cast)
        return (violation, after)
    }

    /// What is wrong with a request that was accepted, and what it changes.
    private static func accept(
        _ sent: Prepared, _ answer: WalkServer.Answer, in world: inout World, _ server: WalkServer, _ cast: Cast
    ) throws -> Violation? {
        switch sent.action {
        case .attempt(let attempt): return try accept(attempt, sent, answer, in: &world, server, cast)
        case .hold, .sendHeld: preconditionFailure("a message that is kept has the action that it was made for")
        case .password(let phone, _): return try signIn(phone, sent, answer, in: &world)
        case .vouch(let index, let phone): return try vouch(index, for: phone, answer, in: &world)
        case .enrol(let index, let caller, _): return try enrol(index, caller, sent, answer, in: &world)
        case .changeByTicket(let change, let index, let caller): return self.change(change, index, caller, sent, in: &world)
        case .visit(let index, let caller): return try visit(index, caller, answer, in: &world, server, cast)
        case .useVisit(let index, let use, let caller):
            return try self.use(use, index, caller, answer, in: &world, server, cast)
        case .refresh(let index, let isFormer, let caller):
            return try refresh(index, isFormer, caller, answer, in: &world, server, cast)
        case .useToken(let index, let caller): return refusalToUse(index, caller, in: world)
        case .remove(let phone, let index): return remove(phone, by: index, in: &world)
        case .removeItself(let phone):
            world.phones[phone]?.revokedAt = world.elapsed
            return nil
        case .changePassword(let index): return changePassword(index, in: &world)
        case .list(let phone): return try list(phone, answer, in: world)
        case .decline(let index, let phone): return decline(index, phone, in: &world)
        case .redeem(let index, let client, let isAltered):
            if isAltered { return "another transaction was redeemed" }
            return try redeem(index, client, answer, in: &world)
        case .withdraw(let index, let client): return withdraw(index, client, in: &world)
        case .command(let command):
            try carryOut(command, sent, in: &world, server)
            return nil
        case .pass(let duration):
            world.elapsed += duration
            return nil
        }
    }

    /// What a refusal changes, and what must not have been refused so.
    private static func refuse(_ sent: Prepared, _ answer: WalkServer.Answer, in world: inout World) -> Violation? {
        switch sent.action {
        case .attempt(let attempt): return count(attempt, sent, answer, in: &world)
        case .refresh(let index, _, let caller) where caller == world.sessions[index].phone:
            // A token that was used before ends its session; so the world forgets that session either way.
            world.sessions[index].isOver = true
        case .refresh, .redeem, .hold, .sendHeld, .password, .vouch, .enrol, .changeByTicket, .visit, .useVisit, .useToken,
            .remove, .removeItself, .changePassword, .list, .decline, .withdraw, .command, .pass:
            break
        }
        return nil
    }
}
#endif
