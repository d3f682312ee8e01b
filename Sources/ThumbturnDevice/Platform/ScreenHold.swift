import Synchronization

/// The screen in the hands of one flow. It is given on when the flow has given it up and each of its prompts is gone, so that
/// two prompts are never up at once.
final class ScreenHold: Sendable {
    private let users = Mutex(1)
    private let giveOn: @Sendable () -> Void

    init(_ giveOn: @escaping @Sendable () -> Void) {
        self.giveOn = giveOn
    }

    /// Counts one more user, such as a prompt. Each of them releases the hold once.
    func retain() { users.withLock { $0 += 1 } }

    func release() {
        let isFree = users.withLock { users in
            precondition(users > 0, "each user of the screen releases it once")
            users -= 1
            return users == 0
        }
        if isFree { giveOn() }
    }
}

/// The screen as a run has it: taken, or not.
final class TakenScreen: Sendable {
    private let hold = Mutex<ScreenHold?>(nil)

    var isTaken: Bool { hold.withLock { $0 != nil } }

    func take(_ screen: ScreenHold) { hold.withLock { $0 = screen } }

    /// Lets a prompt keep the screen until it is gone.
    func keptByPrompt() -> ScreenHold {
        hold.withLock { hold in
            guard let hold else { preconditionFailure("a prompt is shown only by the flow that has the screen") }
            hold.retain()
            return hold
        }
    }

    /// Gives the screen up; without effect where it is not taken.
    func giveUp() {
        let given = hold.withLock { hold in
            defer { hold = nil }
            return hold
        }
        given?.release()
    }
}
