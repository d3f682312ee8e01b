public import Observation
public import ThumbturnCore
import ThumbturnMessages

/// The app's PIN screen: a `PINEntry` for `PINSupport`, with what to show. The digits leave it only as a `PIN`, and it
/// prints as its type's name, so they reach no log. They are dropped with each answer, and not overwritten in memory; see `PIN`.
@MainActor @Observable public final class PINEntryModel: PINEntry, Redacted {
    /// The purposes of the screen.
    public enum Purpose: Hashable, Sendable {
        /// The person enters their PIN.
        case enter
        /// The person chooses a new PIN.
        case choose
    }

    /// What the screen is for; nil while no PIN is asked for, and no screen is shown.
    public private(set) var purpose: Purpose?
    /// Why the person is asked, in the app's words. Empty where a PIN is chosen.
    public private(set) var reason = ""
    /// The message beside the reason.
    public private(set) var message = PersonMessage(.enterPIN)
    /// The text of the cancel button.
    public private(set) var cancelButton = PersonMessage(.cancel)
    /// How many digits are entered, which is the number of dots to show.
    public private(set) var digitCount = 0
    /// How many tries are left before the key is disabled; nil where no wrong PIN was entered.
    public private(set) var triesLeft: Int?
    /// The time until which no PIN is accepted, on the monotonic clock of the device; nil where there is no pause.
    public private(set) var pausedUntil: Instant?

    /// How many PINs this screen has refused, because they did not match or are easily guessed; a view may give haptic feedback when it
    /// grows.
    public private(set) var refusals = 0

    /// The least number of digits of a PIN.
    public static var shortest: Int { PIN.lengths.lowerBound }
    /// Whether no PIN is accepted now; `countDown()` ends the pause in time.
    public var isPaused: Bool { pausedUntil != nil }
    /// Whether the digits have the length of a PIN.
    public var canConfirm: Bool { PIN.lengths.contains(digitCount) && !isPaused }

    @ObservationIgnored private var digits = ""
    @ObservationIgnored private var answer: CheckedContinuation<PINAnswer, Never>?
    /// The number of the last question.
    @ObservationIgnored private var lastQuestion = 0
    private let clock: any DeviceClock

    /// Makes a screen that is not shown yet.
    public init(clock: any DeviceClock = SystemClock()) {
        self.clock = clock
    }

    public nonisolated var description: String { "PINEntryModel" }

    @MainActor public func enter(_ request: PINRequest) async -> PINAnswer {
        await ask(.enter) {
            reason = request.reason
            cancelButton = request.cancelButton.message.naming(request.sensor)
            message = .pinScreen(afterWrong: request.wrongInARow)
            triesLeft = request.wrongInARow > 0 ? max(PINLedger.limit - request.wrongInARow, 0) : nil
            if request.wrongInARow > 0 { refusals += 1 }
        }
    }

    @MainActor public func choose() async -> PINAnswer {
        await ask(.choose) {
            reason = ""
            cancelButton = PersonMessage(.cancel)
            message = PersonMessage(.choosePIN)
            triesLeft = nil
        }
    }

    /// Adds a typed digit; any other character is ignored.
    public func type(_ digit: Character) {
        guard purpose != nil, digitCount < PIN.lengths.upperBound, digit.isASCII, digit.isWholeNumber else { return }
        digits.append(digit)
        digitCount += 1
        judgeNewPIN()
    }

    /// Deletes the last digit.
    public func deleteLast() {
        guard !digits.isEmpty else { return }
        digits.removeLast()
        digitCount -= 1
        judgeNewPIN()
    }

    /// Says while a new PIN is typed that it is easily guessed; more digits may make it a good one.
    private func judgeNewPIN() {
        guard purpose == .choose else { return }
        message = PersonMessage(PIN(digits)?.isEasilyGuessed == true ? .pinEasilyGuessed : .choosePIN)
    }

    /// Confirms the PIN. A new PIN that is easily guessed is refused, and the screen stays.
    public func confirm() {
        guard let purpose, !isPaused, let pin = PIN(digits) else { return }
        if purpose == .choose, pin.isEasilyGuessed {
            message = PersonMessage(.pinEasilyGuessed)
            refusals += 1
            return clear()
        }
        finish(.entered(pin))
    }

    /// Cancels the entry, after the person pressed the cancel button.
    public func cancel() { finish(.failed(Failure(.cancelledByUser))) }

    /// Shows how the unlock failed, on a screen that stays: a pause is shown with its end.
    public func show(_ failure: Failure) {
        message = failure.message
        guard failure.code == .paused, case .wait(let time) = failure.recovery else { return }
        // On this screen it is the PIN that pauses; the failure does not name the rung.
        message = .pinPaused(for: time)
        pausedUntil = clock.now.advanced(by: time)
    }

    /// Counts a pause down in `message`, each second, until it ends or the task is cancelled. Without a pause it returns at once.
    public func countDown() async {
        guard let end = pausedUntil else { return }
        let isOver = await clock.countDown(until: end) { left in
            guard pausedUntil == end else { return false }
            message = .pinPaused(for: left)
            return true
        }
        guard isOver, pausedUntil == end else { return }
        pausedUntil = nil
        message = PersonMessage(.enterPIN)
    }

    private func ask(_ purpose: Purpose, showing words: () -> Void) async -> PINAnswer {
        // The screen asks for one PIN at a time, and its words stay as long as it does: a person who reads one question
        // must not answer another.
        guard self.purpose == nil, answer == nil else { return .failed(Failure(.superseded)) }
        words()
        self.purpose = purpose
        pausedUntil = nil
        lastQuestion += 1
        let question = lastQuestion
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer = continuation
                if Task.isCancelled { finish(.failed(Failure(.cancelledByApp))) }
            }
        } onCancel: {
            Task { @MainActor in
                // The cancellation may come after the answer, when the screen asks its next question.
                if question == lastQuestion { finish(.failed(Failure(.cancelledByApp))) }
            }
        }
    }

    private func finish(_ result: PINAnswer) {
        clear()
        purpose = nil
        answer?.resume(returning: result)
        answer = nil
    }

    private func clear() {
        digits = ""
        digitCount = 0
    }
}

extension PINEntryModel.Purpose: CustomStringConvertible {
    /// The purpose in words.
    public var description: String {
        switch self {
        case .enter: "enter"
        case .choose: "choose"
        }
    }
}
