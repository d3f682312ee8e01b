import ThumbturnCore

/// Runs an `UnlockFlow` on a platform.
///
/// One task owns the flow; see `UnlockRun`. Here are the parts that run in child tasks: the prompts and the keys. They
/// own nothing, and what happens to them comes back as an event.
struct UnlockDriver<Keys: RungKeys>: Sendable {
    let platform: DevicePlatform
    let ask: RunningAsk
    /// The ask's policy, or a narrower one.
    let policy: UnlockPolicy
    let history: UnlockHistory
    let keys: Keys
    /// What the device can do, now.
    let readiness: @Sendable () async -> Readiness
    let observe: @Sendable (UnlockNews) -> Void
    /// The full sign-in as a rung; nil where the flow may not ask it.
    var fullSignIn: FullSignIn<Keys.Output>?
    /// Whether the key is new and signs for itself; see `CountedSensor.attempt`.
    var isNewKey = false
    /// Called when a prompt found no sensor although the system had called it ready.
    var sensorWasUnavailable: @Sendable () -> Void = {}

    /// Asks the person, rung by rung, until the keys have answered or no rung is left. Nothing outlives the call.
    func run(by start: UnlockFlow.Start = .tap) async -> UnlockEnd<Keys.Output> {
        // Read before the flow: what ends after the account has got another owner is not theirs.
        let owner = await platform.reportOwner(of: ask.request.asker)
        // One flow of an account at a time is written down. Where another one is under way, it is that one's note.
        let isFollowed = ask.prompts.isFirst(ask)
        if isFollowed, let before = await history.abandoned() {
            // It is told once, also where the app is killed again before this flow notes anything.
            await history.ended()
            observe(.telemetry(before))
            platform.report(UnlockReport([before.event], began: before.time, in: before.context), of: owner)
        }
        let person = await history.person()
        var context = await platform.telemetryContext()
        (context.policy, context.arm) = (policy.name, policy.arm ?? context.arm)
        var run = UnlockRun(self, for: person, isFollowed: isFollowed, countedBy: context)
        let end = await run.untilEnd(by: start)
        if let report = run.report { platform.report(report, of: owner) }
        if isFollowed { await history.ended() }
        await history.keep(run.flow.person.pace, since: person.pace)
        return end
    }

    typealias Mailbox = AsyncStream<Heard>.Continuation

    /// What the child tasks report. An answered prompt also carries what it gave, and a used key what came of it: the flow
    /// itself needs to know neither.
    enum Heard: Sendable {
        case event(UnlockFlow.Event)
        case phase(AppPhase)
        /// Assistive technology was switched on or off.
        case extraTime(ExtraTime)
        case opened(Opened, prompt: Int)
        case unlocked(Keys.Output, prompt: Int)
        /// The run has the screen. Where that took long, with what the device can do now.
        case gotScreen(Readiness?)
    }

    /// What an answered prompt gave: what lets one key be used once, or credentials to be judged.
    enum Opened: Sendable {
        case key(Keys.Use, Permit)
        case credentials(GivenCredentials)

        var answer: SensorAnswer {
            switch self {
            case .key(_, let permit): permit.answer
            case .credentials: .entered
            }
        }
    }
}

/// The full sign-in as a rung: what asks the person, and what judges their credentials.
struct FullSignIn<Output: Sendable>: Sendable {
    var ask: @Sendable () async throws(Failure) -> GivenCredentials
    var judge: @Sendable (GivenCredentials) async throws(Failure) -> Output
}

/// Credentials that the person gave for a visit that has begun.
struct GivenCredentials: Sendable {
    var answer: SignInAnswer
    /// The visit's number, which its session key has in its name.
    var number: Int
    /// The place when the visit began.
    var beginning: PlaceBeginning
}

/// Credentials that the person gave.
struct SignInAnswer: Sendable {
    var credentials: Credentials
    /// The challenge that shows the server when the sign-in began.
    var challenge: CheckedChallenge
    /// Whether the person has to be verified for this sign-in: see `SignInRequest.freshSince`.
    var mustBeFresh: Bool
}

// MARK: - Prompts

extension UnlockDriver {
    /// Shows one prompt and reports its answer.
    func show(_ prompt: UnlockFlow.Prompt, until dismissal: Dismissal, reportingTo mailbox: Mailbox) async {
        guard prompt.rung != .fullCredentials else {
            return await showSignIn(prompt, until: dismissal, reportingTo: mailbox)
        }
        let use: Keys.Use
        do throws(Failure) {
            guard let found = try await keys.use(for: prompt.rung) else {
                mailbox.yield(.event(.answered(.failed(Failure(.notEnrolled)), prompt: prompt.id)))
                return
            }
            use = found
        } catch {
            // There is nothing to sign: no rung can help.
            mailbox.yield(.event(.stopped(error)))
            return
        }
        if prompt.rung == .appPIN {
            await showPINScreen(prompt, for: use, until: dismissal, reportingTo: mailbox)
        } else {
            await showSystemPrompt(prompt, for: use, until: dismissal, reportingTo: mailbox)
        }
    }

    private func showSystemPrompt(
        _ prompt: UnlockFlow.Prompt, for use: Keys.Use, until dismissal: Dismissal, reportingTo mailbox: Mailbox
    ) async {
        let shown = PromptRequest(
            rung: prompt.rung, reason: ask.request.reason, cancelButton: prompt.cancelButton, key: use.key, message: use.message,
            deviceUnlockMaximumAge: ask.prompts.deviceUnlockMaximumAge)
        // The prompt may be dismissed, or the flow over, before its turn came.
        guard !dismissal.isDismissed, !Task.isCancelled else { return }
        func answer(_ mismatched: @escaping @Sendable () -> Void = {}) async -> PromptAnswer? {
            await dismissal.race {
                await platform.prompts.prompt(shown, on: platform) {
                    mailbox.yield(.event(.appeared(.requested, prompt: prompt.id)))
                } hearing: {
                    // A mismatch is told to the flow once it is counted.
                    if let event = $0.event(of: prompt) { mailbox.yield(.event(event)) } else { mismatched() }
                }
            }
        }
        let answered =
            prompt.rung == .biometric
            ? await CountedSensor(use.key, on: platform, under: policy).attempt(isNewKey: isNewKey, answer) {
                switch $0 {
                case .asksAgain: mailbox.yield(.event(.mismatched(prompt: prompt.id)))
                case .ends: dismissal.dismiss()
                }
            }
            : await answer()
        switch answered {
        case .matched(let presence):
            ask.noteAnswer()
            mailbox.yield(.opened(.key(use, .presence(presence)), prompt: prompt.id))
        case .notMatched: mailbox.yield(.event(.answered(.notMatched, prompt: prompt.id)))
        case .failed(let failure):
            if [.biometryUnavailable, .biometryAbsent].contains(failure.code) { sensorWasUnavailable() }
            mailbox.yield(.event(.answered(.failed(failure), prompt: prompt.id)))
        // Dismissed: whatever the platform still answers is stale.
        case nil: break
        }
    }

    private func showPINScreen(
        _ prompt: UnlockFlow.Prompt, for use: Keys.Use, until dismissal: Dismissal, reportingTo mailbox: Mailbox
    ) async {
        guard let key = CountedPINKey(use.key, on: platform) else {
            preconditionFailure("the flow asks for a PIN only where the platform has one")
        }
        let shown = PINRequest(
            reason: ask.request.reason, cancelButton: prompt.cancelButton, wrongInARow: await key.wrongInARow(),
            sensor: await platform.sensor.name())
        guard !dismissal.isDismissed, !Task.isCancelled else { return }
        mailbox.yield(.event(.appeared(.requested, prompt: prompt.id)))
        switch await dismissal.race({ await key.entry.enter(shown) }) {
        case .entered(let pin):
            ask.noteAnswer()
            mailbox.yield(.opened(.key(use, .pin(pin)), prompt: prompt.id))
        case .failed(let failure): mailbox.yield(.event(.answered(.failed(failure), prompt: prompt.id)))
        // Dismissed: a PIN that is still entered is not taken.
        case nil: break
        }
    }
}

// MARK: - The full sign-in

extension UnlockDriver {
    private func showSignIn(
        _ prompt: UnlockFlow.Prompt, until dismissal: Dismissal, reportingTo mailbox: Mailbox
    ) async {
        guard let fullSignIn else { preconditionFailure("the flow asks for the full sign-in only where there is one") }
        guard !dismissal.isDismissed, !Task.isCancelled else { return }
        mailbox.yield(.event(.appeared(.requested, prompt: prompt.id)))
        let given: Result<GivenCredentials, Failure>? = await dismissal.race {
            do throws(Failure) {
                return .success(try await fullSignIn.ask())
            } catch {
                return .failure(error)
            }
        }
        switch given {
        case .success(let credentials):
            ask.noteAnswer()
            mailbox.yield(.opened(.credentials(credentials), prompt: prompt.id))
        case .failure(let failure): mailbox.yield(.event(.answered(.failed(failure), prompt: prompt.id)))
        // Dismissed: credentials that are still given are not sent.
        case nil: break
        }
    }
}

extension PromptNews {
    /// What the flow hears at once; nil for a mismatch.
    fileprivate func event(of prompt: UnlockFlow.Prompt) -> UnlockFlow.Event? {
        switch self {
        case .appeared: .appeared(.told, prompt: prompt.id)
        case .readPoorly(let reading): .readPoorly(reading, prompt: prompt.id)
        case .mismatched: nil
        }
    }
}

// MARK: - Keys

extension UnlockDriver {
    /// Uses what a prompt has opened, and reports what came of it.
    func sign(_ prompt: UnlockFlow.Prompt, with opened: Opened, reportingTo mailbox: Mailbox) async {
        do throws(Failure) {
            let output: Keys.Output
            switch opened {
            case .key(let use, let permit): output = try await keys.unlock(prompt.rung, use, with: permit)
            case .credentials(let credentials):
                guard let fullSignIn else { preconditionFailure("credentials come from a full sign-in") }
                output = try await fullSignIn.judge(credentials)
            }
            mailbox.yield(.unlocked(output, prompt: prompt.id))
        } catch {
            mailbox.yield(.event(.signingFailed(error, prompt: prompt.id)))
        }
    }
}
