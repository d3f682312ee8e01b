#if Tools
import Crypto
import HTTPTypes
import ThumbturnCore
import ThumbturnDevice
import ThumbturnMessages
import ThumbturnServer
import ThumbturnVerifier

/// A request that is ready to be sent, with what went into it.
struct Prepared: Sendable {
    var action: Action
    var madeAt: Duration
    var epoch: Int
    /// The keys that signed, as they were then.
    var signers: [World.Key] = []
    /// The keys that the request brings.
    var brought: [World.Key] = []
    /// The token key that the operator revokes.
    var leaked: TokenSigner?
    /// The number of the password that is sent.
    var password: Int?
    /// What is accepted once: the challenge or the ticket.
    var once: String?
    var send: @Sendable (WalkServer) async throws -> WalkServer.Answer
}

/// Carries actions out against a server.
struct Sending: Sendable {
    let cast: Cast

    /// Does everything before the last request of an action: gets the challenge and signs it.
    ///
    /// - Returns: nil if the server gave no challenge, or if the action makes no sense in this world.
    func prepare(_ action: Action, in world: World, _ server: WalkServer) async throws -> Prepared? {
        func prepared(_ send: @escaping @Sendable (WalkServer) async throws -> WalkServer.Answer) -> Prepared {
            Prepared(action: action, madeAt: world.elapsed, epoch: world.epoch, send: send)
        }
        switch action {
        case .attempt(let attempt), .hold(let attempt): return try await prepare(attempt, action, in: world, server)
        case .sendHeld: return world.held
        case .password(let phone, let isFormer):
            let person: Person = phone == .bens ? .ben : .ada
            guard let state = world.people[person] else { return nil }
            let number = state.passwords - (isFormer ? 1 : 0)
            let json = Signing.encode(PasswordSignInRequest(account: person.rawValue, password: Self.password(number)))
            var signIn = prepared { [cast] in
                try await $0.send(.post, "/v1/accounts/sign-in", .json(json), by: cast.session(of: phone))
            }
            signIn.password = number
            return signIn
        case .vouch(let index, let phone):
            let session = world.sessions[index]
            let json = Signing.encode(VouchRequest(jkt: cast.session(of: phone).thumbprint))
            return prepared { [cast] in
                try await $0.send(
                    .post, "/v1/tickets", .json(json), by: cast.session(of: session.phone), token: session.access)
            }
        case .enrol(let index, let caller, let ifEnrolled):
            return try await prepareEnrolment(world.tickets[index], caller, ifEnrolled, action, in: world, server)
        case .changeByTicket(let change, let index, let caller):
            let name = world.nextEdition(of: change.kind, on: caller)
            guard let challenge = try await challenge(for: .change(change), [newKid(name)], bound: caller, world, server) else {
                return nil
            }
            let kid = try kids(of: challenge)[0]
            let request = KeyChangeRequest(key: registration(name, kid, challenge), ticket: world.tickets[index].text)
            var change = prepared { [cast] in
                try await $0.send(
                    .post, "/v1/devices/current/keys", .json(Signing.encode(request)), by: cast.session(of: caller))
            }
            change.brought = [World.Key(name: name, kid: kid, shows: name.kind)]
            change.once = request.ticket
            return change
        case .visit(let index, let caller):
            let ticket = world.tickets[index].text
            var visit = prepared { [cast] in
                try await $0.send(
                    .post, "/v1/token", .form([("grant_type", ticketGrantType), ("ticket", ticket)]),
                    by: cast.session(of: caller))
            }
            visit.once = ticket
            return visit
        case .useVisit(let index, let use, let caller):
            return try prepare(use, of: world.visits[index], caller, in: world).map(prepared)
        case .refresh(let index, let isFormer, let caller):
            let session = world.sessions[index]
            guard let token = isFormer ? session.formerRefresh : session.refresh else { return nil }
            return prepared { [cast] in
                try await $0.send(
                    .post, "/v1/token", .form([("grant_type", "refresh_token"), ("refresh_token", token)]),
                    by: cast.session(of: caller))
            }
        case .useToken(let index, let caller):
            return prepared { [cast] in
                try await $0.send(.get, "/v1/me", by: cast.session(of: caller), token: world.sessions[index].access)
            }
        case .remove(let phone, let index):
            guard let id = world.phones[phone]?.id else { return nil }
            let session = world.sessions[index]
            return prepared { [cast] in
                try await $0.send(.delete, "/v1/devices/\(id)", by: cast.session(of: session.phone), token: session.access)
            }
        case .removeItself(let phone):
            return prepared { [cast] in try await $0.send(.delete, "/v1/devices/current", by: cast.session(of: phone)) }
        case .changePassword(let index):
            let session = world.sessions[index]
            guard let name = world.person(of: session.phone), let person = world.people[name] else { return nil }
            let json = Signing.encode(PasswordChangeRequest(password: Self.password(person.passwords + 1)))
            return prepared { [cast] in
                try await $0.send(
                    .post, "/v1/password", .json(json), by: cast.session(of: session.phone), token: session.access)
            }
        case .list(let phone):
            return prepared { [cast] in try await $0.send(.get, "/v1/approvals", by: cast.session(of: phone)) }
        case .decline(let index, let phone):
            let id = world.approvals[index].id
            return prepared { [cast] in
                try await $0.send(.post, "/v1/approvals/\(id)/decline", by: cast.session(of: phone))
            }
        case .redeem(let index, let client, let isAltered):
            let approval = world.approvals[index]
            let transaction = isAltered ? approval.transaction.replacing("12.50", with: "99.50") : approval.transaction
            let json = Array(#"{"transaction":\#(transaction)}"#.utf8)
            return prepared { [cast] server in
                try await server.send(
                    .post, "/v1/approvals/\(approval.id)/redeem", .json(json), by: cast.session(of: .new),
                    token: try Self.token(of: client, cast, server), idempotency: "key-\(index)-\(isAltered)")
            }
        case .withdraw(let index, let client):
            let id = world.approvals[index].id
            return prepared { [cast] server in
                try await server.send(
                    .delete, "/v1/approvals/\(id)", by: cast.session(of: .new),
                    token: try Self.token(of: client, cast, server))
            }
        case .command(let command):
            var prepared = prepared { server in
                try await Self.run(command, in: world, server)
                return .init(status: 200, body: [])
            }
            if command == .revokeTokenKey { prepared.leaked = server.service.tokenSigner }
            return prepared
        case .pass(let duration):
            return prepared { server in
                server.clock.pass(duration)
                try await server.service.tidy()
                return .init(status: 200, body: [])
            }
        }
    }

    /// The request of a visit; nil if it makes no sense in this world.
    private func prepare(
        _ use: VisitUse, of visit: World.Visit, _ caller: PhoneName, in world: World
    ) throws -> (@Sendable (WalkServer) async throws -> WalkServer.Answer)? {
        let key = cast.session(of: caller)
        switch use {
        case .me: return { try await $0.send(.get, "/v1/me", by: key, token: visit.access) }
        case .devices: return { try await $0.send(.get, "/v1/devices", by: key, token: visit.access) }
        case .refresh:
            return {
                try await $0.send(
                    .post, "/v1/token", .form([("grant_type", "refresh_token"), ("refresh_token", visit.refresh)]), by: key)
            }
        case .ticket:
            let json = Signing.encode(VouchRequest(jkt: cast.session(of: visit.phone).thumbprint))
            return { try await $0.send(.post, "/v1/tickets", .json(json), by: key, token: visit.access) }
        case .remove(let phone):
            guard let id = world.phones[phone]?.id else { return nil }
            return { try await $0.send(.delete, "/v1/devices/\(id)", by: key, token: visit.access) }
        case .changePassword:
            guard let person = world.people[visit.person] else { return nil }
            let json = Signing.encode(PasswordChangeRequest(password: Self.password(person.passwords + 1)))
            return { try await $0.send(.post, "/v1/password", .json(json), by: key, token: visit.access) }
        }
    }

    static func password(_ number: Int) -> String { "correct horse battery staple \(max(number, 0))" }

    // MARK: Proofs

    private func prepare(
        _ attempt: Attempt, _ action: Action, in world: World, _ server: WalkServer
    ) async throws -> Prepared? {
        let keys = attempt.signers.compactMap { signer in
            signer.isFormer ? world.phones[signer.phone]?.former[signer.kind] : world.phones[signer.phone]?.keys[signer.kind]
        }
        guard keys.count == attempt.signers.count else { return nil }
        let named = attempt.challengeFor.kindOfNewKey.map { world.nextEdition(of: $0, on: attempt.caller) }
        let new = attempt.act.kindOfNewKey.map { world.nextEdition(of: $0, on: attempt.caller) }
        let asked = (named.map { [newKid($0)] } ?? []) + keys.map(\.kid)
        guard let challenge = try await challenge(for: attempt.challengeFor, asked, bound: attempt.bound, world, server) else {
            return nil
        }
        let kid = named == nil ? new.map { newKid($0) } ?? "" : try kids(of: challenge)[0]
        let proofs = keys.map { key in
            let signs =
                attempt.isWrong ? cast.key(KeyName(phone: .new, kind: .pin, edition: Cast.editions - 1)) : cast.key(key.name)
            return signs.proof(challenge, as: key.kid)
        }
        var prepared = Prepared(action: action, madeAt: world.elapsed, epoch: world.epoch) { [cast] server in
            try await Self.send(attempt, proofs, new: new, kid, challenge, world, cast, server)
        }
        prepared.signers = keys
        prepared.once = challenge
        if let new { prepared.brought = [World.Key(name: new, kid: kid, shows: new.kind)] }
        return prepared
    }

    private static func send(
        _ attempt: Attempt, _ proofs: [String], new: KeyName?, _ newKid: String, _ challenge: String, _ world: World,
        _ cast: Cast,
        _ server: WalkServer
    ) async throws -> WalkServer.Answer {
        let key = cast.session(of: attempt.caller)
        var form = [("grant_type", proofGrantType), ("proof", proofs[0])]
        if proofs.count > 1 { form.append(("also", proofs[1])) }
        switch attempt.act {
        case .signIn: return try await server.send(.post, "/v1/token", .form(form), by: key)
        case .stepUp(let act): return try await server.send(.post, "/v1/token", .form(form + [("act", act)]), by: key)
        case .approve(let index):
            return try await server.send(
                .post, "/v1/approvals/\(world.approvals[index].id)/proofs",
                .json(Signing.encode(ApprovalProofRequest(proof: proofs[0]))), by: key)
        case .change:
            let registration = new.map { Self.registration($0, newKid, challenge, cast) }
            return try await server.send(
                .post, "/v1/devices/current/keys", .json(Signing.encode(KeyChangeRequest(key: registration, proof: proofs[0]))),
                by: key)
        }
    }

    /// A challenge; nil if the server refuses it.
    private func challenge(
        for act: Act, _ kids: [String], bound: PhoneName, _ world: World, _ server: WalkServer
    ) async throws -> String? {
        let jkt = cast.session(of: bound).thumbprint
        let answer: WalkServer.Answer
        switch act {
        case .signIn:
            answer = try await server.send(
                .post, "/v1/challenges", .json(Signing.encode(ChallengeRequest(purpose: .signIn, kids: kids, jkt: jkt))))
        case .stepUp(let act):
            answer = try await server.send(
                .post, "/v1/challenges",
                .json(Signing.encode(ChallengeRequest(purpose: .stepUp, act: act, kids: kids, jkt: jkt))))
        case .change(let change):
            answer = try await server.send(
                .post, "/v1/challenges",
                .json(Signing.encode(ChallengeRequest(purpose: .manage, act: change.rawValue, kids: kids, jkt: jkt))))
        case .approve(let index):
            answer = try await server.send(
                .post, "/v1/approvals/\(world.approvals[index].id)/challenge",
                .json(Signing.encode(ApprovalChallengeRequest(kids: kids))), by: cast.session(of: bound))
        }
        return answer.isAccepted ? try answer.read(ChallengeAnswer.self).challenge : nil
    }

    private func kids(of challenge: String) throws -> [String] {
        guard let jws = CompactJWS(challenge) else { throw WalkError("the challenge cannot be read") }
        do {
            return try WireJSON.decode(ChallengeClaims.self, from: jws.payload).kids
        } catch {
            throw WalkError("the challenge cannot be read")
        }
    }

    private func newKid(_ name: KeyName) -> String { name.kind == .pin ? PINHandle.placeholder : cast.key(name).thumbprint }

    private func registration(_ name: KeyName, _ kid: String, _ challenge: String) -> KeyRegistration {
        Self.registration(name, kid, challenge, cast)
    }

    private static func registration(_ name: KeyName, _ kid: String, _ challenge: String, _ cast: Cast) -> KeyRegistration {
        let key = cast.key(name)
        return KeyRegistration(kind: name.kind, jwk: JWK(key.publicKey), proof: key.proof(challenge, as: kid))
    }

    // MARK: Enrolment

    /// A phone with a session key, a biometric key, a PIN key, and a passcode key that has yet to prove itself.
    private func prepareEnrolment(
        _ ticket: World.Ticket, _ caller: PhoneName, _ ifEnrolled: IfEnrolled, _ action: Action, in world: World,
        _ server: WalkServer
    ) async throws -> Prepared? {
        let names = [KeyKind.biometric, .pin, .passcode].map { world.nextEdition(of: $0, on: caller) }
        let session = cast.session(of: caller)
        let request = ChallengeRequest(
            purpose: .enrol, kids: [session.thumbprint] + names.map(newKid), jkt: session.thumbprint)
        let answer = try await server.send(.post, "/v1/challenges", .json(Signing.encode(request)))
        guard answer.isAccepted else { return nil }
        let challenge = try answer.read(ChallengeAnswer.self).challenge
        let kids = Array(try kids(of: challenge).dropFirst())
        let keys =
            [
                KeyRegistration(
                    kind: .session, jwk: JWK(session.publicKey), proof: session.proof(challenge, as: session.thumbprint))
            ]
            + zip(names, kids).map { name, kid in
                var key = registration(name, kid, challenge)
                if name.kind == .passcode { key.proof = nil }
                return key
            }
        let json = Signing.encode(EnrolRequest(ticket: ticket.text, name: "Phone", keys: keys, ifEnrolled: ifEnrolled))
        var prepared = Prepared(action: action, madeAt: world.elapsed, epoch: world.epoch) {
            try await $0.send(.post, "/v1/devices", .json(json), by: session)
        }
        prepared.brought = zip(names, kids).map { name, kid in
            World.Key(name: name, kid: kid, shows: name.kind, isProven: name.kind != .passcode)
        }
        prepared.once = ticket.text
        return prepared
    }

    // MARK: The back ends and the operator

    /// A token that the server gives a back end, bound to a key.
    static func token(of client: String, _ cast: Cast, _ server: WalkServer) throws -> String {
        try server.service.tokenSigner.sign(
            ClientTokenClaims(
                iss: WalkServer.url, aud: WalkServer.url, client: client, iat: server.clock.now,
                exp: server.clock.now + .seconds(300), jti: Base64URL.encode((0..<16).map { _ in UInt8.random(in: 0...255) }),
                scope: ClientScope.approvals.rawValue, cnf: KeyConfirmation(jkt: cast.session(of: .new).thumbprint)))
    }

    private static func run(_ command: Command, in world: World, _ server: WalkServer) async throws {
        let operated = EmbeddedServer(server.service)
        switch command {
        case .backUp: break
        case .restore:
            guard let backup = world.backup else { return }
            try await server.store.restore(from: backup.image, coolOff: WalkRules.coolOff)
            try await server.service.tidy()
        case .newEpoch:
            try await operated.beginEpoch()
            try await server.service.tidy()
        case .rotateTokenKey: try await operated.rotateTokenKey()
        case .revokeTokenKey: try await operated.revokeTokenKey(server.service.tokenSigner.kid)
        case .disable: try await operated.disable(accountNamed: "ada")
        case .enable: try await operated.enable(accountNamed: "ada")
        case .endDevices: try await operated.end(accountNamed: "ada")
        case .setPassword:
            try await operated.setPassword(
                password((world.people[.ada]?.passwords ?? 0) + 1), ofAccountNamed: "ada")
        }
    }
}
#endif
