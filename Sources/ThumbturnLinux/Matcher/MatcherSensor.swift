#if LinuxDevice && os(Linux)
public import ThumbturnCore
public import ThumbturnDevice

/// The fingerprint reader of this machine, asked through `thumbturn-matcherd`: a match comes with the matcher's signature for one
/// use of one key over one message, which the TPM checks. The device itself is not believed.
public struct MatcherSensor: Sensor {
    private let keys: TPMKeys
    private let matcher: MatcherConnection

    /// - Parameters:
    ///   - socket: the path of the matcher's socket.
    ///   - keys: the keys that a match is for.
    public init(socket: String, keys: TPMKeys) {
        matcher = MatcherConnection(socket: socket)
        self.keys = keys
    }

    public func biometry() async -> BiometryState {
        let matcher = matcher
        return await onOwnThread { matcher.state() }
    }

    /// Always false: Linux has no passcode that a key could ask for.
    public func isPasscodeSet() -> Bool { false }

    public func prompt(
        _ request: PromptRequest, hearing: @escaping @Sendable (PoorReading) -> Void
    ) async -> PromptAnswer {
        guard request.rung == .biometric else { return .failed(Failure(.biometryUnavailable, recovery: .fallBack(.appPIN))) }
        guard let wish = Wish() else { return .failed(Failure(.platform)) }
        let wanted: MatchWish
        do throws(Failure) {
            wanted = MatchWish(request.key, key: try keys.publicArea(of: request.key), message: request.message)
        } catch {
            return .failed(error)
        }
        let matcher = matcher
        let outcome = await withTaskCancellationHandler {
            await onOwnThread { matcher.match(wanted, while: wish, hearing: hearing) }
        } onCancel: {
            wish.withdraw()
        }
        switch outcome {
        case .success(let match?): return .matched(Presence(context: match))
        case .success(nil): return .notMatched
        case .failure(let failure): return .failed(failure)
        }
    }
}
#endif
