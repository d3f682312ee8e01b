import Synchronization
import ThumbturnCore
import ThumbturnDevice

/// What the app has opened and not closed yet, by the numbers that it holds.
final class AppHandles: Sendable {
    /// One thing that was opened.
    enum Opened: Sendable {
        case device(AppDevice)
        case authenticator(Authenticator, AppNews)
        case vault(Vault, AppNews)
        /// A vault that is open, and what ends it.
        case secrets(LocalUnlock, end: @Sendable () -> Void)
    }

    private struct State {
        var opened: [Int64: (what: Opened, language: MessageLanguage)] = [:]
        var last: Int64 = 0
    }

    private let state = Mutex(State())

    /// Keeps what was opened, and returns its number, which is given once.
    ///
    /// - Parameters:
    ///   - opened: what was opened.
    ///   - language: the language of its texts, which is the app's when the phone was opened.
    func keep(_ opened: Opened, speaking language: MessageLanguage) -> Int64 {
        state.withLock { state in
            state.last += 1
            state.opened[state.last] = (opened, language)
            return state.last
        }
    }

    /// Forgets a number. An open vault ends; calls that are running go on.
    func close(_ number: Int64) {
        if case .secrets(_, let end)? = state.withLock({ $0.opened.removeValue(forKey: number)?.what }) { end() }
    }

    subscript(number: Int64) -> Opened? { state.withLock { $0.opened[number]?.what } }

    /// The language of what is open under a number; nil where nothing is.
    func language(of number: Int64) -> MessageLanguage? { state.withLock { $0.opened[number]?.language } }

    /// Whether something was open under a number, and was closed.
    func wasClosed(_ number: Int64) -> Bool {
        state.withLock { 1 <= number && number <= $0.last && $0.opened[number] == nil }
    }

    /// How many are open.
    var count: Int { state.withLock { $0.opened.count } }
}

/// The phone, as an app has opened it.
struct AppDevice: Sendable {
    /// What the app says about its prompts and screens.
    struct Look: Sendable {
        var title: String?
        var confirmsFaces: Bool
        var pinEntry: (any PINEntry)?
    }

    let platform: DevicePlatform
}

/// The news of one authenticator or vault, for each call that listens.
final class AppNews: Sendable {
    private let listeners = Mutex<[Int: AsyncStream<UnlockNews>.Continuation]>([:])

    /// Nothing tells news any more, so the calls that listen end.
    deinit {
        for listener in listeners.withLock({ Array($0.values) }) { listener.finish() }
    }

    func hear(_ news: UnlockNews) {
        for listener in listeners.withLock({ Array($0.values) }) { listener.yield(news) }
    }

    /// The news from now on, until the listener's task is cancelled.
    func stream() -> AsyncStream<UnlockNews> {
        let (stream, listener) = AsyncStream.makeStream(of: UnlockNews.self)
        let number = listeners.withLock { listeners in
            let number = (listeners.keys.max() ?? 0) + 1
            listeners[number] = listener
            return number
        }
        listener.onTermination = { [weak self] _ in _ = self?.listeners.withLock { $0.removeValue(forKey: number) } }
        return stream
    }
}
