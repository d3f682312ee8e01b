import Synchronization
import ThumbturnCore

/// Runs an `UnlockFlow` on a platform. One task owns the machine; its effects run as child tasks and come back as events,
/// so there is no lock, no re-entrancy, and nothing outlives the call.
struct UnlockDriver<Output: Unlocking> {
    let platform: DevicePlatform
    let reason: String
    let habits: UnlockHistory
    /// What the device can do, now.
    let readiness: @Sendable () async -> Readiness
    /// The key of a rung and the bytes it will sign, none where the key itself is released; nil where the rung has no key.
    let request: @Sendable (Rung) async throws(Failure) -> Signable?
    /// Has a rung's key make the proof, or has the platform release it.
    let unlock: @Sendable (Rung, Permit, Signable) async throws(Failure) -> Output
    let observe: @Sendable (UnlockNews) -> Void
    /// Yields when the person asks for something beside the prompt.
    let choices: AsyncStream<PromptChoice>

    func run(_ policy: UnlockPolicy, by start: UnlockFlow.Start = .tap) async -> UnlockEnd<Output> {
        if let before = await habits.abandoned() { observe(.telemetry(.abandoned(before.phase, after: before.after))) }
        let person = await habits.person()
        var flow = UnlockFlow(policy: policy, person: person)
        let end = await run(&flow, by: start)
        await habits.ended()
        await habits.keep(flow.person.pace, since: person.pace)
        return end
    }

    private func run(_ flow: inout UnlockFlow, by start: UnlockFlow.Start) async -> UnlockEnd<Output> {
        let (events, mailbox) = AsyncStream.makeStream(of: Heard.self)
        mailbox.yield(.event(.began(await readiness(), by: start)))
        let began = platform.clock.now
        // One writer, so that what is written last is what happened last.
        let (phases, noted) = AsyncStream.makeStream(of: UnlockHistory.Progress.self, bufferingPolicy: .bufferingNewest(1))
        var phase = flow.phase
        defer { noted.finish() }

        return await withTaskGroup(of: Void.self) { group in
            var dismissals: [Int: Dismissal] = [:]
            var permits: [Int: (Permit, Signable)] = [:]
            var given: [Output] = []
            group.addTask { for await progress in phases { await habits.note(progress) } }
            group.addTask {
                for await choice in choices { mailbox.yield(.event(choice == .prompt ? .tapped : .hintChosen)) }
            }
            group.addTask { for await phase in platform.phases.phases() { mailbox.yield(.phase(phase)) } }
            for await heard in events {
                let event: UnlockFlow.Event
                switch heard {
                case .event(let plain): event = plain
                case .phase(.back): event = .wentBack
                case .phase(.inactive): continue
                case .phase(.front):
                    guard flow.isAway else { continue }
                    // Much may have happened meanwhile: look again, then go on.
                    group.addTask {
                        mailbox.yield(.event(.changed(await readiness())))
                        mailbox.yield(.event(.cameFront))
                    }
                    continue
                case .opened(let permit, let signable, let prompt):
                    permits[prompt] = (permit, signable)
                    event = .answered(permit.answer, prompt: prompt)
                case .unlocked(let output, let prompt):
                    given.append(output)
                    event = .signed(output.receipt, prompt: prompt)
                }
                let effects = flow.handle(event, at: platform.clock.now)
                if flow.phase != phase {
                    phase = flow.phase
                    if phase != .ended, phase != .signing {
                        noted.yield(.init(phase: phase, after: began.duration(to: platform.clock.now)))
                    }
                }
                for effect in effects {
                    switch effect {
                    case .show(let prompt):
                        let earlier = dismissals[prompt.id - 1]
                        let dismissal = Dismissal()
                        dismissals[prompt.id] = dismissal
                        let policy = flow.policy
                        group.addTask {
                            // Two prompts are never up at once: the earlier one has to be gone.
                            await earlier?.isGone()
                            await show(prompt, policy, until: dismissal, mailbox)
                            dismissal.promptIsGone()
                        }
                    case .dismiss(let prompt):
                        dismissals[prompt.id]?.dismiss()
                    case .sign(let prompt):
                        guard let (permit, signable) = permits.removeValue(forKey: prompt.id) else {
                            preconditionFailure("a key signs only after its prompt was answered")
                        }
                        group.addTask { await sign(prompt, permit, signable, mailbox) }
                    case .wake(let time):
                        group.addTask {
                            guard (try? await platform.clock.sleep(until: time)) != nil else { return }
                            mailbox.yield(.event(.woke))
                        }
                    case .showHint(let rung): observe(.hint(rung))
                    case .offerSetUp(let failure): observe(.offerSetUp(failure))
                    case .move(let from, let to, let trigger):
                        // What a rung gave goes with the rung.
                        given = []
                        observe(.moved(from: from, to: to, because: trigger))
                    case .emit(let telemetry):
                        if case .readPoorly(let reading) = telemetry { observe(.readPoorly(reading)) }
                        observe(.telemetry(telemetry))
                    case .finish(let end):
                        noted.finish()
                        group.cancelAll()
                        switch end {
                        case .failed(let failure): return .failed(failure)
                        case .granted(let rung, _, let additional):
                            guard let first = given.first, given.count == additional.count + 1 else {
                                preconditionFailure("a grant comes with what each key gave")
                            }
                            return .granted(rung, first, also: Array(given.dropFirst()))
                        }
                    }
                }
            }
            // The stream ends early only when our own task was cancelled: the app stopped the flow.
            noted.finish()
            group.cancelAll()
            let stopped = Failure(.cancelledByApp)
            for case .emit(let telemetry) in flow.handle(.stopped(stopped), at: platform.clock.now) {
                observe(.telemetry(telemetry))
            }
            return .failed(stopped)
        }
    }

    private func show(
        _ prompt: UnlockFlow.Prompt, _ policy: UnlockPolicy, until dismissal: Dismissal, _ mailbox: Mailbox
    ) async {
        let signable: Signable
        do throws(Failure) {
            guard let asked = try await request(prompt.rung) else {
                mailbox.yield(.event(.answered(.failed(Failure(.notEnrolled)), prompt: prompt.id)))
                return
            }
            signable = asked
        } catch {
            // There is nothing to sign: no rung can help.
            mailbox.yield(.event(.stopped(error)))
            return
        }
        let key = signable.key
        if prompt.rung == .appPIN { return await showPINScreen(prompt, signable, until: dismissal, mailbox) }
        let request = PromptRequest(
            rung: prompt.rung, reason: reason, cancelButton: prompt.cancelButton, key: key, message: signable.message
        )
        // A prompt may be dismissed, or the flow ended, before its turn came.
        guard !dismissal.isDismissed, !Task.isCancelled else { return }
        func ask() async -> PromptAnswer? {
            await dismissal.race {
                await platform.prompt(request) { mailbox.yield(.event(.readPoorly($0, prompt: prompt.id))) }
            }
        }
        let answer =
            prompt.rung == .biometric
            ? await CountedSensor(key, on: platform, under: policy.delays).attempt(ask) : await ask()
        switch answer {
        case .matched(let presence): mailbox.yield(.opened(.presence(presence), signable, prompt: prompt.id))
        case .notMatched: mailbox.yield(.event(.answered(.notMatched, prompt: prompt.id)))
        case .failed(let failure): mailbox.yield(.event(.answered(.failed(failure), prompt: prompt.id)))
        // Dismissed: whatever the platform still says is stale.
        case nil: break
        }
    }

    private func showPINScreen(
        _ prompt: UnlockFlow.Prompt, _ signable: Signable, until dismissal: Dismissal, _ mailbox: Mailbox
    ) async {
        guard let key = CountedPINKey(signable.key, on: platform) else {
            preconditionFailure("the flow asks for a PIN only where the platform has one")
        }
        let request = PINRequest(reason: reason, cancelButton: prompt.cancelButton, wrongInARow: await key.wrongInARow())
        guard !dismissal.isDismissed, !Task.isCancelled else { return }
        switch await dismissal.race({ await key.pin.entry.enter(request) }) {
        case .entered(let pin): mailbox.yield(.opened(.pin(pin), signable, prompt: prompt.id))
        case .failed(let failure): mailbox.yield(.event(.answered(.failed(failure), prompt: prompt.id)))
        // Dismissed: what is still entered is not taken.
        case nil: break
        }
    }

    private func sign(
        _ prompt: UnlockFlow.Prompt, _ permit: Permit, _ signable: Signable, _ mailbox: Mailbox
    ) async {
        do throws(Failure) {
            mailbox.yield(.unlocked(try await unlock(prompt.rung, permit, signable), prompt: prompt.id))
        } catch {
            mailbox.yield(.event(.signingFailed(error, prompt: prompt.id)))
        }
    }

    private typealias Mailbox = AsyncStream<Heard>.Continuation

    /// An event of the flow. An answer that lets a key sign also carries what it takes, and a signature what the caller asked
    /// for: neither is the flow's business.
    private enum Heard: Sendable {
        case event(UnlockFlow.Event)
        case phase(AppPhase)
        case opened(Permit, Signable, prompt: Int)
        case unlocked(Output, prompt: Int)
    }
}

/// What a person asks for beside a prompt.
enum PromptChoice: Sendable {
    /// The prompt itself.
    case prompt
    case anotherWay
}

/// A key, and what it is asked to sign.
struct Signable: Sendable {
    var key: KeyName
    /// Empty where the key itself is released.
    var message: [UInt8] = []
    /// The challenge that the message answers, where a server asked.
    var challenge: CheckedChallenge?
}

/// What a prompt gave so that one key may sign once.
enum Permit: Sendable {
    /// A match, by the platform's word.
    case presence(Presence)
    /// A PIN that nobody has judged yet.
    case pin(PIN)

    var answer: SensorAnswer {
        switch self {
        case .presence: .matched
        case .pin: .entered
        }
    }

    /// Has the key sign that this permit is for.
    func sign(_ message: [UInt8], with key: KeyName, on platform: DevicePlatform) async throws(Failure) -> [UInt8] {
        switch self {
        case .presence(let presence): return try await platform.keys.sign(message, with: key, presence: presence)
        case .pin(let pin):
            guard let counted = CountedPINKey(key, on: platform) else {
                preconditionFailure("a PIN is entered only where the platform has one")
            }
            return try await counted.sign(message, with: pin)
        }
    }
}

/// Ends one child task without ending the others, and tells when it has ended.
private final class Dismissal: Sendable {
    private let dismissed = Mutex(false)
    private let signals: AsyncStream<Void>
    private let mailbox: AsyncStream<Void>.Continuation
    private let gone: AsyncStream<Void>
    private let end: AsyncStream<Void>.Continuation

    init() {
        (signals, mailbox) = AsyncStream.makeStream()
        (gone, end) = AsyncStream.makeStream()
    }

    var isDismissed: Bool { dismissed.withLock { $0 } }

    func dismiss() {
        dismissed.withLock { $0 = true }
        mailbox.finish()
    }

    func promptIsGone() { end.finish() }

    /// Returns when the prompt is gone.
    func isGone() async { for await _ in gone {} }

    /// The operation's answer, or nil when it was dismissed first. The loser is cancelled and waited for.
    func race<Answer: Sendable>(_ operation: @escaping @Sendable () async -> Answer) async -> Answer? {
        await withTaskGroup(of: Answer?.self) { group in
            group.addTask { await operation() }
            group.addTask {
                for await _ in self.signals {}
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }
}
