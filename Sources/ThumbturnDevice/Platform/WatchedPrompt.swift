import ThumbturnCore

/// Runs a `PromptWatch`.
///
/// The platform's call is not a child task of the caller, because the caller must not hang on a platform that never
/// answers: it has an answer in bounded time, and a later answer of the platform is dropped.
struct WatchedPrompt: Sendable {
    private let platform: DevicePlatform
    private let earliest: Instant
    private let show: @Sendable () async -> PromptAnswer

    init(on platform: DevicePlatform, notBefore earliest: Instant, show: @escaping @Sendable () async -> PromptAnswer) {
        self.platform = platform
        self.earliest = earliest
        self.show = show
    }

    /// Waits until a prompt may be shown, and shows none.
    static func mayBeShown(on platform: DevicePlatform, notBefore earliest: Instant) async throws(Failure) {
        let nothing = WatchedPrompt(on: platform, notBefore: earliest) {
            .failed(Failure(.cancelledByApp))
        }
        _ = await nothing.answer { _ in }
        guard !Task.isCancelled else { throw Failure(.cancelledByApp) }
    }

    /// Shows the prompt and returns its answer. Cancelling the task dismisses the prompt and waits for its end, within
    /// bounds.
    ///
    /// - Parameter changed: called when the prompt is up and when it is gone; not called for a prompt that was never
    ///   shown.
    func answer(_ changed: @escaping @Sendable (_ isUp: Bool) -> Void) async -> PromptAnswer {
        let (events, mailbox) = AsyncStream.makeStream(of: Heard.self)
        let watch = Task(executorPreference: platform.clock.executor) { await run(events, mailbox, changed) }
        return await withTaskCancellationHandler {
            await watch.value
        } onCancel: {
            mailbox.yield(.event(.cancelled))
        }
    }

    private enum Heard: Sendable {
        case event(PromptWatch.Event)
        case answer(PromptAnswer)
    }

    private func run(
        _ events: AsyncStream<Heard>, _ mailbox: AsyncStream<Heard>.Continuation, _ changed: @Sendable (Bool) -> Void
    ) async -> PromptAnswer {
        var watch = PromptWatch(notBefore: earliest)
        var prompt: Task<Void, Never>?
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { for await phase in platform.phases.phases() { mailbox.yield(.event(.phase(phase))) } }
            defer {
                group.cancelAll()
                if prompt != nil { changed(false) }
            }
            for await heard in events {
                let (event, answer): (PromptWatch.Event, PromptAnswer?) =
                    switch heard {
                    case .event(let event): (event, nil)
                    case .answer(let answer): (.answered, answer)
                    }
                for effect in watch.handle(event, at: platform.clock.now) {
                    switch effect {
                    case .show:
                        changed(true)
                        prompt = Task(executorPreference: platform.clock.executor) { mailbox.yield(.answer(await show())) }
                    case .wake(let time):
                        group.addTask {
                            guard (try? await platform.clock.sleep(until: time)) != nil else { return }
                            mailbox.yield(.event(.woke))
                        }
                    case .dismiss: prompt?.cancel()
                    case .deliver:
                        guard let answer else { preconditionFailure("only an answer is delivered") }
                        return answer
                    case .fail(let failure): return .failed(failure)
                    }
                }
            }
            preconditionFailure("this stream is never finished, and this task is never cancelled")
        }
    }
}
