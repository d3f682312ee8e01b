import ThumbturnCore

/// The words and buttons beside an unlock's prompts, from what the device can do now: which ways there are, by name.
///
/// This is the only place that chooses them; `UnlockScreen` and `AppLockModel` show what it says.
struct UnlockWays: Sendable {
    typealias Button = UnlockScreen.Button

    /// What the device could do when it was last asked; nil where it was not, as for a screen without `readiness`.
    var readiness: Readiness?
    /// The rung that is asked, or will be.
    var rung: Rung

    /// A text with the sensor's name, as far as it is known.
    func named(_ text: PersonMessage) -> PersonMessage { text.naming(readiness?.sensor) }

    /// Before the first prompt: the first way, and the next one by name.
    var beforeThePrompt: [Button] {
        [Button(action: .ask, words: named(rung.button))] + besideThePrompt
    }

    /// Beside a prompt: the next way.
    var besideThePrompt: [Button] { next.map { [$0] } ?? [] }

    /// After a failure: the step that helps, and every other way by name.
    func after(_ failure: Failure) -> [Button] {
        let step: Button? =
            switch failure.recovery {
            // A pause ends by itself, and then the same button works.
            case .retry, .wait: Button(action: .ask, words: PersonMessage(.tryAgain))
            case .fallBack(let rung) where readiness?.usableRungs.contains(rung) == true: way(to: rung)
            case .fallBack(.devicePasscode) where readiness?.liftsLockout == true:
                Button(action: .askAt(.devicePasscode), words: Rung.devicePasscode.button)
            // Where the full sign-in is a rung of the unlock, the unlock asks for it itself.
            case .signInAgain where readiness?.canSignIn == true: way(to: .fullCredentials)
            case .fallBack, .reEnrol, .openSettings, .setPasscode, .signInAgain, .report:
                failure.recovery.button.map { Button(action: .recover(failure.recovery), words: named($0)) }
            }
        let asksAgain = step?.action == .ask
        let ways = (readiness?.usableRungs ?? []).dropFirst(asksAgain ? 1 : 0).map(way)
        var buttons = step.map { [$0] } ?? []
        for way in ways where !buttons.contains(where: { $0.words == way.words }) { buttons.append(way) }
        return buttons
    }

    /// Why the ladder has left a rung: a lockout, a pause, a face that was removed; nil where there is nothing to say.
    func cause(ofLeaving rung: Rung) -> PersonMessage? {
        guard let readiness, let obstacle = readiness.obstacle(to: rung) else { return nil }
        // A rung that this person never set up was not left.
        if obstacle.code == .notEnrolled, readiness.isEnrolled { return nil }
        // The sensor or the PIN rests, and the person need not wait for it.
        if case .wait(let time) = obstacle.recovery {
            return rung == .appPIN ? .pinPaused(for: time) : .sensorRests(for: time)
        }
        return named(obstacle.message)
    }

    /// The rung after the one of now; nil where there is none.
    var nextRung: Rung? {
        guard let readiness else { return nil }
        return readiness.ladder.drop { $0 != rung }.dropFirst().first(where: readiness.isUsable)
    }

    private var next: Button? { nextRung.map { Button(action: .anotherWay, words: named($0.button)) } }

    /// The button that begins with a rung. Where the full sign-in is no rung of the unlock the app shows it itself.
    private func way(to rung: Rung) -> Button {
        let isRung = rung != .fullCredentials || readiness?.canSignIn == true
        return Button(action: isRung ? .askAt(rung) : .recover(.signInAgain), words: named(rung.button))
    }
}
