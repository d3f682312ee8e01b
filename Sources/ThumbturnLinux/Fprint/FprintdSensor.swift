#if LinuxDevice && os(Linux)
public import ThumbturnCore
public import ThumbturnDevice

/// The fingerprint reader of this machine, asked through fprintd.
///
/// A match is this process's word and no more: it is for software keys, in development. Keys in a TPM want a match that the TPM can
/// check; that is ``MatcherSensor``.
public struct FprintdSensor: Sensor {
    private let reader: FprintReader

    /// - Parameters:
    ///   - bus: the address of the bus; nil for the system's.
    ///   - user: whose fingers count; nil for the user who runs this process.
    public init(bus: String? = nil, user: String? = nil) {
        reader = FprintReader(bus: bus, user: user ?? "")
    }

    public func biometry() async -> BiometryState {
        await onOwnThread { reader.state() }
    }

    /// Always false: Linux has no passcode that a key could ask for.
    public func isPasscodeSet() -> Bool { false }

    public func prompt(
        _ request: PromptRequest, hearing: @escaping @Sendable (PoorReading) -> Void
    ) async -> PromptAnswer {
        guard request.rung == .biometric else { return .failed(Failure(.biometryUnavailable, recovery: .fallBack(.appPIN))) }
        guard let wish = Wish() else { return .failed(Failure(.platform)) }
        let reader = reader
        let outcome = await withTaskCancellationHandler {
            await onOwnThread {
                let deadline = ContinuousClock.now + .seconds(300)
                return reader.verify(while: wish.watched, until: { deadline }, hearing: hearing)
            }
        } onCancel: {
            wish.withdraw()
        }
        switch outcome {
        case .matched: return .matched(Presence(context: FprintdPresence()))
        case .notMatched: return .notMatched
        case .failed(let failure): return .failed(failure)
        }
    }
}

/// Proves nothing; software keys ask for some presence, so that code which forgets the prompt fails.
private struct FprintdPresence: Sendable {}
#endif
