#if canImport(AuthenticationServices)
public import AuthenticationServices
public import Foundation
public import ThumbturnCore
public import ThumbturnDevice

/// The sheet of the system in which a person signs in at the app's own provider: an `ASWebAuthenticationSession`.
///
/// By default the sheet has none of the browser's cookies, so that a person who is still signed in there does not count as
/// present: the provider asks the person each time, also on a device that another person has taken.
///
/// The redirect is `https` or `privateUse`. For `https` the host has to be one of the app's associated domains
/// (`webcredentials`). A private-use scheme needs no entry in `Info.plist`.
public struct AppleSignInBrowser: SignInBrowser {
    private let sharesBrowserSession: Bool
    private let window: @MainActor @Sendable () -> ASPresentationAnchor

    /// Makes a browser.
    ///
    /// - Parameters:
    ///   - sharesBrowserSession: whether the sheet has the cookies of the browser. A person who is signed in there already may
    ///     then not be asked by the provider, and the system asks whether the app may use that.
    ///   - window: the window over which the sheet is shown.
    public init(
        sharesBrowserSession: Bool = false, over window: @escaping @MainActor @Sendable () -> ASPresentationAnchor
    ) {
        self.sharesBrowserSession = sharesBrowserSession
        self.window = window
    }

    public func open(_ page: SignInPage) async throws(Failure) -> URL {
        let callback: ASWebAuthenticationSession.Callback
        switch page.redirect {
        case .https(let host, let path): callback = .https(host: host, path: path)
        // For `com.example.app://…` the scheme is all that the system compares, too.
        case .privateUse(let scheme, _): callback = .customScheme(scheme)
        case .loopback: throw Failure(.providerMismatch)
        }
        let sheet = await SignInSheet(window)
        return try await sheet.show(page.url(), until: callback, isPrivate: !sharesBrowserSession)
    }
}

/// One session and its window. The system calls for both on the main thread.
@MainActor private final class SignInSheet: NSObject, ASWebAuthenticationPresentationContextProviding {
    private let window: @MainActor @Sendable () -> ASPresentationAnchor

    init(_ window: @escaping @MainActor @Sendable () -> ASPresentationAnchor) { self.window = window }

    func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { window() }

    func show(
        _ url: URL, until callback: sending ASWebAuthenticationSession.Callback, isPrivate: Bool
    ) async throws(Failure) -> URL {
        let (ends, mailbox) = AsyncStream.makeStream(of: Result<URL, Failure>.self)
        // `@Sendable`, because the system does not say on which thread it calls: a closure of the main actor would end
        // the app on another one.
        let session = ASWebAuthenticationSession(url: url, callback: callback) { @Sendable (answer, error) in
            mailbox.yield(answer.map { .success($0) } ?? .failure(AppleStatus(error).signInFailure))
        }
        session.presentationContextProvider = self
        session.prefersEphemeralWebBrowserSession = isPrivate
        // The completion handler may have been called with a reason; then that one counts.
        if !session.start() { mailbox.yield(.failure(Failure(.cancelledBySystem))) }
        for await end in ends { return try end.get() }
        // The stream is never finished, so its end is the cancellation of the caller.
        session.cancel()
        throw Failure(.cancelledByApp)
    }
}

extension AppleStatus {
    /// The meaning of an error of a session (`ASWebAuthenticationSessionError`).
    fileprivate var signInFailure: Failure {
        switch (domain == ASWebAuthenticationSessionErrorDomain, code) {
        // canceledLogin: the person closed the sheet, or did not let the app use the browser.
        case (true, 1): Failure(.cancelledByUser, status: status)
        // presentationContextNotProvided, presentationContextInvalid: there is no window to show it over, as after the
        // app went to the background.
        case (true, 2), (true, 3): Failure(.cancelledBySystem, status: status)
        default: Failure(.platform, recovery: .retry, status: status)
        }
    }
}
#endif
