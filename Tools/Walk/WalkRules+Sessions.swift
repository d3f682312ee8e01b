#if Tools
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The rules for sessions and their tokens, and for the token keys.
extension WalkRules {
    // MARK: Sessions

    /// Keeps the newest session of a phone, a key and an action; an older one serves no purpose that it does not.
    static func add(_ session: World.Session, to world: inout World) {
        let same = world.sessions.firstIndex {
            $0.phone == session.phone && $0.key == session.key && $0.act == session.act && !$0.isOver && !isVoucher($0, in: world)
        }
        if let same { world.sessions[same] = session } else { world.sessions.append(session) }
    }

    private static func isVoucher(_ session: World.Session, in world: World) -> Bool {
        world.tickets.contains { ticket in ticket.voucher.map { world.sessions[$0] == session } ?? false }
    }

    static func refresh(
        _ index: Int, _ isFormer: Bool, _ caller: PhoneName, _ answer: WalkServer.Answer, in world: inout World,
        _ server: WalkServer, _ cast: Cast
    ) throws -> Violation? {
        let session = world.sessions[index]
        let tokens = try answer.read(TokenAnswer.self)
        let violation =
            refusalToRefresh(session, isFormer, caller, tokens, in: world)
            ?? refusal(of: tokens.accessToken, of: session, by: server, cast, in: world)
        if !isFormer, tokens.refreshToken != session.refresh {
            world.sessions[index].formerRefresh = session.refresh
            world.sessions[index].refresh = tokens.refreshToken
            world.sessions[index].refreshedAt = world.elapsed
        }
        world.sessions[index].access = tokens.accessToken
        world.sessions[index].accessAt = world.elapsed
        return violation
    }

    private static func refusalToRefresh(
        _ session: World.Session, _ isFormer: Bool, _ caller: PhoneName, _ tokens: TokenAnswer, in world: World
    ) -> Violation? {
        if !world.isLive(session) { return "a session that is over was refreshed" }
        if caller != session.phone { return "another phone refreshed a session" }
        if world.elapsed - session.openedAt >= sessionLife || world.elapsed - session.refreshedAt >= idleLimit {
            return "a session was refreshed after its time"
        }
        if isFormer, tokens.refreshToken != session.refresh || world.elapsed - session.refreshedAt > refreshGrace {
            return "a former refresh token got another successor"
        }
        return nil
    }

    static func refusalToUse(_ index: Int, _ caller: PhoneName, in world: World) -> Violation? {
        let session = world.sessions[index]
        return caller == session.phone ? refusal(of: session, in: world) : "another phone used an access token"
    }

    /// Why the access token of a session must not be accepted.
    static func refusal(of session: World.Session, in world: World) -> Violation? {
        if session.isOver { return "a session that is over was accepted" }
        guard world.isLive(session.phone) else {
            return "a session was accepted, and its phone is removed, or its account is off"
        }
        return world.elapsed - session.accessAt < accessTokenLife ? nil : "an access token was accepted after its time"
    }

    // MARK: Tokens

    /// What is wrong with a token that the server has just made.
    static func refusal(
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

    /// The header of a token or of a receipt.
    struct Header: Decodable { var kid: String }
}
#endif
