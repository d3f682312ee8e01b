import ThumbturnCore

/// The person for whom keys are made, from when they began. Several asks and the network lie in between, and a void stops
/// only asks: so whether the person was dismissed is checked at each step.
struct KeyMaker: Sendable {
    private let asker: String
    private let prompts: PromptCoordinator
    private let began: Tick
    /// Since when a lock or an absence counts, too.
    private var present: Tick
    /// The count of the sensor's switch at the beginning.
    let dismissals: Int

    /// - Parameter dismissals: the count of the sensor's switch now.
    init(_ asker: String, on prompts: PromptCoordinator, dismissals: Int) {
        self.asker = asker
        self.prompts = prompts
        self.dismissals = dismissals
        began = prompts.tick()
        present = began
    }

    /// Notes that the person has just given their credentials. They may have left the app for that.
    mutating func gaveCredentials() { present = prompts.tick() }

    /// Throws `cancelledByApp` where the person was dismissed or has left since.
    func check() throws(Failure) {
        guard !prompts.wasDismissed(began, of: asker), prompts.isLive(present, of: asker) else {
            throw Failure(.cancelledByApp)
        }
    }
}

extension Authenticator {
    /// The person who begins to make keys now.
    func keyMaker() async throws(Failure) -> KeyMaker {
        KeyMaker(asker, on: platform.prompts, dismissals: try await sensorSwitch.read().dismissals)
    }

    /// Throws `cancelledByApp` where the person was dismissed or has left since they began. Another process that switches
    /// the sensor off voids nothing here.
    func check(_ maker: KeyMaker) async throws(Failure) {
        guard try await sensorSwitch.read().dismissals == maker.dismissals else { throw Failure(.cancelledByApp) }
        try maker.check()
    }
}
