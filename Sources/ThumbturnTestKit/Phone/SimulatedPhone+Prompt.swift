import Synchronization
import ThumbturnCore
import ThumbturnDevice

/// One prompt: its obstacles, what the person does, and what may take it off the screen.
extension SimulatedPhone {
    /// A match, which allows one use of one key for one message, as Android's bound prompts do, the strictest of the
    /// platforms.
    struct Verified: Sendable {
        var rung: Rung
        var key: KeyName
        var message: [UInt8]
        var prompt: Int

        init(_ request: PromptRequest, _ prompt: Int) {
            (rung, key, message) = (request.rung, request.key, request.message)
            self.prompt = prompt
        }
    }

    func prompt(_ request: PromptRequest, _ hearing: @escaping @Sendable (PromptNews) -> Void) async -> PromptAnswer {
        let now = clock.now
        let (cuts, cut) = AsyncStream.makeStream(of: PromptAnswer.self)
        let start = state.withLock { Self.begin(request, cut, &$0, at: now) }
        let id: Int
        switch start {
        case .shown(let number): id = number
        case .reused(let number): return .matched(Presence(context: Verified(request, number)))
        case .refused(let failure): return .failed(failure)
        case .unheard: return await unheard()
        }
        let answer = await withTaskGroup(of: PromptAnswer?.self) { group in
            group.addTask { await self.answer(request, id, hearing) }
            group.addTask {
                for await answer in cuts { return answer }
                return nil
            }
            // The first answer counts, and the other task is cancelled. A cancelled wait for a cut has no answer.
            var first: PromptAnswer?
            for await answer in group {
                guard let answer else { continue }
                first = answer
                break
            }
            group.cancelAll()
            return first
        }
        state.withLock { Self.end(id, &$0) }
        return answer ?? .failed(Failure(.cancelledByApp))
    }

    /// A time longer than any test: some thirty years.
    static let forever = Duration.seconds(1_000_000_000)

    private enum Start {
        case shown(Int)
        /// Nothing is shown: an unlock of the phone itself counts.
        case reused(Int)
        case refused(Failure)
        case unheard
    }

    private static func begin(
        _ request: PromptRequest, _ cut: AsyncStream<PromptAnswer>.Continuation, _ state: inout State, at now: Instant
    ) -> Start {
        if let obstacle = obstacle(request, state, at: now) {
            return .refused(state.model.reported(obstacle, state.lockout(at: now)))
        }
        if state.phase == .back, state.model.promptInBack == .unheard { return .unheard }
        if state.acts.first?.act == .dropCallback {
            state.acts.removeFirst()
            return .unheard
        }
        if let number = reuse(of: request, &state, at: now) { return .reused(number) }
        if state.model.showsOnePrompt { state.takeDownPrompts(Failure(.superseded)) }
        state.prompts += 1
        state.shown[state.prompts] = cut
        if state.phase == .front, state.model.promptMakesInactive { state.move(to: .inactive) }
        return .shown(state.prompts)
    }

    /// Why the prompt cannot be shown; nil where it can.
    private static func obstacle(_ request: PromptRequest, _ state: borrowing State, at now: Instant) -> Failure? {
        if !state.isReadable { return Failure(.notYetReadable) }
        if state.phase == .back, state.model.promptInBack == .refused { return Failure(.cancelledBySystem) }
        if request.rung == .biometric, let obstacle = biometry(state, at: now).obstacle { return obstacle }
        if request.rung == .devicePasscode {
            if !state.hasPasscode { return Failure(.passcodeNotSet) }
            if !state.model.passcodeUnlocksKeys { return noPasscodeForKeys }
        }
        if let lastMatch = state.lastMatch, lastMatch.duration(to: now) < state.model.coolDown {
            return Failure(.cancelledBySystem)
        }
        return nil
    }

    /// Before API level 30 no prompt asks for the credential so that it unlocks a key for one use:
    /// `BIOMETRIC_ERROR_UNSUPPORTED`.
    static let noPasscodeForKeys = Failure(
        .platform, recovery: .fallBack(.appPIN), status: .init(domain: "androidx.biometric.BiometricManager", code: -2)
    )

    private static func end(_ id: Int, _ state: inout State) {
        state.shown[id] = nil
        guard state.shown.isEmpty, state.phase == .inactive, state.model.promptMakesInactive, !state.isCovered else { return }
        state.move(to: .front)
    }

    /// Only the app that asked can end this.
    private func unheard() async -> PromptAnswer {
        try? await clock.sleep(until: clock.now.advanced(by: Self.forever))
        return .failed(Failure(.cancelledByApp))
    }

    // MARK: The person

    private func answer(_ request: PromptRequest, _ id: Int, _ hearing: (PromptNews) -> Void) async -> PromptAnswer {
        let model = state.withLock { $0.model }
        let end = model.promptTimeout.map { clock.now.advanced(by: $0) }
        var tries = 0
        if model.promptDelay > .zero, (try? await clock.sleep(until: clock.now.advanced(by: model.promptDelay))) == nil {
            return .failed(Failure(.cancelledByApp))
        }
        if model.tellsAppearance { hearing(.appeared) }
        // When the person could act: an act that comes too soon after a mismatch happens when the sensor reads again.
        var since = clock.now
        while true {
            let (act, delay) = state.withLock { $0.nextAct() }
            let wake = max(clock.now, since.advanced(by: act == .ignore ? Self.forever : delay))
            let isLate = end.map { $0 < wake } ?? false
            guard (try? await clock.sleep(until: isLate ? end ?? wake : wake)) != nil else {
                return .failed(Failure(.cancelledByApp))
            }
            let now = clock.now
            if isLate { return .failed(model.reported(Failure(.timedOut), nil)) }
            since = now
            if case .readPoorly(let reading) = act {
                hearing(.readPoorly(reading))
                continue
            }
            let answer = state.withLock { Self.answer(act, request, id, &tries, &$0, at: now) }
            guard case .notMatched = answer, request.rung == .biometric, let pause = model.readsAgainAfter else {
                if let answer { return answer }
                continue
            }
            tries = 0
            hearing(.mismatched)
            // Meanwhile the app may take the prompt away, and then the person acts at the next one.
            guard (try? await clock.sleep(until: now.advanced(by: pause))) != nil else {
                return .failed(Failure(.cancelledByApp))
            }
        }
    }

    /// The prompt's answer, or nil where it goes on.
    private static func answer(
        _ act: Act, _ request: PromptRequest, _ id: Int, _ tries: inout Int, _ state: inout State, at now: Instant
    ) -> PromptAnswer? {
        func failed(_ code: Failure.Code) -> PromptAnswer {
            .failed(state.model.reported(Failure(code, recovery: .retry), state.lockout(at: now)))
        }
        switch act {
        case .match:
            state.forgetTries()
            state.lastMatch = now
            return .matched(Presence(context: Verified(request, id)))
        case .noMatch, .tryInVain:
            // The system's sheet asks again after a wrong passcode, and keeps its count from apps.
            guard request.rung == .biometric else { return act == .noMatch ? .notMatched : nil }
            repeat {
                tries += 1
                state.countTry(at: now)
                if let obstacle = biometry(state, at: now).obstacle {
                    return .failed(state.model.reported(obstacle, state.lockout(at: now)))
                }
            } while act == .noMatch && tries < state.model.triesInAPrompt
            guard tries >= state.model.triesInAPrompt else { return nil }
            return state.model.flattensErrors ? failed(.notMatched) : .notMatched
        case .cancel: return failed(.cancelledByUser)
        case .systemCancel: return failed(.cancelledBySystem)
        case .supersede: return failed(.superseded)
        case .ignore, .dropCallback: return failed(.cancelledByApp)
        case .readPoorly: return nil
        }
    }
}

extension SimulatedPhone.State {
    fileprivate mutating func nextAct() -> (SimulatedPhone.Act, Duration) {
        let (act, after) = acts.isEmpty ? (.match, nil) : acts.removeFirst()
        return (act, after ?? answerTimes?.draw() ?? .zero)
    }

    /// Takes every prompt off the screen; each answers with this failure.
    mutating func takeDownPrompts(_ failure: Failure) {
        for cut in shown.values { cut.yield(.failed(model.reported(failure, nil))) }
        shown = [:]
    }
}
