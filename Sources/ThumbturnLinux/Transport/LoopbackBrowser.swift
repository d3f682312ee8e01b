#if LinuxDevice && os(Linux)
public import Foundation
import NIOCore
import NIOPosix
public import ThumbturnCore
public import ThumbturnDevice

/// The system's browser, whose answer comes back to a listener on 127.0.0.1 (RFC 8252 section 7.3). The redirect has to be
/// a `loopback`.
///
/// The page opens in the browser that the person uses, with its cookies: the desktop has no call for a private window. A
/// person who is signed in there already is asked again only because `OAuthSignIn` demands it, and the provider's
/// `auth_time` shows that it did.
///
/// The listener has a port that the system chooses, takes the one request that is this sign-in's answer, and is closed
/// when the call returns. Other requests get a page that says so, and the sign-in waits on.
public struct LoopbackBrowser: SignInBrowser {
    private let show: @Sendable (URL) async throws(Failure) -> Void

    /// Makes a browser that shows pages with `xdg-open`.
    public init() { show = { (url) async throws(Failure) in try await Self.openWithDesktop(url) } }

    /// Makes a browser that an app shows by itself.
    ///
    /// - Parameter show: shows the page at this address. What it throws ends the sign-in.
    public init(showing show: @escaping @Sendable (URL) async throws(Failure) -> Void) { self.show = show }

    public func open(_ page: SignInPage) async throws(Failure) -> URL {
        guard case .loopback = page.redirect else { throw .provider("redirect_uri") }
        let listener = try await LoopbackListener.start(for: page)
        let (address, answers, show) = (page.url(listeningOn: listener.port), listener.answers, show)
        let outcome = await withTaskGroup(of: Result<URL, Failure>?.self) { group in
            group.addTask {
                for await answer in answers { return .success(answer) }
                // The stream is never finished, so its end is the cancellation of the caller.
                return .failure(Failure(.cancelledByApp))
            }
            group.addTask {
                do throws(Failure) {
                    try await show(address)
                    return nil
                } catch {
                    return .failure(error)
                }
            }
            defer { group.cancelAll() }
            for await outcome in group { if let outcome { return outcome } }
            return .failure(Failure(.cancelledByApp))
        }
        await listener.close()
        return try outcome.get()
    }

    /// Asks the desktop for its browser. `xdg-open` may go on while the browser runs, so its end is waited for only to learn
    /// that it found none.
    package static func openWithDesktop(_ url: URL) async throws(Failure) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // Foundation's threads block most signals, and a browser that inherits that could not be ended. `env` of GNU
        // unblocks them.
        process.arguments = ["--default-signal", "xdg-open", url.absoluteString]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { end.yield($0.terminationStatus) }
        do { try process.run() } catch { throw Failure(.platform, status: .init(domain: "xdg-open", code: -1)) }
        for await status in ends {
            guard status == 0 else { throw Failure(.platform, status: .init(domain: "xdg-open", code: Int(status))) }
            return
        }
    }
}
#endif
