#if os(Linux)
import Foundation
import Glibc
import Synchronization

/// A program that the lab started: its process id, its end, and a way to end it.
///
/// Foundation's `Process` leaves a descriptor open in what it starts and a run loop to watch it; a daemon that is killed and restarted
/// at will wants neither. A thread waits for each child, so an id is never signalled after it was given to somebody else.
final class Child: Sendable {
    /// How it ended: its exit status, or the signal that ended it.
    enum End: Hashable, Sendable {
        case exited(Int32)
        case signalled(Int32)
    }

    /// Where its output goes. Errors go with it, unless the output is a pipe: then they go to the log.
    enum Output: Sendable {
        case log(String)
        case pipe(Int32, errors: String)
    }

    let id: pid_t
    let name: String
    private let life: Mutex<Life>

    private enum Life {
        case running([CheckedContinuation<End, Never>])
        case ended(End)
    }

    /// Starts `command` (an absolute path and its arguments) with exactly this environment, in a process group of its own.
    ///
    /// The keeper is told of the child before anybody waits for it, and told that it ended before its id is free for others.
    init(
        _ command: [String], environment: [String: String], input: Int32? = nil, output: Output, keeper: Keeper? = nil,
        ended: @escaping @Sendable () -> Void = {}
    ) throws {
        name = String(command[0].split(separator: "/").last ?? "")
        id = try Spawn.start(command, environment: environment, input: input, output: output)
        life = Mutex(.running([]))
        // The thread holds the child until it ends, so a child outlives its last reference rather than becoming a zombie.
        keeper?.watch(id)
        Thread.detachNewThread { [self, weak keeper] in
            waitUntilOver()
            keeper?.forget(id)
            reap()
            ended()
        }
    }

    var isRunning: Bool {
        life.withLock { if case .running = $0 { true } else { false } }
    }

    /// Waits for the end.
    func end() async -> End {
        await withCheckedContinuation { waiter in
            let over: End? = life.withLock {
                switch $0 {
                case .running(let waiters):
                    $0 = .running(waiters + [waiter])
                    return nil
                case .ended(let end):
                    return end
                }
            }
            if let over { waiter.resume(returning: over) }
        }
    }

    /// Sends a signal, if the child still runs.
    func signal(_ number: Int32) {
        // Under the lock: the id is reaped under the same lock, so it cannot be somebody else's meanwhile.
        life.withLock { if case .running = $0 { _ = Glibc.kill(id, number) } }
    }

    /// SIGKILL, and waits until it is gone.
    func kill() async {
        signal(SIGKILL)
        _ = await end()
    }

    /// Only looks: the id stays taken.
    private func waitUntilOver() {
        var info = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(id), &info, WEXITED | WNOWAIT) != 0 && errno == EINTR {}
    }

    private func reap() {
        let (end, waiters) = life.withLock { life -> (End, [CheckedContinuation<End, Never>]) in
            var status: Int32 = 0
            while unsafe waitpid(id, &status, 0) < 0 && errno == EINTR {}
            let number = status & 0x7F
            let end: End = number == 0 ? .exited((status >> 8) & 0xFF) : .signalled(number)
            guard case .running(let waiters) = life else { return (end, []) }
            life = .ended(end)
            return (end, waiters)
        }
        for waiter in waiters { waiter.resume(returning: end) }
    }
}
#endif
