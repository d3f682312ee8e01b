#if Tools
import ThumbturnCore
import ThumbturnMessages
import ThumbturnServer
import ThumbturnVerifier

/// The rules for visits: what full credentials open without a phone, and that it is worth no key.
extension WalkRules {
    static let visitLife = Duration.seconds(1800)
    static let mostVisits = 5

    static func visit(
        _ index: Int, _ caller: PhoneName, _ answer: WalkServer.Answer, in world: inout World, _ server: WalkServer,
        _ cast: Cast
    ) throws -> Violation? {
        let ticket = world.tickets[index]
        var violation = judgeTicket(ticket, by: caller, in: world)
        if ticket.voucher != nil { violation = violation ?? "the ticket of a vouching phone opened a visit" }
        if ticket.isOfVisit { violation = violation ?? "the ticket of a visit opened another one" }
        world.tickets[index].isSpent = true
        let tokens = try answer.read(TokenAnswer.self)
        let visit = World.Visit(
            phone: caller, person: ticket.person, generation: ticket.generation, epoch: world.epoch, access: tokens.accessToken,
            accessAt: world.elapsed, openedAt: ticket.madeAt, refresh: tokens.refreshToken)
        world.visits.append(visit)
        let live = world.visits.indices.filter { world.visits[$0].person == ticket.person && world.isLive(world.visits[$0]) }
        for oldest in live.dropLast(mostVisits) { world.visits[oldest].isOver = true }
        return violation ?? refusal(of: tokens.accessToken, of: visit, by: server, cast, in: world)
    }

    static func use(
        _ use: VisitUse, _ index: Int, _ caller: PhoneName, _ answer: WalkServer.Answer, in world: inout World,
        _ server: WalkServer, _ cast: Cast
    ) throws -> Violation? {
        let visit = world.visits[index]
        let violation = refusal(of: visit, by: caller, in: world)
        switch use {
        case .me:
            return violation ?? refusalOfAccess(visit, in: world)
        case .devices:
            let listed = Set(try answer.read(DeviceList.self).devices.map(\.id))
            let enrolled = world.phones.values.filter { $0.person == visit.person && !$0.isRevoked }.map(\.id)
            return violation ?? refusalOfAccess(visit, in: world)
                ?? (listed == Set(enrolled) ? nil : "the list has other devices than the account's phones")
        case .refresh:
            let tokens = try answer.read(TokenAnswer.self)
            world.visits[index].access = tokens.accessToken
            world.visits[index].accessAt = world.elapsed
            world.visits[index].refresh = tokens.refreshToken
            return violation ?? refusal(of: tokens.accessToken, of: visit, by: server, cast, in: world)
        case .ticket:
            let isLate = world.elapsed - visit.openedAt > presenceLife
            try add(answer, for: visit.phone, of: visit.person, voucher: nil, isOfVisit: true, to: &world)
            world.visits[index].hasTicket = true
            return violation ?? refusalOfAccess(visit, in: world)
                ?? (visit.hasTicket ? "a visit got two tickets" : isLate ? "a visit got a ticket long after its sign-in" : nil)
        case .remove: return "a visit removed a phone"
        case .changePassword: return "a visit set the password"
        }
    }

    private static func refusal(of visit: World.Visit, by caller: PhoneName, in world: World) -> Violation? {
        if caller != visit.phone { return "another phone used a visit" }
        if !world.isLive(visit) { return "a visit that is over was accepted" }
        return world.elapsed - visit.openedAt < visitLife ? nil : "a visit was accepted after its time"
    }

    private static func refusalOfAccess(_ visit: World.Visit, in world: World) -> Violation? {
        world.elapsed - visit.accessAt < accessTokenLife ? nil : "an access token was accepted after its time"
    }

    /// What is wrong with the token of a visit.
    private static func refusal(
        of token: String, of visit: World.Visit, by server: WalkServer, _ cast: Cast, in world: World
    ) -> Violation? {
        guard let jws = CompactJWS(token),
            let claims = try? WireJSON.decodeClaims(AccessTokenClaims.self, from: jws.payload),
            let header = try? WireJSON.decodeClaims(Header.self, from: jws.header)
        else { return "an access token cannot be read" }
        if claims.acr != "urn:thumbturn:acr:none:none" { return "a visit says that a key signed" }
        if claims.amr != ["pwd"] { return "a visit says more than a password shows" }
        if claims.authorizationDetails != nil { return "a visit grants an action" }
        if claims.authTime != server.clock.time(at: visit.openedAt) { return "a visit is fresher than its sign-in" }
        if claims.exp > server.clock.time(at: visit.openedAt + visitLife) { return "a token outlives its visit" }
        if claims.cnf.jkt != cast.session(of: visit.phone).thumbprint { return "a token is bound to another key" }
        if claims.sub != world.people[visit.person]?.id { return "a visit names another account" }
        if world.phones.values.contains(where: { $0.id == claims.did }) { return "a visit names an enrolled phone" }
        return refusal(ofTokenKey: header.kid, in: world)
    }
}
#endif
