import Testing
@testable import ThumbturnDevice

@Suite struct BroadcasterTests {
    @Test func everyListenerHearsTheLatestValueAndEachLaterOne() async {
        let broadcaster = Broadcaster(1)
        var listeners = (1...2).map { _ in broadcaster.stream().makeAsyncIterator() }
        for value in 1...3 {
            for index in listeners.indices { #expect(await listeners[index].next(isolation: nil) == value) }
            broadcaster.send(value + 1)
        }
    }

    /// The end of a listener and the sending of a value each hold a lock that the other one once waited for.
    @Test func listenersMayEndWhileValuesAreSent() async {
        let broadcaster = Broadcaster(0)
        let sender = Task.detached { for value in 1...20_000 where !Task.isCancelled { broadcaster.send(value) } }
        for _ in 1...1_000 {
            let listener = Task.detached { for await _ in broadcaster.stream() {} }
            await Task.yield()
            listener.cancel()
            await listener.value
        }
        sender.cancel()
        await sender.value
    }
}
