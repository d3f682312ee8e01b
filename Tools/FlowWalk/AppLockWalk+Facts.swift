import ThumbturnCore

extension AppLockWalk {
    /// What a walk reckons from the events alone, to compare the lock with.
    struct Facts: Hashable {
        var run: Int?
        var runs = 0
        var sight: AppLock.Sight?
        /// Since when the app is neither in front nor under its own prompt.
        var awaySince: Int?
        /// When the app was in the back first since it was in front.
        var backSince: Int?
        /// Whether a live success was taken, and nothing has made it worthless since.
        var isOpen = false
        /// The ask that is under way, and that nothing has made worthless.
        var ask: AppLock.Ask?
        var asks = 0
        var isCovered = true
        /// Whether the app came to the screen and has not asked since.
        var isNewHere = true
        /// Whether the person has refused, or asked to lock, and has not unlocked or been asked since.
        var isRefused = false
    }

    /// What an event should bring.
    struct Demand {
        var voids = false
        var asks = false
        /// The ask whose answer does not count any more.
        var cancelled: AppLock.Ask?
        /// Whether the event is late, doubled, or about another run or ask.
        var isIgnored = false
    }
}

extension AppLockWalk.Facts {
    var isInFront: Bool { sight?.phase == .front }

    /// When the lock has to act without an event, in seconds; nil where it has nothing to wait for.
    func deadline(under numbers: AppLockWalk.Numbers) -> Int? {
        var ends: [Int] = []
        if isOpen || ask != nil { ends += absences(under: numbers) }
        if !isCovered, let awaySince { ends.append(awaySince + 1) }
        return ends.min()
    }

    /// When the absence is over, by each limit that runs now.
    private func absences(under numbers: AppLockWalk.Numbers) -> [Int] {
        var ends: [Int] = []
        if let awaySince { ends.append(awaySince + max(numbers.lockAfter, numbers.lockAfterInactive, 1)) }
        if let sight, sight.phase == .back, let backSince {
            ends.append(backSince + (sight.isPromptUp ? max(numbers.lockAfter, numbers.promptLimit) : numbers.lockAfter))
        }
        return ends
    }

    private func isAwayTooLong(at now: Int, under numbers: AppLockWalk.Numbers) -> Bool {
        absences(under: numbers).contains { $0 <= now }
    }

    mutating func take(_ event: AppLock.Event, at now: Int, under numbers: AppLockWalk.Numbers) -> AppLockWalk.Demand {
        var demand = AppLockWalk.Demand()
        pass(to: now, under: numbers, &demand)
        switch event {
        case .began(let new):
            (run, runs) = (new, new)
            loseSight(&demand)
        case .ended(let ended) where ended == run:
            run = nil
            loseSight(&demand)
        case .saw(let new, let seer) where seer == run && new != sight:
            see(new, at: now, &demand)
        case .tapped where isInFront && !isOpen && ask == nil:
            demand.asks = true
        case .lockNow, .dismissed:
            void(&demand)
            isRefused = true
        case .answered(let answered, let answer) where answered == ask:
            ask = nil
            isOpen = answer == .succeeded(isLive: true)
            isRefused = answer == .cancelled || answer == .succeeded(isLive: false)
            demand.asks = answer == .failed && isInFront && isNewHere
        case .proved(isLive: true)
        where !isOpen && sight != nil && sight?.phase != .back && !isAwayTooLong(at: now, under: numbers):
            demand.cancelled = ask
            (isOpen, ask, isRefused) = (true, nil, false)
        case .ended, .saw, .tapped, .answered, .proved: demand.isIgnored = true
        case .woke: break
        }
        pass(to: now, under: numbers, &demand)
        if demand.asks {
            asks += 1
            (ask, isNewHere, isRefused) = (AppLock.Ask(number: asks), false, false)
        }
        return demand
    }

    private mutating func see(_ new: AppLock.Sight, at now: Int, _ demand: inout AppLockWalk.Demand) {
        let wasInFront = isInFront
        sight = new
        if new.phase == .front || new.isPromptUp { awaySince = nil } else { awaySince = awaySince ?? now }
        switch new.phase {
        case .front:
            backSince = nil
            isCovered = false
            demand.asks = !isOpen && ask == nil && isNewHere && !isRefused
        case .inactive:
            if wasInFront, !new.isPromptUp { isCovered = true }
        case .back:
            backSince = backSince ?? now
            isCovered = true
            isNewHere = true
            if !new.isPromptUp, !isOpen { void(&demand) }
        }
    }

    /// What the time alone brings.
    private mutating func pass(to now: Int, under numbers: AppLockWalk.Numbers, _ demand: inout AppLockWalk.Demand) {
        if let awaySince, awaySince + 1 <= now { isCovered = true }
        guard isOpen || ask != nil, isAwayTooLong(at: now, under: numbers) else { return }
        isNewHere = true
        void(&demand)
    }

    private mutating func loseSight(_ demand: inout AppLockWalk.Demand) {
        (sight, awaySince, backSince, isCovered, isNewHere) = (nil, nil, nil, true, true)
        void(&demand)
    }

    private mutating func void(_ demand: inout AppLockWalk.Demand) {
        demand.voids = true
        demand.cancelled = ask ?? demand.cancelled
        (isOpen, ask) = (false, nil)
    }
}
