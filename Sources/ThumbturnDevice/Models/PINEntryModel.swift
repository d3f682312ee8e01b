public import Observation
public import ThumbturnCore
import ThumbturnMessages

/// The app's PIN screen: a `PINEntry` for `PINSupport`, with what to show. The digits never leave it but as a PIN, and it has no
/// description, so they reach no log.
@MainActor @Observable public final class PINEntryModel: PINEntry, Redacted {
    /// What the screen is for.
    public enum Purpose: Hashable, Sendable {
        case enter
        case choose
    }

    /// Nil while no PIN is asked for, and no screen is shown.
    public private(set) var purpose: Purpose?
    /// The app's words: why the person is asked. Empty where a PIN is chosen.
    public private(set) var reason = ""
    /// What is said beside it.
    public private(set) var message = PersonMessage(.enterPIN)
    /// What the cancel button says.
    public private(set) var cancelButton = PersonMessage(.cancel)
    /// How many digits are entered: so many dots.
    public private(set) var digitCount = 0
    /// How many wrong PINs are left before the key ends; nil where there was none.
    public private(set) var triesLeft: Int?
    /// No PIN is taken until then, on the clock of the device; nil where there is no pause.
    public private(set) var pausedUntil: Instant?

    /// Whether the digits can be a PIN.
    public var canConfirm: Bool { Self.lengths.contains(digitCount) }

    @ObservationIgnored private var digits = ""
    @ObservationIgnored private var answer: CheckedContinuation<PINAnswer, Never>?
    private let clock: any DeviceClock
    private static let lengths = 6...32

    /// A screen that is not shown yet.
    public init(clock: any DeviceClock = SystemClock()) {
        self.clock = clock
    }

    public nonisolated var description: String { "PINEntryModel" }

    @MainActor public func enter(_ request: PINRequest) async -> PINAnswer {
        reason = request.reason
        cancelButton = request.cancelButton.message
        message = .pinScreen(afterWrong: request.wrongInARow)
        triesLeft = request.wrongInARow > 0 ? max(PINLedger.limit - request.wrongInARow, 0) : nil
        return await ask(.enter)
    }

    @MainActor public func choose() async -> PINAnswer {
        reason = ""
        cancelButton = PersonMessage(.cancel)
        message = PersonMessage(.choosePIN)
        triesLeft = nil
        return await ask(.choose)
    }

    /// A digit is typed; anything else is not taken.
    public func type(_ digit: Character) {
        guard purpose != nil, digitCount < Self.lengths.upperBound, digit.isASCII, digit.isWholeNumber else { return }
        digits.append(digit)
        digitCount += 1
    }

    /// The last digit goes.
    public func deleteLast() {
        guard !digits.isEmpty else { return }
        digits.removeLast()
        digitCount -= 1
    }

    /// The PIN is complete. One that is easily guessed is not taken when it is chosen, and the screen stays.
    public func confirm() {
        guard let purpose, let pin = PIN(digits) else { return }
        if purpose == .choose, pin.isEasilyGuessed {
            message = PersonMessage(.pinEasilyGuessed)
            return clear()
        }
        finish(.entered(pin))
    }

    /// The person presses the cancel button.
    public func cancel() { finish(.failed(Failure(.cancelledByUser))) }

    /// How the unlock ended, for a screen that stays there: a pause is shown with its end.
    public func show(_ failure: Failure) {
        message = failure.message
        guard failure.code == .paused, case .wait(let time) = failure.recovery else { return }
        // Here it is the PIN that pauses; a failure alone does not say which rung.
        message = .pinPaused(for: time)
        pausedUntil = clock.now.advanced(by: time)
    }

    private func ask(_ purpose: Purpose) async -> PINAnswer {
        // One screen asks one thing at a time.
        guard answer == nil else { return .failed(Failure(.superseded)) }
        self.purpose = purpose
        pausedUntil = nil
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer = continuation
                if Task.isCancelled { finish(.failed(Failure(.cancelledByApp))) }
            }
        } onCancel: {
            Task { @MainActor in finish(.failed(Failure(.cancelledByApp))) }
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
