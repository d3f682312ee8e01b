import Foundation
public import ThumbturnCore
public import ThumbturnDevice
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends requests through URLSession, without cookies, cache, stored credentials and redirects. It reads no more of an
/// answer than the request allows, and stops when its task is cancelled. It has no deadline of its own: the library cancels
/// each request at its deadline, and so must an app that calls it by itself.
///
/// On Linux URLSession is swift-corelibs-foundation's; what a hostile server can still do to that one is in the guide to
/// Linux devices. With the trait `LinuxDevice` there is `NIOTransport`, to which it can do none of that.
public struct URLSessionTransport: Transport {
    /// A week: URLSession ends every call then.
    private static let longestWait = Duration.seconds(7 * 24 * 3600)
    private static let receiver = Receiver()
    private static let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        // Each request has a limit of its own, and the smaller one of the two counts.
        configuration.timeoutIntervalForRequest = longestWait / .seconds(1) + 1
        #if canImport(FoundationNetworking)
        return URLSession(configuration: configuration, delegate: receiver, delegateQueue: InPlaceQueue())
        #else
        return URLSession(configuration: configuration, delegate: receiver, delegateQueue: nil)
        #endif
    }()

    /// Makes a transport. All transports share one URLSession.
    public init() {}

    public func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        guard let url = URL(string: request.url) else { throw Failure(.insecureServer) }
        var message = URLRequest(url: url)
        message.httpMethod = request.method
        for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
        if !request.body.isEmpty { message.httpBody = Data(request.body) }
        // How long the server may be silent, which URLSession limits in any case: no call fails before its deadline.
        message.timeoutInterval = min(max(request.deadline, .zero), Self.longestWait) / .seconds(1) + 1
        return try await PendingAnswer.wait(for: request) { [message] answer in
            Self.call { Self.start(answer, message) }
        }
    }

    private static func start(_ answer: PendingAnswer, _ message: URLRequest) {
        let task = session.dataTask(with: message)
        receiver.add(answer, for: task)
        answer.onStop { call { task.cancel() } }
        task.resume()
    }

    /// Calls URLSession. FoundationNetworking lets its callers wait for the session's queue, which a flood of data keeps
    /// busy, so there such a call has a thread of its own, which no task and no other queue needs.
    private static func call(_ work: @escaping @Sendable () -> Void) {
        #if canImport(FoundationNetworking)
        Thread.detachNewThread(work)
        #else
        work()
        #endif
    }
}
