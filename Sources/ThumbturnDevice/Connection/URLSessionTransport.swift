public import ThumbturnCore
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends requests through URLSession, without cookies, cache and redirects.
public struct URLSessionTransport: Transport {
    private static let session: URLSession = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.timeoutIntervalForRequest = 15
        return URLSession(configuration: configuration, delegate: RefusingRedirects(), delegateQueue: nil)
    }()

    /// Makes a transport. All transports share one URLSession.
    public init() {}

    public func send(_ request: TransportRequest) async throws(Failure) -> TransportResponse {
        guard let url = URL(string: request.url) else { throw Failure(.insecureServer) }
        var message = URLRequest(url: url)
        message.httpMethod = request.method
        for (name, value) in request.headers { message.setValue(value, forHTTPHeaderField: name) }
        if !request.body.isEmpty { message.httpBody = Data(request.body) }
        let data: Data
        let answer: URLResponse
        do {
            (data, answer) = try await Self.session.data(for: message)
        } catch {
            if Task.isCancelled { throw Failure(.cancelledByApp) }
            let error = error as NSError
            throw Failure(
                .unreachable, recovery: .retry, status: .init(domain: error.domain, code: error.code)
            )
        }
        guard let answer = answer as? HTTPURLResponse else { throw Failure(.unexpectedAnswer) }
        var headers: [String: String] = [:]
        for case (let name as String, let value as String) in answer.allHeaderFields { headers[name.lowercased()] = value }
        return TransportResponse(status: answer.statusCode, headers: headers, body: Array(data))
    }

    private final class RefusingRedirects: NSObject, URLSessionTaskDelegate {
        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }
    }
}
