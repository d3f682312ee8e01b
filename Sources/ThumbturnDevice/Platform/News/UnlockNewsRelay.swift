/// Carries the news of an authenticator or a vault to the screens that are shown. Make it first, and pass its `hear` as
/// the observer:
///
///     let news = UnlockNewsRelay()
///     let auth = try Authenticator(server: url, platform: platform, observe: news.hear)
///     let screen = UnlockScreen(reason: "Unlock Acme", news: news, platform: platform) { … }
public final class UnlockNewsRelay: Sendable {
    private let broadcaster = Broadcaster<UnlockNews>()

    /// Makes a broadcaster to which no screen listens yet.
    public init() {}

    /// Passes news to the screens that listen now, from any thread.
    public func hear(_ news: UnlockNews) { broadcaster.send(news) }

    func stream() -> AsyncStream<UnlockNews> { broadcaster.stream() }
}
