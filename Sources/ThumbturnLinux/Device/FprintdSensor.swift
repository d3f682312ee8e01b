#if LinuxDevice && os(Linux)
public import ThumbturnCore
public import ThumbturnDevice
import ThumbturnMatcher

/// The fingerprint reader of this machine, asked through fprintd.
///
/// A match is only a claim of this process, so this sensor is for software keys in development. Keys in a TPM need a
/// match that the TPM can check: use ``MatcherSensor``.
public struct FprintdSensor: Sensor {
    private let reader: FprintReader

    /// Creates a sensor that asks fprintd.
    ///
    /// - Parameters:
    ///   - bus: the address of the bus; nil for the system bus.
    ///   - user: the user whose enrolled fingers are matched; nil for the user who runs this process.
    public init(bus: String? = nil, user: String? = nil) {
        reader = FprintReader(bus: bus, user: user ?? "")
    }

    /// The state of the reader and of this user's enrolled fingers, read without prompting.
    public func biometry() async -> BiometryState {
        await onOwnThread { reader.state() }
    }

    /// Always false: Linux has no passcode that a key could ask for.
    public func isPasscodeSet() -> Bool { false }

    /// True: fprintd answers `VerifyStart` once the reader waits for a finger.
    public var tellsAppearance: Bool { true }

    /// Asks for a finger. Cancelling the task cancels the verification; without a finger it ends after 300 s.
    public func prompt(
        _ request: PromptRequest, hearing: @escaping @Sendable (PromptNews) -> Void
    ) async -> PromptAnswer {
        guard request.rung == .biometric else { return .failed(Failure(.biometryUnavailable, recovery: .fallBack(.appPIN))) }
        guard let cancellation = CancellationPipe() else { return .failed(Failure(.platform)) }
        let reader = reader
        let outcome = await withTaskCancellationHandler {
            await onOwnThread {
                let deadline = ContinuousClock.now + .seconds(300)
                return reader.verify(cancellation: cancellation.descriptor, deadline: { deadline }, hearing: hearing)
            }
        } onCancel: {
            cancellation.cancel()
        }
        switch outcome {
        case .matched: return .matched(Presence(context: FprintdPresence()))
        case .notMatched: return .notMatched
        case .failed(let failure): return .failed(failure)
        }
    }
}

/// Proves nothing. Software keys require a presence so that code which forgets the prompt fails.
private struct FprintdPresence: Sendable {}
#endif
