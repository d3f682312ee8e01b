import Synchronization
import ThumbturnCore

/// An ask that is under way.
struct RunningAsk: Sendable {
    let id: Int
    let request: UnlockRequest
    /// Its place in the order of asks and voids, from when its first caller came.
    var tick: Tick { place.value }
    let prompts: PromptCoordinator
    /// What the person chooses beside its prompts.
    let choices = PromptChoices()
    private let hadScreen = Flag()
    private let place: Place

    init(id: Int, request: UnlockRequest, tick: Tick, prompts: PromptCoordinator) {
        self.id = id
        self.request = request
        place = Place(tick)
        self.prompts = prompts
    }

    /// Gives it a later place, because it was itself the reason for a void.
    func restart(at tick: Tick) { place.value = tick }

    /// Waits for the screen. An ask that is back from the network comes before those that were not asked yet.
    func screen(on platform: DevicePlatform) async throws(Failure) -> ScreenHold {
        let hold = try await prompts.screen(isBack: hadScreen.isSet, on: platform)
        hadScreen.set()
        return hold
    }

    /// Lets no later caller join: the person has answered.
    func noteAnswer() { prompts.noteAnswer(to: id) }

    /// Whether its success would still be worth something.
    var isLive: Bool { prompts.isLive(tick, of: request.asker) }

    /// Throws `cancelledByApp` where its callers have left, or where it was voided since it began. Comes before anything
    /// is kept for it.
    func check() throws(Failure) {
        guard !Task.isCancelled, isLive else { throw Failure(.cancelledByApp) }
    }

    /// Checks it before something is sent for it that nothing calls back: the server may have it from now on.
    func beginSending() throws(Failure) {
        try check()
        prompts.noteSending(of: id)
    }

    /// This ask as an act of the person.
    ///
    /// - Parameters:
    ///   - mark: the mark of the place when the ask began.
    ///   - read: reads the mark of now.
    func act(
        on mark: PlaceMark, reading read: @escaping @Sendable () async throws(Failure) -> PlaceMark
    ) -> PersonAct {
        PersonAct(request.asker, at: tick, in: prompts, on: mark, reading: read)
    }

    /// The success of this ask, by a rung's key.
    ///
    /// - Parameters:
    ///   - mark: the mark of the place when the ask began.
    ///   - read: reads the mark of now.
    func answered(
        by rung: Rung, at moment: Moment, on mark: PlaceMark,
        reading read: @escaping @Sendable () async throws(Failure) -> PlaceMark
    ) -> AnsweredAsk {
        AnsweredAsk(
            rung: rung, act: act(on: mark, reading: read), isShared: prompts.isShared(id), at: moment)
    }
}

/// What the person chooses beside the prompts of one ask. A choice that comes before the first flow listens waits for it.
final class PromptChoices: Sendable {
    private let state: Mutex<(first: AsyncStream<PromptChoice>?, choose: AsyncStream<PromptChoice>.Continuation)>

    init() {
        let (first, choose) = AsyncStream.makeStream(of: PromptChoice.self)
        state = Mutex((first, choose))
    }

    func send(_ choice: PromptChoice) { _ = state.withLock { $0.choose.yield(choice) } }

    /// The choices for the flow that runs from here on.
    func stream() -> AsyncStream<PromptChoice> {
        state.withLock { state in
            if let first = state.first {
                state.first = nil
                return first
            }
            let (stream, choose) = AsyncStream.makeStream(of: PromptChoice.self)
            state.choose = choose
            return stream
        }
    }
}

/// Something that happens once.
private final class Flag: Sendable {
    private let value = Mutex(false)

    var isSet: Bool { value.withLock { $0 } }
    func set() { value.withLock { $0 = true } }
}

/// The place of an ask in the order of asks and voids.
private final class Place: Sendable {
    private let tick: Mutex<Tick>

    init(_ tick: Tick) { self.tick = Mutex(tick) }

    var value: Tick {
        get { tick.withLock { $0 } }
        set { tick.withLock { $0 = newValue } }
    }
}
