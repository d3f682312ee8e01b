#if LinuxDevice && os(Linux)
public import ThumbturnCore
public import ThumbturnDevice
import ThumbturnMatcher

/// The fingerprint reader of this machine, asked through `thumbturn-matcherd`. A match comes with the matcher's
/// signature for one use of one key over one message, which the TPM checks, so the device process itself is not
/// trusted.
public struct MatcherSensor: Sensor {
    private let keys: TPMKeys
    private let matcher: MatcherConnection

    /// Creates a sensor that asks the matcher at a socket.
    ///
    /// - Parameters:
    ///   - socket: the path of the matcher's socket.
    ///   - keys: the keys that the matches are for.
    public init(socket: String, keys: TPMKeys) {
        matcher = MatcherConnection(socket: socket)
        self.keys = keys
    }

    /// The state of the reader and of this user's enrolled fingers, read without prompting.
    public func biometry() async -> BiometryState {
        let matcher = matcher
        return await onOwnThread { matcher.state().biometry }
    }

    /// The thumbprint (RFC 7638) of the matcher's key, by which a server's evidence policy names the matchers that it trusts.
    /// Throws what `TPMKeys.create` throws for a biometric key.
    public func matcherThumbprint() async throws(Failure) -> String {
        let matcher = matcher
        let identity = await onOwnThread { () -> Result<MatcherIdentity, Failure> in
            do throws(Failure) { return .success(try matcher.identity()) } catch { return .failure(error) }
        }
        return Signing.thumbprint(of: try identity.get().key)
    }

    /// Always false: Linux has no passcode that a key could ask for.
    public func isPasscodeSet() -> Bool { false }

    /// Asks for a finger to sign the request's message with the request's key. Cancelling the task cancels the
    /// verification.
    public func prompt(
        _ request: PromptRequest, hearing: @escaping @Sendable (PromptNews) -> Void
    ) async -> PromptAnswer {
        guard request.rung == .biometric else { return .failed(Failure(.biometryUnavailable, recovery: .fallBack(.appPIN))) }
        guard let cancellation = CancellationPipe() else { return .failed(Failure(.platform)) }
        let matchRequest: MatchRequest
        do throws(Failure) {
            matchRequest = MatchRequest(request.key, key: try keys.publicArea(of: request.key), message: request.message)
        } catch {
            return .failed(error)
        }
        let matcher = matcher
        let outcome = await withTaskCancellationHandler {
            await onOwnThread { matcher.match(matchRequest, cancellation: cancellation, hearing: hearing) }
        } onCancel: {
            cancellation.cancel()
        }
        switch outcome {
        case .success(let match?): return .matched(Presence(context: match))
        case .success(nil): return .notMatched
        case .failure(let failure): return .failed(failure)
        }
    }
}
#endif
