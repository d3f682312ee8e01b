import Foundation
import Synchronization
import ThumbturnCore
import ThumbturnDevice
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

#if canImport(FoundationNetworking)
/// Runs the delegate's calls where they are made. FoundationNetworking adds each piece of data to the queue without
/// waiting, so a queue of its own thread would keep all that a fast server sends.
final class InPlaceQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}
#endif

/// Hands what arrives in the session to the answers that wait for it.
final class Receiver: NSObject, URLSessionDataDelegate {
    private let answers = Mutex<[Int: PendingAnswer]>([:])

    func add(_ answer: PendingAnswer, for task: URLSessionTask) {
        answers.withLock { $0[task.taskIdentifier] = answer }
    }

    private func answer(of task: URLSessionTask) -> PendingAnswer? {
        answers.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse {
            answer(of: dataTask)?.received(
                status: response.statusCode, headers: response.lowercasedHeaders, length: response.expectedContentLength
            )
        }
        // An answer that ended here cancels the task itself.
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard let answer = answer(of: dataTask) else { return }
        answer.received(data)
        #if canImport(FoundationNetworking)
        if answer.isFlooded { slowDown() }
        #endif
    }

    #if canImport(FoundationNetworking)
    /// Makes a flood wait that goes on after its answer has ended. FoundationNetworking cancels the task only when the
    /// flood pauses, and until then each piece costs memory that it does not give back. This thread is the session's.
    private func slowDown() { Thread.sleep(forTimeInterval: 0.01) }
    #endif

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let answer = answers.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        if let error = error as NSError? {
            answer.failed(.init(domain: error.domain, code: error.code))
        } else {
            answer.completed()
        }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    /// No credentials are given to a server that asks for them in HTTP's own way; its answer counts. TLS is judged by
    /// the system.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
        // It asks when the answer is complete, for HTTP's own ways only, and takes every refusal as a cancellation.
        answer(of: task)?.completed()
        Thread.detachNewThread { completionHandler(.cancelAuthenticationChallenge, nil) }
        #else
        let isHTTP = [
            NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest, NSURLAuthenticationMethodNTLM,
            NSURLAuthenticationMethodNegotiate,
        ].contains(challenge.protectionSpace.authenticationMethod)
        completionHandler(isHTTP ? .rejectProtectionSpace : .performDefaultHandling, nil)
        #endif
    }
}
