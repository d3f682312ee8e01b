import Synchronization
public import ThumbturnCore
public import ThumbturnDevice

/// An app's screen for its full sign-in, on which a simulated person types name and password.
///
/// `next` instructs the person; without instructions they give the right password at once.
public final class SimulatedSignIn: PrimarySignIn {
    /// What happens at the next sign-in.
    public enum Act: Sendable, Hashable {
        /// The person gives the right password.
        case give
        /// The person mistypes the password.
        case mistype
        /// The person cancels.
        case cancel
        /// The person does nothing until the screen is dismissed.
        case ignore
    }

    private struct State {
        var acts: [(Act, after: Duration)] = []
        var requests: [SignInRequest] = []
    }

    private let account: String
    private let password: String
    private let clock: any DeviceClock
    private let state = Mutex(State())

    /// A screen of an account with its right password, in the time of a clock.
    public init(account: String, password: String, clock: any DeviceClock) {
        self.account = account
        self.password = password
        self.clock = clock
    }

    /// What the screen was asked for so far.
    public var requests: [SignInRequest] { state.withLock { $0.requests } }

    /// Instructs the person at the next sign-ins, in order.
    ///
    /// - Parameters:
    ///   - acts: one for each sign-in.
    ///   - after: how long each act takes.
    public func next(_ acts: Act..., after: Duration = .zero) {
        state.withLock { $0.acts += acts.map { ($0, after) } }
    }

    /// Takes back the instructions that no sign-in has used.
    public func forgetActs() { state.withLock { $0.acts = [] } }

    public func credentials(for request: SignInRequest) async throws(Failure) -> Credentials {
        let (act, after) = state.withLock { state in
            state.requests.append(request)
            return state.acts.isEmpty ? (.give, .zero) : state.acts.removeFirst()
        }
        // A person who does nothing is here longer than any test.
        let time = act == .ignore ? Duration.seconds(86_400) : after
        do {
            try await clock.sleep(until: clock.now.advanced(by: time))
        } catch {
            throw Failure(.cancelledByApp)
        }
        switch act {
        case .give: return .password(password, for: account)
        case .mistype: return .password(password + "x", for: account)
        case .cancel, .ignore: throw Failure(.cancelledByUser)
        }
    }
}
