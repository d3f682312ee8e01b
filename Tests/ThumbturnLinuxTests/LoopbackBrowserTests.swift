#if LinuxDevice && os(Linux)
import Foundation
import NIOCore
import NIOPosix
import Synchronization
import TestSupport
import Testing
import ThumbturnCore
import ThumbturnDevice
import ThumbturnTestKit
@testable import ThumbturnLinux

/// The listener on 127.0.0.1 that gets a provider's answer. Requests are bytes on real sockets of this machine.
@Suite(.timeLimit(.minutes(2))) struct LoopbackBrowserTests {
    /// Signs in through the listener. The page's address goes to the test, which plays the browser.
    private func signIn(
        _ redirect: SignInRedirect = .loopback(path: "/signed-in"), _ play: @escaping @Sendable (Page) async throws -> Void
    ) async throws -> Failure? {
        let (clock, server) = (VirtualClock(), InMemoryServer(clock: SystemClock()))
        let provider = SimulatedProvider(clock: clock, passing: server)
        let problem = Mutex<(any Error)?>(nil)
        let browser = LoopbackBrowser { (url) async throws(Failure) in
            do { try await play(Page(url, provider)) } catch {
                problem.withLock { $0 = error }
                throw Failure(.platform)
            }
        }
        let platform = SimulatedPhone(.plain).platform(transport: provider)
        let signIn = try OAuthSignIn(
            issuer: provider.issuer, clientID: provider.clientID, redirect: redirect, browser: browser, platform: platform)
        let request = SignInRequest(reason: "Sign in", keyThumbprint: "thumbprint", purpose: .signIn, freshSince: nil)
        let failed = await failure { _ = try await signIn.credentials(for: request) }
        if let problem = problem.withLock({ $0 }) { throw problem }
        return failed
    }

    /// The page of a sign-in, and what a browser does with it.
    struct Page: Sendable {
        let port: Int
        /// The path and the query of the provider's answer.
        let answer: String

        init(_ url: URL, _ provider: SimulatedProvider) throws {
            let answer = provider.answer(to: url)
            let parts = try #require(URLComponents(url: answer, resolvingAgainstBaseURL: true))
            #expect(parts.host == "127.0.0.1")
            port = try #require(parts.port)
            self.answer = "\(parts.percentEncodedPath)?\(parts.percentEncodedQuery ?? "")"
        }

        /// Sends bytes, and returns what comes until the end.
        func send(_ text: String) async throws -> String {
            let (pieces, mailbox) = AsyncStream.makeStream(of: String.self)
            let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Reader(mailbox)) }
                }
                .connect(host: "127.0.0.1", port: port).get()
            try? await channel.writeAndFlush(ByteBuffer(string: text)).get()
            // The sign-in's end cancels what shows its page, and a browser reads on.
            return await Task {
                var all = ""
                for await piece in pieces { all += piece }
                return all
            }.value
        }

        func get(_ target: String, method: String = "GET") async throws -> String {
            try await send("\(method) \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\n\r\n")
        }
    }

    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let mailbox: AsyncStream<String>.Continuation
        init(_ mailbox: AsyncStream<String>.Continuation) { self.mailbox = mailbox }
        func channelRead(context: ChannelHandlerContext, data: NIOAny) { mailbox.yield(String(buffer: unwrapInboundIn(data))) }
        func channelInactive(context: ChannelHandlerContext) { mailbox.finish() }
        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
    }

    @Test func theAnswerEndsItWithAPageThatLoadsNothing() async throws {
        let port = Mutex(0)
        let failed = try await signIn { page in
            port.withLock { $0 = page.port }
            let reply = try await page.get(page.answer)
            #expect(reply.hasPrefix("HTTP/1.1 200 OK\r\n") && reply.contains("Go back to the app"))
            #expect(reply.contains("Content-Security-Policy: default-src 'none'\r\n") && reply.contains("no-store"))
            #expect(reply.contains("Referrer-Policy: no-referrer") && !reply.contains("http:") && !reply.contains("code"))
        }
        #expect(failed == nil)
        let closed = port.withLock { $0 }
        await #expect(throws: (any Error).self, "the port is closed") {
            _ = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connect(host: "127.0.0.1", port: closed)
                .get()
        }
    }

    @Test func otherRequestsDoNotEndIt() async throws {
        let failed = try await signIn { page in
            for (request, status) in [
                ("GET /favicon.ico HTTP/1.1\r\n\r\n", "404"), ("GET / HTTP/1.1\r\n\r\n", "404"),
                ("GET /signed-in HTTP/1.1\r\n\r\n", "400"), ("GET /signed-in?code=1&state=wrong HTTP/1.1\r\n\r\n", "400"),
                ("GET \(page.answer)&state=again HTTP/1.1\r\n\r\n", "400"),
                ("POST \(page.answer) HTTP/1.1\r\nContent-Length: 0\r\n\r\n", "405"),
                ("HEAD \(page.answer) HTTP/1.1\r\n\r\n", "405"),
                ("GET http://127.0.0.1\(page.answer) HTTP/1.1\r\n\r\n", "400"), ("GET\r\n\r\n", "400"), ("\r\n\r\n", "400"),
                ("GET \(page.answer) FTP/1.1\r\n\r\n", "400"),
                ("GET \(page.answer) HTTP/1.1\r\nX: \(String(repeating: "x", count: 20_000))", "400"),
            ] {
                let reply = try await page.send(request)
                #expect(reply.hasPrefix("HTTP/1.1 \(status) "), "\(request.prefix(60))")
            }
            _ = try await page.get(page.answer)
        }
        #expect(failed == nil)
    }

    @Test func silentConnectionsHoldNothingUp() async throws {
        let failed = try await signIn { page in
            var silent: [any Channel] = []
            for _ in 1...30 {
                silent.append(
                    try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                        .connect(host: "127.0.0.1", port: page.port).get())
            }
            for channel in silent { try? await channel.close().get() }
            // As soon as the listener has seen that they are closed.
            var reply = ""
            while reply.isEmpty { reply = try await page.get(page.answer) }
            #expect(reply.hasPrefix("HTTP/1.1 200 "))
        }
        #expect(failed == nil)
    }

    @Test func aCancelledSignInClosesThePort() async throws {
        let (shown, mailbox) = AsyncStream.makeStream(of: Page.self)
        let signingIn = Task { try await signIn { mailbox.yield($0) } }
        var pages = shown.makeAsyncIterator()
        let page = try #require(await pages.next())
        signingIn.cancel()
        #expect(try await signingIn.value?.code == .cancelledByApp)
        await #expect(throws: (any Error).self) { _ = try await page.get(page.answer) }
    }

    @Test func aPageThatCannotBeShownEndsIt() async throws {
        let (clock, platform) = (VirtualClock(), SimulatedPhone(.plain))
        let provider = SimulatedProvider(clock: clock, passing: InMemoryServer(clock: clock))
        let browser = LoopbackBrowser { (_) async throws(Failure) in throw Failure(.platform) }
        let signIn = try OAuthSignIn(
            issuer: provider.issuer, clientID: provider.clientID, redirect: .loopback(path: "/"), browser: browser,
            platform: platform.platform(transport: provider))
        let request = SignInRequest(reason: "", keyThumbprint: "", purpose: .signIn, freshSince: nil)
        await expectFailure(.platform) { _ = try await signIn.credentials(for: request) }
    }

    @Test func onlyTheLoopbackIsListenedOn() async throws {
        let failed = try await signIn(.privateUse(scheme: "com.example.app", path: "/")) { _ in }
        #expect(failed?.code == .providerMismatch)
    }
}
#endif
