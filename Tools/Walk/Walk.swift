#if Tools
import Foundation
import HTTPTypes
import Synchronization
import ThumbturnCore
import ThumbturnMessages
import ThumbturnServer
import ThumbturnVerifier

/// A walk through everything that can happen to a server, step by step, from several beginnings: people, thieves, back ends
/// and the operator, each with any message that was ever sent. `WalkRules` says what must hold.
///
/// It goes breadth first, so that the first story that breaks a rule is among the shortest.
package final class Walk: Sendable {
    /// How far a walk goes.
    package struct Limits: Sendable {
        /// The most actions of a story after its beginning.
        package var depth: Int
        /// Parts that do not belong together are put together up to this many actions.
        package var mixing: Int
        /// Two requests at the same time are tried up to this many actions, of which they are the last two.
        package var racing: Int
        /// When to stop, with what has been seen so far.
        package var end: ContinuousClock.Instant?
        /// How many of the beginnings are walked, the first ones; nil for all.
        package var beginnings: Int?
        /// The number of states that are looked at at the same time.
        package var workers: Int

        package init(
            depth: Int, mixing: Int, racing: Int, end: ContinuousClock.Instant? = nil, beginnings: Int? = nil,
            workers: Int = ProcessInfo.processInfo.activeProcessorCount
        ) {
            (self.depth, self.mixing, self.racing) = (depth, mixing, racing)
            (self.end, self.beginnings, self.workers) = (end, beginnings, workers)
        }
    }

    /// What a walk has seen.
    package struct Result: Sendable {
        package var states = 0
        package var sequences = 0
        package var accepted = 0
        /// The sequences that ended because the server gave no challenge.
        package var withoutChallenge = 0
        package var races = 0
        /// The number of actions up to which every sequence was tried.
        package var depth = 0
        /// The ends that were reached, which show that the walk gets anywhere.
        package var ends: [String: Int] = [:]
        package var violations: [Story] = []
    }

    /// The ends that a walk of one action reaches.
    package static let ends = [
        "a sign-in", "the step-up new-recipient", "the step-up change-password", "approval 1", "approval 2", "set-pin",
        "change-pin", "remove-pin", "remove-biometric", "a full sign-in", "an enrolment anew", "reset-pin by a ticket",
        "replace-biometric by a ticket", "a visit", "a refresh of a visit", "a use of a visit", "a ticket of a visit",
        "a ticket of a vouching phone", "a refresh", "a use of a token",
        "a removal of a phone", "a change of the password", "a list of approvals", "a declined approval",
        "a redeemed approval", "a withdrawn approval", "the operator restores the backup",
        "the operator revokes the signing token key", "the operator switches ada's account off",
        "the operator switches ada's account on",
    ]

    /// A beginning and the actions after it, which end in a broken rule.
    package struct Story: Sendable, CustomStringConvertible {
        package var steps: [String]
        package var violation: String

        package var description: String {
            steps.enumerated().map { "  \($0 + 1). \($1)" }.joined(separator: "\n") + "\n  => \(violation)"
        }
    }

    private struct State: Sendable {
        var image: StoreImage
        var world: World
        var story: [String]
    }

    private struct Seen: Sendable {
        var names: Set<String> = []
        var next: [State] = []
        var result = Result()
    }

    private let limits: Limits
    private let report: @Sendable (String) -> Void
    private let common: WalkServer.Common
    private let sending: Sending
    private let seen = Mutex(Seen())
    /// The first refusal of a stranger at each place.
    private let refusals = Mutex<[String: WalkServer.Answer]>([:])

    /// - Parameter report: takes a line about the progress from time to time.
    package init(_ limits: Limits, report: @escaping @Sendable (String) -> Void = { _ in }) throws {
        self.limits = limits
        self.report = report
        common = try WalkServer.Common()
        sending = Sending(cast: Cast())
    }

    /// Walks until a rule is broken, the depth is reached or the time is over. Call it once.
    package func run() async throws -> Result {
        for beginning in Beginning.all.prefix(limits.beginnings ?? .max) { try await begin(beginning) }
        var levels = [takeNext()]
        for depth in 1...limits.depth {
            let isMixing = depth <= limits.mixing
            // Two actions at once count as two.
            let raced = depth >= 2 && depth <= limits.racing ? levels[depth - 2] : []
            var isWhole = try await visit(raced) { try await self.race($0) }
            if isWhole { isWhole = try await visit(levels[depth - 1]) { try await self.expand($0, mixing: isMixing) } }
            let next = takeNext()
            let result = seen.withLock { seen in
                if isWhole { seen.result.depth = depth }
                return seen.result
            }
            let actions = depth == 1 ? "1 action" : "\(depth) actions"
            report(
                "\(actions)\(isWhole ? "" : " (not all)"): \(next.count) new states, \(result.sequences) sequences, \(result.races) races"
            )
            guard isWhole, result.violations.isEmpty, !next.isEmpty else { break }
            // Only the last two levels are needed again.
            if depth >= 2 { levels[depth - 2] = [] }
            levels.append(next)
        }
        return seen.withLock { $0.result }
    }

    private func takeNext() -> [State] {
        seen.withLock { seen in
            defer { seen.next = [] }
            return seen.next
        }
    }

    /// Looks at states side by side.
    ///
    /// - Returns: false if the time was over before the last one.
    private func visit(_ states: [State], _ look: @escaping @Sendable (State) async throws -> Void) async throws -> Bool {
        let turns = Turns(states)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<limits.workers {
                group.addTask {
                    while let state = turns.next() {
                        try await look(state)
                        if self.isOver { return turns.stop() }
                    }
                }
            }
            try await group.waitForAll()
        }
        return !turns.isStopped
    }

    /// Whether the time is over or a rule is broken.
    private var isOver: Bool {
        limits.end.map { ContinuousClock.now >= $0 } ?? false || seen.withLock { !$0.result.violations.isEmpty }
    }

    /// Hands out states, each once.
    private final class Turns: Sendable {
        private let states: [State]
        private let turn = Mutex<(next: Int, isStopped: Bool)>((0, false))

        init(_ states: [State]) { self.states = states }

        var isStopped: Bool { turn.withLock { $0.isStopped } }

        func next() -> State? {
            turn.withLock { turn in
                guard turn.next < states.count else { return nil }
                turn.next += 1
                return states[turn.next - 1]
            }
        }

        func stop() { turn.withLock { $0.isStopped = true } }
    }

    // MARK: Steps

    /// Tries every action in a state.
    private func expand(_ state: State, mixing: Bool) async throws {
        let world = state.world
        var server = try await open(state)
        let before = try Standings.lines(of: server.store)
        for action in world.actions(mixing: mixing) {
            guard var sent = try await sending.prepare(action, in: world, server) else {
                seen.withLock { $0.result.withoutChallenge += 1 }
                continue
            }
            seen.withLock { $0.result.sequences += 1 }
            if case .hold(let attempt) = action {
                sent.action = .attempt(attempt)
                var after = world
                after.held = sent
                try await settle(after, action, nil, state, server)
                server = try await open(state)
                continue
            }
            let recorded = try Standings.records(of: server.store)
            let answer = try await sent.send(server)
            var (violation, after) = try WalkRules.judge(sent, answer, in: world, server, sending.cast)
            if case .sendHeld = action { after.held = nil }
            if answer.isAccepted {
                count(action)
                if violation == nil { violation = try refusalOfRecords(sent.action, since: recorded, world, server) }
            } else if let place = sent.action.neutralPlace(in: world), differs(answer, at: place) {
                violation = violation ?? "the refusals of a stranger differ at \(place)"
            }
            let hasChanged = try answer.isAccepted || Standings.lines(of: server.store) != before
            guard hasChanged || violation != nil || after.name != world.name else {
                if action.mayUseUp { server = try await open(state) }
                continue
            }
            try await settle(after, action, violation, state, server)
            server = try await open(state)
        }
    }

    /// What an accepted action should have written down and did not.
    private func refusalOfRecords(
        _ action: Action, since before: [String: Int], _ world: World, _ server: WalkServer
    ) throws -> String? {
        let now = try Standings.records(of: server.store)
        func hasGrown(_ record: String) -> Bool { now[record] ?? 0 > before[record] ?? 0 }
        if let notice = action.notice(in: world), !hasGrown(notice) { return "the owner gets no notice \(notice)" }
        return action.isAudited && !hasGrown("audit") ? "the audit log has no row" : nil
    }

    /// Whether a refusal is not the same as the first one at this place.
    private func differs(_ answer: WalkServer.Answer, at place: String) -> Bool {
        let first = refusals.withLock { refusals in
            refusals[place] = refusals[place] ?? answer
            return refusals[place]
        }
        return first?.status != answer.status || first?.body != answer.body
    }

    /// Tries every pair of requests of which the second comes whole between the first one's reads and its transaction.
    private func race(_ state: State) async throws {
        let world = state.world
        let actions = world.actions(mixing: false).filter { action in
            switch action {
            case .hold, .pass: false
            default: true
            }
        }
        var (first, second): ([(action: Action, write: Int)], [Action]) = ([], [])
        for action in actions {
            let server = try await open(state)
            guard let sent = try await sending.prepare(action, in: world, server) else { continue }
            let writes = Tally()
            let answer = try await Interlude.$beforeWrite.withValue(Interlude { _ = writes.next() }) {
                try await sent.send(server)
            }
            if answer.isAccepted { second.append(action) }
            if case .command = action { continue }
            for write in 0..<writes.next() { first.append((action, write)) }
        }
        for (action, write) in first {
            for other in second {
                if isOver { return }
                try await race(action, other, before: write, state)
            }
        }
    }

    /// Sends a request, and another one whole before one of its transactions.
    private func race(_ action: Action, _ other: Action, before write: Int, _ state: State) async throws {
        let world = state.world
        let server = try await open(state)
        guard let sent = try await sending.prepare(action, in: world, server) else { return }
        let between = Between(world)
        let interlude = Interlude {
            guard between.writes.next() == write else { return }
            do {
                try await Interlude.$beforeWrite.withValue(nil) {
                    guard let second = try await self.sending.prepare(other, in: world, server) else { return }
                    let answer = try await second.send(server)
                    let (violation, after) = try WalkRules.judge(second, answer, in: world, server, self.sending.cast)
                    between.met.withLock { ($0.violation, $0.world, $0.hasRun) = (violation, after, true) }
                }
            } catch {
                between.met.withLock { $0.failure = error }
            }
        }
        let answer = try await Interlude.$beforeWrite.withValue(interlude) { try await sent.send(server) }
        let met = between.met.withLock { $0 }
        if let failure = met.failure { throw failure }
        guard met.hasRun else { throw WalkError("\(other) never came while this was judged: \(action)") }
        seen.withLock { $0.result.races += 1 }
        let (violation, after) = try WalkRules.judge(sent, answer, in: met.world, server, sending.cast)
        var told = state
        told.story.append("\(other) (while the next one is judged)")
        try await settle(after, action, met.violation ?? violation, told, server)
    }

    /// Counts from zero.
    private final class Tally: Sendable {
        private let count = Mutex(0)

        func next() -> Int {
            count.withLock { count in
                defer { count += 1 }
                return count
            }
        }
    }

    /// What has come between the reads of a request and its transaction.
    private final class Between: Sendable {
        struct Met: Sendable {
            var hasRun = false
            var violation: String?
            var world: World
            var failure: (any Error)?
        }

        let writes = Tally()
        let met: Mutex<Met>

        init(_ world: World) { met = Mutex(Met(world: world)) }
    }

    /// Notes a broken rule, or a world that has not been seen yet.
    private func settle(
        _ world: World, _ action: Action, _ violation: String?, _ before: State, _ server: WalkServer
    ) async throws {
        var world = world
        let kid = server.service.tokenSigner.kid
        var broken = violation ?? WalkRules.refusal(ofTokenKey: kid, in: world)
        if world.tokenKeys[kid] == nil { world.tokenKeys[kid] = world.epoch }
        let story = before.story + ["\(action)"]
        if broken == nil {
            let name = world.name + "\n" + words(try Standings.lines(of: server.store), world)
            guard seen.withLock({ $0.names.insert(name).inserted }) else { return }
            let image = try server.store.image()
            broken = try await refusalOfHonesty(world, server)
            if broken == nil { broken = try await acceptanceOfForgery(world, server) }
            if broken == nil { broken = try await acceptanceOfReplay(world, server) }
            if broken == nil {
                seen.withLock { seen in
                    seen.result.states += 1
                    seen.next.append(State(image: image, world: world, story: story))
                }
            }
        }
        if let broken {
            seen.withLock { seen in
                guard !seen.result.violations.contains(where: { $0.violation == broken && $0.steps.count <= story.count }) else {
                    return
                }
                seen.result.violations.append(Story(steps: story, violation: broken))
            }
        }
    }

    private func count(_ action: Action) {
        let end =
            switch action {
            case .attempt(let attempt): "\(attempt.act)"
            case .hold, .sendHeld: "a message that was kept"
            case .password: "a full sign-in"
            case .vouch: "a ticket of a vouching phone"
            case .enrol(_, _, let ifEnrolled): ifEnrolled == .replace ? "an enrolment anew" : "an enrolment"
            case .changeByTicket(let change, _, _): "\(change.rawValue) by a ticket"
            case .visit: "a visit"
            case .useVisit(_, .refresh, _): "a refresh of a visit"
            case .useVisit(_, .ticket, _): "a ticket of a visit"
            case .useVisit: "a use of a visit"
            case .refresh(_, let isFormer, _): isFormer ? "a repeated refresh" : "a refresh"
            case .useToken: "a use of a token"
            case .remove, .removeItself: "a removal of a phone"
            case .changePassword: "a change of the password"
            case .list: "a list of approvals"
            case .decline: "a declined approval"
            case .redeem: "a redeemed approval"
            case .withdraw: "a withdrawn approval"
            case .command(let command): "the operator \(command.description)"
            case .pass: "time"
            }
        seen.withLock { seen in
            seen.result.accepted += 1
            seen.result.ends[end, default: 0] += 1
        }
    }

    // MARK: What must hold in every state

    /// That ada gets in with each of her keys, and with her password, whenever nothing stands against it.
    private func refusalOfHonesty(_ world: World, _ server: WalkServer) async throws -> String? {
        for kind in [KeyKind.biometric, .pin, .passcode] {
            guard world.isLive(.first), let key = world.phones[.first]?.keys[kind], world.elapsed >= key.pausedUntil,
                kind != .pin || key.wrong < WalkRules.mostWrongPINs
            else { continue }
            let action = Action.attempt(Attempt(.signIn, by: .first, [Signer(phone: .first, kind: kind)]))
            let answer = try await sending.prepare(action, in: world, server)?.send(server)
            if answer?.isAccepted != true { return "ada's own phone does not get in with her \(kind) key" }
        }
        guard world.people[.ada]?.isOff == false else { return nil }
        let answer = try await sending.prepare(.password(.new, isFormer: false), in: world, server)?.send(server)
        guard let answer, answer.isAccepted else { return "ada's password does not sign in" }
        let ticket = try answer.read(EnrolmentTicket.self).ticket
        let visit = try await server.send(
            .post, "/v1/token", .form([("grant_type", ticketGrantType), ("ticket", ticket)]),
            by: sending.cast.session(of: .new))
        return visit.isAccepted ? nil : "ada's password opens no session"
    }

    /// That no message is accepted again, in another epoch or after a restored backup either.
    private func acceptanceOfReplay(_ world: World, _ server: WalkServer) async throws -> String? {
        for sent in world.accepted where try await sent.send(server).isAccepted {
            return "a message was accepted twice: \(sent.action)"
        }
        return nil
    }

    /// That nothing signed by a revoked token key is believed.
    private func acceptanceOfForgery(_ world: World, _ server: WalkServer) async throws -> String? {
        let thief = sending.cast.session(of: .new)
        for signer in world.revokedTokenKeys.values {
            for session in world.sessions where world.isLive(session) {
                guard let jws = CompactJWS(session.access),
                    var claims = try? WireJSON.decodeClaims(AccessTokenClaims.self, from: jws.payload)
                else { continue }
                (claims.iat, claims.exp) = (server.clock.now, server.clock.now + WalkRules.accessTokenLife)
                claims.cnf = KeyConfirmation(jkt: thief.thumbprint)
                let answer = try await server.send(.get, "/v1/me", by: thief, token: try signer.sign(claims))
                if answer.isAccepted { return "a token that a revoked key signed was accepted" }
            }
        }
        return nil
    }

    // MARK: Servers

    private func open(_ state: State) async throws -> WalkServer {
        try await WalkServer(common, from: state.image, at: state.world.elapsed)
    }

    /// The lines of a store with names in the place of identifiers, which differ from walk to walk.
    private func words(_ lines: [String], _ world: World) -> String {
        var names: [String: String] = [:]
        for phone in PhoneName.allCases {
            names[sending.cast.session(of: phone).thumbprint] = "phone \(phone.rawValue)"
        }
        for (kid, name) in world.kids { names[kid] = "\(name)" }
        for (index, approval) in world.approvals.enumerated() {
            let bytes = Base64URL.decode(approval.id) ?? []
            names[bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()] = "\(index)"
        }
        return lines.map { line in
            line.split(separator: " ").map { names[String($0)] ?? String($0) }.joined(separator: " ")
        }.sorted().joined(separator: "\n")
    }

    // MARK: Beginnings

    private func begin(_ beginning: Beginning) async throws {
        let server = try await WalkServer(common, from: nil, at: .zero)
        var world = try await sending.open(server)
        func noteTokenKey() {
            let kid = server.service.tokenSigner.kid
            world.tokenKeys[kid] = world.tokenKeys[kid] ?? world.epoch
        }
        for action in beginning.actions {
            guard var sent = try await sending.prepare(action, in: world, server) else {
                throw WalkError("the beginning \"\(beginning.name)\" cannot do: \(action)")
            }
            noteTokenKey()
            if case .hold(let attempt) = action {
                sent.action = .attempt(attempt)
                world.held = sent
                continue
            }
            let answer = try await sent.send(server)
            let (violation, after) = try WalkRules.judge(sent, answer, in: world, server, sending.cast)
            guard answer.isAccepted != action.isWrongAttempt, violation == nil else {
                throw WalkError("the beginning \"\(beginning.name)\" fails at: \(action): \(violation ?? "\(answer.status)")")
            }
            world = after
        }
        noteTokenKey()
        let image = try server.store.image()
        let name = world.name + "\n" + words(try Standings.lines(of: server.store), world)
        seen.withLock { seen in
            guard seen.names.insert(name).inserted else { return }
            seen.result.states += 1
            seen.next.append(State(image: image, world: world, story: [beginning.name]))
        }
    }
}

extension Action {
    fileprivate var isWrongAttempt: Bool {
        if case .attempt(let attempt) = self { attempt.isWrong } else { false }
    }
}
#endif
