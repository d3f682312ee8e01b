import Synchronization
import TestSupport
import ThumbturnCore
import ThumbturnTestKit
@testable import ThumbturnDevice

/// A phone in the hands of two persons, with what the rules say of it: who may be in the app, who was dismissed, whether the
/// sensor has to be off.
actor PlaceStory {
    typealias Act = PlaceWalk.Act
    typealias State = PlaceWalk.State
    private typealias Outcome = Result<Grant?, any Error>

    struct Step: Sendable {
        /// What has happened, the act last.
        var way: [Act]
        var act: Act
        var before: State
        var after: State
        var ends: Set<PlaceWalk.End>
        var violations: [String]
    }

    /// An act that is held.
    private struct Held {
        var kind: PlaceWalk.Slow
        /// Who does it.
        var who: Resident?
        var work: Task<Outcome, Never>
        var gate: Gate
        /// Whether it was dismissed meanwhile, or another person has taken the place.
        var isVoid = false
        /// The owner when it began.
        var before: PlaceOwner
        /// Whether it took the right to add biometrics, which no later act has then.
        var hadRight: Bool
    }

    private let stage: Stage
    private var way: [Act] = []
    private(set) var state = State()
    // What the rules say.
    /// Whose success opened the app, as long as it counts.
    private var opener: Resident?
    /// Whether a panic was not followed by a stronger rung.
    private var isPanicking = false
    /// Whether a full sign-in in the app was not followed by a dismissal.
    private var maySetUp = false
    private var held: Held?
    /// How another process has dismissed who opened the app, until the app comes to the front.
    private var unheard: PlaceWalk.Unheard?
    // What the act of now brought.
    private var ends: Set<PlaceWalk.End> = []
    private var violations: [String] = []
    /// The processes in which a success opened a session.
    private var entered: Set<PlaceWalk.Process> = []

    private init(_ stage: Stage) { self.stage = stage }

    /// Tells a story on a fresh phone, after some acts.
    static func tell<Value: Sendable>(
        _ keeping: SessionKeeping, after way: [Act], _ story: @escaping @Sendable (PlaceStory) async throws -> Value
    ) async throws -> Value {
        let phone = SharedPhone(.plain, keeping, hasPIN: false)
        return try await phone.clock.run(mainActorToo: true) {
            let told = PlaceStory(try await Stage(phone, .nothing, hasLock: true))
            for act in way { _ = try await told.take(act) }
            let value = try await story(told)
            await told.end()
            return value
        }
    }

    /// Lets an act happen, and looks at what it brought. Also to look may move something, so a way is repeated by this too.
    func take(_ act: Act) async throws -> Step {
        let before = state
        (ends, violations, entered) = ([], [], [])
        way.append(act)
        let owner = try await owner()
        try await perform(act)
        try await stage.phone.pass()
        try await noteWhatHasEnded(since: act == .release ? owner : nil)
        state = try await look()
        // A lock that hears of a dismissal while something is asked voids that too, with its session in memory.
        if before.unheard != nil, !state.isOpen {
            dismiss()
            entered.remove(.app)
            // A stronger rung may have been given before.
            if act.asks, !state.isSensorOff { isPanicking = false }
        }
        if state != before { try await checkSessions() }
        for process in entered where state.sessions[process] == nil {
            violations.append("a success in \(process) has no session")
        }
        await check()
        ends.formUnion(PlaceWalk.ends(of: act, before, state))
        let story = way.map(\.description).joined(separator: ", ")
        return Step(
            way: way, act: act, before: before, after: state, ends: ends, violations: violations.map { "\($0): \(story)" })
    }

    private func end() async {
        held?.gate.open()
        _ = await held?.work.value
        await stage.end()
    }

    private func owner() async throws -> PlaceOwner { try await stage.app.auth.enrolments().owner }

    // MARK: - Acts

    private func perform(_ act: Act) async throws {
        let (app, other) = (stage.app.auth, stage.other.auth)
        let before = try await owner()
        switch act {
        case .signIn(let who, let process):
            let outcome = await Self.outcome { try await (process == .app ? app : other).signIn(with: who.signIn) }
            try await note(outcome, ofSignIn: who, in: process, since: before)
        case .enrol(let who):
            let outcome = await Self.outcome {
                try await app.enrol(with: who.signIn)
                return nil
            }
            try await note(outcome, ofEnrolment: who, since: before)
        case .unlock(let process):
            let outcome = await Self.outcome {
                try await (process == .app ? app : other).authenticate("Unlock", policy: SharedPhone.anyRung)
            }
            guard case .success(let grant?) = outcome else { break }
            noteRung(grant)
            entered.insert(process)
            if process == .app { await open(by: grant, of: Resident(id: before.account)) }
        case .addBiometrics:
            let outcome = await Self.outcome {
                try await app.addBiometrics()
                return nil
            }
            noteBiometrics(outcome, since: maySetUp)
            if case .success = outcome { maySetUp = false }
        case .stepUp:
            let sent = stage.phone.requests.count
            let outcome = await Self.outcome {
                try await app.stepUp(for: .newRecipient, reason: "Pay", policy: SharedPhone.anyRung)
            }
            guard case .success(let grant?) = outcome else { break }
            noteRung(grant)
            ends.insert(.aStepUp)
            if stage.phone.requests.accounts(since: sent) != [before.account] { violations.append("another person steps up") }
        case .offer:
            guard await app.shouldOfferBiometrics() else { break }
            ends.insert(.anOffer)
            if !maySetUp { violations.append("biometrics are offered to whom they must not be") }
        case .lockNow:
            await stage.lockNow()
            dismiss()
        case .leave: try await leave()
        case .forget:
            await app.forgetRecentAuthentication()
            dismiss()
        case .panic(let process):
            try await (process == .app ? app : other).requireStrongerRungNextTime()
            panic()
        case .everyonesPanic:
            try await stage.app.platform.requireStrongerRungEverywhere()
            panic()
        case .signOut:
            _ = await failure { try await app.signOut(forgetDevice: false) }
            dismiss()
            if await failure({ _ = try await app.me() }) == nil { violations.append("a session outlives the sign-out") }
        case .revoke(let process):
            let failed = await failure { try await (process == .app ? app : other).revoke() }
            if process == .app || failed == nil { dismiss() }
            if failed == nil, held == nil, stage.phone.phone.keyCount > 0 || !stage.phone.leftovers.isEmpty {
                violations.append("\(stage.phone.phone.keyCount) keys and \(stage.phone.leftovers) outlive a revocation")
            }
        case .tapOneOfTwo: try await tapOneOfTwo(of: Resident(id: before.account))
        case .begin(let slow): if held == nil { try await begin(slow, since: before) }
        case .release: held?.gate.open()
        }
        // The app hears of another process when it comes to the front.
        if unheard == nil, opener == nil, await stage.isOpen { unheard = act.dismissalElsewhere }
    }

    /// Whoever comes back to an app that was locked may be another person.
    private func leave() async throws {
        if await !stage.isOpen { dismiss() }
        try await stage.leaveAndReturn()
        unheard = nil
    }

    private static func outcome(_ call: () async throws -> Grant?) async -> Outcome {
        do { return .success(try await call()) } catch { return .failure(error) }
    }

    /// Two questions wait for a tap, with the same words.
    private func tapOneOfTwo(of owner: Resident?) async throws {
        let (app, executor) = (stage.app.auth, stage.phone.clock.executor)
        let (shown, hidden) = (Question(), Question())
        let questions = [(shown, UnlockPolicy.transaction), (hidden, .highRisk)].map { question, policy in
            Task(executorPreference: executor) {
                await Self.outcome {
                    try await question.asking { try await app.authenticate("Confirm", policy: policy, by: .screen) }
                }
            }
        }
        try await stage.phone.pass(.seconds(1))
        shown.prompt()
        try await stage.phone.pass(.seconds(1))
        questions[1].cancel()
        let outcomes = (await questions[0].value, await questions[1].value)
        if case .success(let grant?) = outcomes.0 {
            ends.insert(.aTap)
            await open(by: grant, of: owner)
        }
        if case .success = outcomes.1 { violations.append("a question that was not tapped is answered") }
    }

    // MARK: - Slow acts

    private func begin(_ slow: PlaceWalk.Slow, since before: PlaceOwner) async throws {
        let (app, gate) = (stage.app.auth, Gate())
        let last = if case .signIn = slow { "POST /v1/token" } else { "POST /v1/devices" }
        stage.app.network.watch { path, side in if path == last, side == .after { await gate.pass() } }
        let work = Task(executorPreference: stage.phone.clock.executor) { () async -> Outcome in
            let outcome = await Self.outcome {
                switch slow {
                case .signIn(let who): return try await app.signIn(with: who.signIn, reason: "Sign in slowly")
                case .enrol(let who): try await app.enrol(with: who.signIn)
                case .addBiometrics: try await app.addBiometrics()
                }
                return nil
            }
            gate.noteEnd()
            return outcome
        }
        held = Held(
            kind: slow, who: slow.who ?? Resident(id: before.account), work: work, gate: gate, before: before, hadRight: maySetUp)
        for _ in 1...50 where !gate.isReached { try await stage.phone.pass() }
        stage.app.network.watch(nil)
        if slow == .addBiometrics, !gate.isOver { maySetUp = false }
    }

    /// Takes the outcome of a slow act that has ended, whether it was released or not.
    ///
    /// - Parameter before: the owner before it was released; nil if it was not.
    private func noteWhatHasEnded(since before: PlaceOwner?) async throws {
        guard let ended = held else { return }
        if ended.gate.isOpen { _ = await ended.work.value }
        guard ended.gate.isOver else { return }
        let outcome = await ended.work.value
        held = nil
        let isSuccess = if case .success = outcome { true } else { false }
        if isSuccess, ended.isVoid { violations.append("what was dismissed meanwhile succeeds") }
        if !isSuccess, let before, let who = ended.who, before.differs(from: who.id), try await owner() != before {
            violations.append("\(who) fails, and \(before) has lost the place")
        }
        ends.insert(.slow(ended.kind, isSuccess: isSuccess, isVoid: ended.isVoid))
        switch ended.kind {
        case .signIn(let who): try await note(outcome, ofSignIn: who, in: .app, since: ended.before)
        case .enrol(let who): try await note(outcome, ofEnrolment: who, since: ended.before)
        case .addBiometrics: noteBiometrics(outcome, since: ended.hadRight)
        }
    }

    // MARK: - What the rules make of an outcome

    private func note(
        _ outcome: Outcome, ofSignIn who: Resident, in process: PlaceWalk.Process, since before: PlaceOwner
    ) async throws {
        switch outcome {
        case .success(let grant):
            try await noteOwner(who, since: before)
            if isPanicking { ends.insert(.panicEndsBySignIn) }
            isPanicking = false
            entered.insert(process)
            guard process == .app, let grant else { break }
            maySetUp = true
            await open(by: grant, of: who)
        case .failure(let error):
            if (error as? Failure)?.code == .anotherAccount { ends.insert(.anotherIsRefused) }
        }
    }

    private func note(_ outcome: Outcome, ofEnrolment who: Resident, since before: PlaceOwner) async throws {
        guard case .success = outcome else { return }
        try await noteOwner(who, since: before)
        if isPanicking { ends.insert(.panicEndsByEnrolment) }
        isPanicking = false
    }

    private func noteBiometrics(_ outcome: Outcome, since right: Bool) {
        guard case .success = outcome else { return }
        if !right { violations.append("biometrics are added without a sign-in since the last dismissal") }
        ends.insert(.addedBiometrics)
        isPanicking = false
    }

    private func noteRung(_ grant: Grant) {
        if isPanicking, grant.rung == .biometric { violations.append("the sensor answers after a panic") }
        if isPanicking, grant.rung != .biometric { ends.insert(.panicEndsByPasscode) }
        if grant.rung != .biometric { isPanicking = false }
    }

    private func noteOwner(_ who: Resident, since before: PlaceOwner) async throws {
        let now = try await owner()
        if now.account != who.id { violations.append("\(who) succeeds, and \(now) owns the place") }
        if opener != who { opener = nil }
        if before.differs(from: who.id) {
            ends.insert(before.isEnrolment ? .enrolmentTakenOver : .visitTakenOver)
            maySetUp = false
        }
        if let slow = held, slow.who != who, now != slow.before { held?.isVoid = true }
    }

    private func open(by grant: Grant, of who: Resident?) async {
        let (locks, isOpen) = (await stage.locks, await stage.isOpen)
        await stage.unlocked(by: grant)
        if isOpen, unheard == .revocation || unheard == .anotherPerson, await stage.locks == locks {
            violations.append("the app opens for \(who?.rawValue ?? "nobody") with what it showed before")
        }
        (opener, unheard) = (who, nil)
    }

    private func dismiss() {
        (opener, maySetUp) = (nil, false)
        held?.isVoid = true
    }

    private func panic() {
        dismiss()
        isPanicking = true
    }

    // MARK: - What there is

    private func look() async throws -> State {
        let app = stage.app.auth
        var journal = try await app.enrolments()
        if held == nil, journal.isUnsettled(at: stage.phone.clock.civilTime) {
            await app.settle()
            journal = try await app.enrolments()
        }
        var now = State()
        (now.owner, now.isEnrolled) = (Resident(id: journal.owner.account), journal.owner.isEnrolment)
        for (process, auth) in processes {
            guard let number = try? await auth.sessionNumber(), (try? await auth.sessionRecord(of: number)) != nil else {
                continue
            }
            now.sessions[process] = try await auth.visit() == nil ? .key : .visit
        }
        now.isOpen = await stage.isOpen
        now.isSensorOff = try await app.sensorSwitch.read().isOff
        now.mayAddBiometrics = await app.liveOffer() != nil
        (now.slow, now.isSlowVoid) = (held?.kind, held?.isVoid ?? false)
        if !now.isOpen { unheard = nil }
        now.unheard = unheard
        return now
    }

    private var processes: [(PlaceWalk.Process, Authenticator)] { [(.app, stage.app.auth), (.other, stage.other.auth)] }

    /// Every session is the owner's, and whoever has just got in has one.
    private func checkSessions() async throws {
        let owner = try await owner()
        for account in try await stage.phone.accountsOfVisits(stage.app.auth) where account != owner.account {
            violations.append("\(owner) owns the place, and a visit of \(account) is open")
        }
        for (process, auth) in processes {
            let me = try? await auth.me()
            if (me != nil) != (state.sessions[process] != nil) {
                violations.append("the session of \(process) is not what it seems")
            }
            if let me, me.id != owner.account {
                violations.append("\(owner) owns the place, and me() of \(process) is \(me.name)")
            }
        }
    }

    private func check() async {
        if state.isOpen, unheard == nil, opener == nil || opener != state.owner {
            let (opener, owner) = (opener?.rawValue ?? "nobody", state.owner?.rawValue ?? "nobody")
            violations.append("the app is open for \(opener), and \(owner) owns the place")
        }
        if let opener, !state.isOpen { violations.append("the success of \(opener) does not open the app") }
        if isPanicking, !state.isSensorOff { violations.append("the sensor is on after a panic") }
        if state.mayAddBiometrics, !maySetUp { violations.append("a right to add biometrics outlives a dismissal") }
        guard held == nil, let journal = try? await stage.app.auth.enrolments() else { return }
        let live = journal.live == nil ? 0 : 1
        if stage.phone.records != live {
            violations.append("the server lists \(stage.phone.records) devices, and \(live) is enrolled")
        }
        if stage.phone.phone.keyCount != journal.kinds.count + journal.visits.count {
            violations.append(
                "\(stage.phone.phone.keyCount) keys of \(journal.kinds.count) kinds and \(journal.visits.count) visits")
        }
    }
}

extension PlaceOwner {
    fileprivate var isEnrolment: Bool { if case .enrolment = self { true } else { false } }
}

/// Holds an act until it is opened.
private final class Gate: Sendable {
    private let state = Mutex((isReached: false, isOpen: false, isOver: false, waiting: CheckedContinuation<Void, Never>?.none))

    /// Whether the act is held, or has ended.
    var isReached: Bool { state.withLock { $0.isReached || $0.isOver } }
    var isOpen: Bool { state.withLock { $0.isOpen } }
    /// Whether the act has ended.
    var isOver: Bool { state.withLock { $0.isOver } }

    func pass() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    state.isReached = true
                    if state.isOpen || Task.isCancelled { return true }
                    state.waiting = continuation
                    return false
                }
                if isFree { continuation.resume() }
            }
        } onCancel: {
            open()
        }
    }

    func open() {
        let waiting = state.withLock { state in
            defer { state.waiting = nil }
            state.isOpen = true
            return state.waiting
        }
        waiting?.resume()
    }

    func noteEnd() { state.withLock { $0.isOver = true } }
}
