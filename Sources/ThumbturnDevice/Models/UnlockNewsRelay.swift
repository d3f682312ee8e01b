/// Carries the news of an authenticator or a vault to the screens that are there. Make it first, and give its `hear` to them as their
/// observer:
///
///     let news = UnlockNewsRelay()
///     let auth = try Authenticator(server: url, platform: platform, observe: news.hear)
///     let screen = UnlockScreen(reason: "Unlock Acme", news: news) { … }
public final class UnlockNewsRelay: Sendable {
    private let relay = Broadcaster<UnlockNews>()

    /// A relay to which no screen listens yet.
    public init() {}

    /// Takes news, from any thread. Where no screen listens, nobody hears it.
    public func hear(_ news: UnlockNews) { relay.send(news) }

    func stream() -> AsyncStream<UnlockNews> { relay.stream() }
}
