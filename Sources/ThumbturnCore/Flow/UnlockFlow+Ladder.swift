// The way down the ladder: asking a rung, moving on to the next one, and ending.

extension UnlockFlow {
    /// How long after the system took a prompt the app may still go to the back.
    static let settling: Duration = .seconds(1)
    /// How many prompts the system may take before the flow gives up: something else then wants the screen.
    private static let mostInterruptions = 3

    mutating func wait(_ readiness: Readiness, at now: Instant) -> [Effect] {
        let due = policy.automaticPrompt.map { now.advanced(by: $0) }
        state = .waiting(readiness, due: due)
        return due.map { [.wake(at: $0)] } ?? []
    }

    /// - Parameter chosen: the rung that the person has chosen to begin with.
    mutating func askFirst(_ readiness: Readiness, from chosen: Rung? = nil, at now: Instant) -> [Effect] {
        var progress = Progress(readiness: readiness, started: now, remaining: ladder[...])
        if let chosen, let index = progress.remaining.firstIndex(of: chosen) { progress.remaining.removeFirst(index) }
        let first = progress.remaining.popFirst() ?? .fullCredentials
        return ask(first, progress, at: now)
    }

    /// The person chose another way than the first one, which was not shown yet.
    mutating func askSecond(_ readiness: Readiness, at now: Instant) -> [Effect] {
        var progress = Progress(readiness: readiness, started: now, remaining: ladder[...])
        let first = progress.nextUsableRung
        let passed = progress.remaining.prefix { $0 != first }.compactMap { readiness.obstacle(to: $0) }
        // Where there is no other way, or the keys cannot be read yet, it goes on as if the person had tapped.
        guard first != .fullCredentials, !passed.contains(where: { $0.code == .notYetReadable }) else {
            return askFirst(readiness, at: now)
        }
        passed.forEach { progress.note($0) }
        progress.remaining = progress.remaining.drop { $0 != first }.dropFirst()
        return moveOn(from: first, because: .choice, progress, at: now)
    }

    /// The policy's rungs in this person's order: the preferred rung first, where the policy has it and it has a key.
    package var ladder: [Rung] {
        guard let preferred = person.preferred, preferred.key != nil, policy.ladder.contains(preferred) else {
            return policy.ladder
        }
        return [preferred] + policy.ladder.filter { $0 != preferred }
    }

    /// Asks a rung for the first time.
    mutating func ask(_ rung: Rung, _ progress: Progress, at now: Instant) -> [Effect] {
        if rung == .fullCredentials, !mayAskFullSignIn(progress) { return failWithoutRungs(progress) }
        let sensor = rung == .biometric ? SensorClock(started: now) : nil
        return ask(Attempt(rung: rung, sensor: sensor), progress, at: now)
    }

    /// Whether the full sign-in is a rung of its own, and not only the next step: the app gave one, the policy has it, and no
    /// second key is demanded, for which it could not stand in.
    private func mayAskFullSignIn(_ progress: Progress) -> Bool {
        progress.readiness.canSignIn && policy.ladder.contains(.fullCredentials) && policy.additionalRungs.isEmpty
    }

    /// Asks the same rung again after an absence, which does not count towards the sensor's limits.
    mutating func askAgain(_ attempt: Attempt, _ progress: Progress, after absence: Duration, at now: Instant) -> [Effect] {
        var (attempt, progress) = (attempt, progress)
        attempt.sensor?.exclude(absence)
        progress.exclude(absence)
        return ask(attempt, progress, at: now)
    }

    /// Shows the prompt of a rung, or moves on to the next one where it cannot be asked.
    private mutating func ask(_ attempt: Attempt, _ progress: Progress, at now: Instant) -> [Effect] {
        if let obstacle = progress.readiness.obstacle(to: attempt.rung) {
            return skip(attempt.rung, for: obstacle, progress, at: now)
        }
        return show(attempt, progress, at: now)
    }

    mutating func show(_ attempt: Attempt, _ progress: Progress, at now: Instant) -> [Effect] {
        var progress = progress
        progress.countPrompt(at: now)
        // The button offers the next rung: from the second attempt on, or from the first where the policy says so.
        let offersNext = attempt.mismatches > 0 || policy.firstButton == .nextRung
        let button = offersNext && attempt.rung != .fullCredentials ? CancelButton.use(progress.nextUsableRung) : .cancel
        let prompt = Prompt(id: progress.prompts, rung: attempt.rung, cancelButton: button)
        state = .prompting(prompt, attempt, progress)
        return [.show(prompt), .emit(.promptShown(attempt.rung))] + wake(for: attempt)
    }

    /// Asks for a wake when the next limit of an attempt is due.
    func wake(for attempt: Attempt) -> [Effect] { attempt.sensor?.deadline(policy, person).map { [.wake(at: $0)] } ?? [] }

    /// Passes over a rung that cannot be asked.
    mutating func skip(_ rung: Rung, for obstacle: Failure, _ progress: Progress, at now: Instant) -> [Effect] {
        // Keys that cannot be read yet tell nothing about the person: the flow is for later, and the person is not
        // signed out.
        if obstacle.code == .notYetReadable { return fail(obstacle) }
        var progress = progress
        progress.note(obstacle)
        var effects: [Effect] = []
        if let loss = progress.readiness.loss(of: rung) { effects.append(.emit(.keyInvalidated(loss))) }
        if case .lockedOut(let lockout) = progress.readiness.biometry, obstacle.code == .lockedOut {
            effects.append(.emit(.lockedOut(lockout)))
        }
        if let missing = progress.readiness.setUp(for: rung) { effects.append(.offerSetUp(missing)) }
        return effects + moveOn(from: rung, because: .skipped(obstacle.code), progress, at: now)
    }

    /// Moves to the next rung of the ladder. Below the last one there is the full sign-in, so the ladder has no dead
    /// end.
    mutating func moveOn(from rung: Rung, because trigger: Trigger, _ progress: Progress, at now: Instant) -> [Effect] {
        precondition(rung != .fullCredentials, "nothing is below the full sign-in")
        var progress = progress
        progress.wantsAnotherWay = false
        if rung == .biometric, trigger.countsAsMiss, progress.prompts > 0 { person.pace.missed() }
        let next = progress.remaining.popFirst() ?? .fullCredentials
        return [.move(from: rung, to: next, because: trigger), .emit(.fellBack(from: rung, to: next, because: trigger))]
            + ask(next, progress, at: now)
    }

    /// A rung that could be asked and no longer can gives way. Counts and lockouts do not matter here, because the
    /// running attempt is counted among them.
    mutating func changed(during prompt: Prompt, _ attempt: Attempt, _ progress: Progress, at now: Instant) -> [Effect] {
        guard let obstacle = progress.readiness.obstacle(to: attempt.rung),
            ![.paused, .lockedOut, .notYetReadable].contains(obstacle.code)
        else {
            state = .prompting(prompt, attempt, progress)
            return []
        }
        return [.dismiss(prompt)] + skip(attempt.rung, for: obstacle, progress, at: now)
    }

    /// The system took the prompt. It does so just before an app goes to the back, so the flow waits to see.
    mutating func interrupted(_ failure: Failure, _ attempt: Attempt, _ progress: Progress, at now: Instant) -> [Effect] {
        guard progress.interruptions < Self.mostInterruptions else { return cancelled(failure) }
        var progress = progress
        progress.interruptions += 1
        state = .interrupted(attempt, progress, since: now)
        return [.wake(at: now.advanced(by: Self.settling))]
    }

    // MARK: - Ending

    /// No rung of this device is left.
    private mutating func failWithoutRungs(_ progress: Progress) -> [Effect] {
        var failure = progress.cause ?? Failure(.notEnrolled)
        // A dead key demands enrolment, and a pause ends by itself; in every other case the full sign-in is the next
        // step.
        if failure.recovery != .reEnrol, failure.code != .paused { failure.recovery = .signInAgain }
        return fail(failure)
    }

    mutating func cancelled(_ failure: Failure) -> [Effect] {
        [.emit(.cancelled(failure.code))] + fail(failure)
    }

    mutating func fail(_ failure: Failure) -> [Effect] {
        let end = End.failed(failure)
        state = .finished(end)
        return [.finish(end)]
    }
}
