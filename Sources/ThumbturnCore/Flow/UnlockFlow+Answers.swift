// The answers of prompts and keys, and the limits of the sensor's prompts.

extension UnlockFlow {
    mutating func answered(
        _ answer: SensorAnswer, to prompt: Prompt, _ attempt: Attempt, _ progress: Progress, at now: Instant
    ) -> [Effect] {
        let report = progress.report(answer.outcome, at: now)
        switch answer {
        case .matched, .entered:
            if let sensor = attempt.sensor { keepPace(of: prompt, attempt, sensor, at: now) }
            state = .signing(prompt, attempt, progress)
            return [report, .sign(prompt)]
        case .notMatched:
            return [report] + mismatched(attempt, progress, at: now)
        case .failed(let failure):
            return [report] + promptFailed(failure, prompt, attempt, progress, at: now)
        }
    }

    /// Only a match at the first try of the flow is a sample of the person's pace.
    private mutating func keepPace(of prompt: Prompt, _ attempt: Attempt, _ sensor: SensorClock, at now: Instant) {
        if prompt.id == 1, attempt.mismatches == 0 {
            person.pace.matched(after: sensor.started.duration(to: now))
        } else {
            person.pace.matchedLater()
        }
    }

    /// A key was used. The additional rungs follow one after another; after the last one the flow is granted.
    mutating func signed(_ output: Output, by attempt: Attempt, _ progress: Progress, at now: Instant) -> [Effect] {
        if [attempt.rung, progress.grant?.rung].contains(where: progress.isDead) {
            return refused(Failure(.keyInvalidated), attempt, progress, at: now)
        }
        var grant = progress.grant ?? Grant(rung: attempt.rung, output: output)
        if progress.grant != nil { grant.additional.append(output) }
        if let next = policy.additionalRungs.dropFirst(grant.additional.count).first {
            var progress = progress
            progress.grant = grant
            // No rung replaces an additional one, and an earlier cause does not explain what happens to it.
            progress.remaining = []
            progress.cause = nil
            return ask(next, progress, at: now)
        }
        let end = End.granted(grant.rung, grant.output, additional: grant.additional)
        state = .finished(end)
        let elapsed = progress.started.duration(to: now)
        return [.emit(.authenticated(grant.rung, after: elapsed, attempts: progress.attempts)), .finish(end)]
    }

    mutating func signingFailed(_ failure: Failure, _ attempt: Attempt, _ progress: Progress, at now: Instant) -> [Effect] {
        // Only the key can tell that a PIN is wrong.
        guard attempt.rung == .appPIN, failure.code == .notMatched || failure.followsMismatch else {
            return refused(failure, attempt, progress, at: now)
        }
        let report = progress.report(.failed(.notMatched), at: now)
        guard failure.code == .notMatched else { return [report] + refused(failure, attempt, progress, at: now) }
        return [report] + mismatched(attempt, progress, at: now)
    }

    /// A mismatch after which the prompt stays: as one that ends the prompt, except that the prompt is not shown again. It goes
    /// where no other try is allowed.
    mutating func mismatched(during prompt: Prompt, _ attempt: Attempt, _ progress: Progress, at now: Instant) -> [Effect] {
        [progress.report(.failed(.notMatched), at: now)] + mismatched(attempt, progress, staying: prompt, at: now)
    }

    private mutating func mismatched(
        _ attempt: Attempt, _ progress: Progress, staying prompt: Prompt? = nil, at now: Instant
    ) -> [Effect] {
        // A mismatch is the sensor's or the PIN's; wrong credentials are the last word, as any other failure there.
        if attempt.rung == .fullCredentials { return fail(Failure(.notMatched, recovery: .signInAgain)) }
        var (attempt, progress) = (attempt, progress)
        attempt.mismatches += 1
        progress.note(Failure(.notMatched, recovery: .fallBack(progress.nextUsableRung)))
        let isInTime = attempt.sensor?.mayRetry(at: now, policy, person) ?? true
        let limit = attempt.rung == .appPIN ? policy.pinMismatchLimit : policy.mismatchLimit
        guard isInTime, attempt.mismatches < limit else {
            let pause = PINLedger.pause(afterWrong: attempt.mismatches)
            if attempt.rung == .appPIN, pause > .zero { progress.note(Failure.paused(for: pause)) }
            return (prompt.map { [.dismiss($0)] } ?? []) + moveOn(from: attempt.rung, because: .mismatches, progress, at: now)
        }
        attempt.sensor?.retryUntil = now.advanced(by: policy.retryLimit)
        let retry = Effect.emit(.retry(attempt.mismatches))
        guard let prompt else { return [retry] + show(attempt, progress, at: now) }
        progress.countRetry(at: now)
        state = .prompting(prompt, attempt, progress)
        return [retry] + wake(for: attempt)
    }

    // MARK: - Failures of the platform

    private mutating func promptFailed(
        _ failure: Failure, _ prompt: Prompt, _ attempt: Attempt, _ progress: Progress, at now: Instant
    ) -> [Effect] {
        switch (failure.code, prompt.cancelButton) {
        // A button with the text "Use …" is a choice and not a cancellation.
        case (.cancelledByUser, .use): moveOn(from: attempt.rung, because: .choice, progress, at: now)
        case (.cancelledBySystem, _): interrupted(failure, attempt, progress, at: now)
        default: refused(failure, attempt, progress, at: now)
        }
    }

    private mutating func refused(
        _ failure: Failure, _ attempt: Attempt, _ progress: Progress, at now: Instant
    ) -> [Effect] {
        var progress = progress
        switch failure.code {
        case .cancelledByUser, .cancelledBySystem, .cancelledByApp, .superseded, .notYetReadable:
            return cancelled(failure)
        // The last word: credentials that were not accepted, or a server that did not answer.
        case _ where attempt.rung == .fullCredentials:
            return fail(failure)
        case .lockedOut:
            progress.note(failure)
            return [.emit(.lockedOut(failure.kindOfLockout))] + moveOn(from: attempt.rung, because: .lockedOut, progress, at: now)
        case .paused:
            progress.note(failure)
            return moveOn(from: attempt.rung, because: .mismatches, progress, at: now)
        case .keyInvalidated:
            progress.note(failure)
            return [.emit(.keyInvalidated(failure.followsMismatch ? .wrongPINs : .unknown))]
                + moveOn(from: attempt.rung, because: .keyInvalidated, progress, at: now)
        default:
            // After any other failure, known or unknown, the person goes on with the next rung.
            progress.note(failure)
            return moveOn(from: attempt.rung, because: .skipped(failure.code), progress, at: now)
        }
    }

    // MARK: - Time

    /// Does what is due. Early, late and doubled wakes end here: they ask for the next wake and change nothing else.
    mutating func considerTime(
        during prompt: Prompt, _ attempt: Attempt, _ progress: Progress, at now: Instant
    ) -> [Effect] {
        guard var sensor = attempt.sensor else { return [] }
        var (attempt, progress) = (attempt, progress)
        if let fallback = sensor.fallbackTime(policy, person), now >= fallback {
            progress.note(Failure(.timedOut, recovery: .fallBack(progress.nextUsableRung)))
            return [.dismiss(prompt)] + moveOn(from: attempt.rung, because: .timeout, progress, at: now)
        }
        var effects: [Effect] = []
        if let hint = sensor.hintTime(policy, person), now >= hint {
            sensor.isHintShown = true
            effects += [.showHint(progress.nextUsableRung), .emit(.hintShown)]
        }
        attempt.sensor = sensor
        state = .prompting(prompt, attempt, progress)
        return effects + wake(for: attempt)
    }

    /// Counts a poor reading. The one that brings the hint forward asks what is due now.
    mutating func readPoorly(_ prompt: Prompt, _ attempt: Attempt, _ progress: Progress, at now: Instant) -> [Effect] {
        var attempt = attempt
        guard attempt.sensor?.countPoorReading() == true else {
            state = .prompting(prompt, attempt, progress)
            return []
        }
        return considerTime(during: prompt, attempt, progress, at: now)
    }
}

extension Failure {
    /// The kind of lockout. A system's code says only whether it ends by itself, or whether the passcode has to end it.
    package var kindOfLockout: Lockout {
        if let lockout { return lockout }
        return if case .wait = recovery { .temporary } else { .untilPasscode }
    }
}
