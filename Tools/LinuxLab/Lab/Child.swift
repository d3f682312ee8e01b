#if os(Linux)
import Foundation
import Glibc
import Synchronization

/// A program that the lab started.
///
/// Foundation's `Process` leaves a descriptor open in its child and needs a run loop; neither suits a daemon that is
/// killed and restarted at will. A thread waits for each child, so no signal is sent to an id after the kernel has
/// given it to another process.
final class Child: Sendable {
    /// How a program ended: its exit status, or the signal that ended it.
    enum End: Hashable, Sendable {
        case exited(Int32)
        case signalled(Int32)
    }

    /// Where a program's output goes. A log takes standard error as well; with a pipe, standard error goes to a log of
    /// its own.
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

    /// Starts `command` (an absolute path and its arguments) with exactly this environment, in a process group of its
    /// own.
    ///
    /// The watchdog hears of the child before its end is awaited, and hears of its end before its id can be reused.
    init(
        _ command: [String], environment: [String: String], input: Int32? = nil, output: Output, watchdog: Watchdog? = nil,
        ended: @escaping @Sendable () -> Void = {}
    ) throws {
        name = String(command[0].split(separator: "/").last ?? "")
        id = try Spawn.start(command, environment: environment, input: input, output: output)
        life = Mutex(.running([]))
        // The thread keeps this object until the program ends, so that it is always reaped.
        watchdog?.watch(id)
        Thread.detachNewThread { [self, weak watchdog] in
            awaitExit()
            watchdog?.forget(id)
            reap()
            ended()
        }
    }

    var isRunning: Bool {
        life.withLock { if case .running = $0 { true } else { false } }
    }

    /// Waits until the program ends.
    func end() async -> End {
        await withCheckedContinuation { waiter in
            let ended: End? = life.withLock {
                switch $0 {
                case .running(let waiters):
                    $0 = .running(waiters + [waiter])
                    return nil
                case .ended(let end):
                    return end
                }
            }
            if let ended { waiter.resume(returning: ended) }
        }
    }

    /// Sends a signal if the program still runs.
    func signal(_ number: Int32) {
        // The id is reaped under the same lock, so it cannot belong to another process here.
        life.withLock { if case .running = $0 { _ = Glibc.kill(id, number) } }
    }

    /// Kills the program and waits for its end.
    func kill() async {
        signal(SIGKILL)
        _ = await end()
    }

    /// Waits for the end without reaping, so the id is not reused yet.
    private func awaitExit() {
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
