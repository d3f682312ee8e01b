public import Foundation

// Names and raw values of AuthenticationServices on iOS 18, from Apple's documentation.

public let ASWebAuthenticationSessionErrorDomain: String = "com.apple.AuthenticationServices.WebAuthenticationSession"

public struct ASWebAuthenticationSessionError {
    public enum Code: Int, Sendable {
        case canceledLogin = 1
        case presentationContextNotProvided = 2
        case presentationContextInvalid = 3
    }

    public static let errorDomain = ASWebAuthenticationSessionErrorDomain
}

/// A window of the app: `UIWindow` and `NSWindow` on Apple's systems.
@MainActor public final class ASPresentationAnchor: Sendable {
    public init() {}
}

@MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
}

/// A session of the browser that belongs to the task that makes the session.
open class ASWebAuthenticationSession: NSObject {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    open class Callback: NSObject {
        let matches: (URL) -> Bool

        init(_ matches: @escaping (URL) -> Bool) { self.matches = matches }

        public class func customScheme(_ customScheme: String) -> Callback { Callback { $0.scheme == customScheme } }

        public class func https(host: String, path: String) -> Callback {
            Callback { $0.scheme == "https" && $0.host == host && $0.path.hasPrefix(path) }
        }

        open func matchesURL(_ url: URL) -> Bool { matches(url) }
    }

    private let url: URL
    private let callback: Callback
    private var completion: CompletionHandler?
    private let browser = StandInWeb.current

    public init(url URL: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {
        (url, self.callback, completion) = (URL, callback, completionHandler)
    }

    open weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    open var prefersEphemeralWebBrowserSession = false

    /// The system requires the main thread, and a provider of the window before the start.
    @discardableResult
    open func start() -> Bool {
        MainActor.preconditionIsolated("the session was started away from the main thread")
        // This is the main thread.
        nonisolated(unsafe) let (provider, session) = (presentationContextProvider, self)
        let anchor = MainActor.assumeIsolated { unsafe provider?.presentationAnchor(for: session) }
        browser.note(url, isEphemeral: prefersEphemeralWebBrowserSession)
        guard anchor != nil else {
            finish(nil, code: 2)
            return false
        }
        switch browser.next() {
        case .answer(let answer):
            // The system waits on for an address that does not match.
            guard let answer = answer(url), callback.matchesURL(answer) else { return true }
            finish(answer, code: nil)
        case .fault(let code): finish(nil, code: code)
        case .refuseToStart: return false
        case .wait: break
        }
        return true
    }

    /// The completion handler is not called afterwards, as far as is documented only the sheet goes.
    open func cancel() {
        MainActor.preconditionIsolated("the session was cancelled away from the main thread")
        browser.cancelled()
        completion = nil
    }

    private func finish(_ url: URL?, code: Int?) {
        let error = code.map { NSError(domain: ASWebAuthenticationSessionErrorDomain, code: $0) }
        let completion = completion
        self.completion = nil
        completion?(url, error)
    }
}
