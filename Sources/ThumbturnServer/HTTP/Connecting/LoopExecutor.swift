#if Server
import HummingbirdCore
import Logging
import NIOCore

/// A channel that runs the requests of a connection on the connection's own event loop.
///
/// Otherwise each request would change threads twice, which takes longer than judging it. Long work, such as a password
/// hash or a commit, has threads of its own and does not block the loop.
struct OnEventLoop<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        base.setup(channel: channel, logger: logger)
    }

    func handle(value: Base.Value, logger: Logger) async {
        await withTaskExecutorPreference(LoopExecutor(loop: value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}

private final class LoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(loop: any EventLoop) {
        self.loop = loop
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { [self] in unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
#endif
