public import ThumbturnCore
#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The port to the browser in which a person signs in at the app's own provider. It is the system's browser and no view
/// of the app, which could read what the person types (RFC 8252 section 8.12).
public protocol SignInBrowser: Sendable {
    /// Shows the page, and returns the address to which the provider sent the browser afterwards, with its query.
    ///
    /// Throws `cancelledByUser` where the person closes the page, and `cancelledByApp` where the task is cancelled, once
    /// the page and everything that listens for its answer is gone.
    func open(_ page: SignInPage) async throws(Failure) -> URL
}

/// Where the provider sends the browser after a sign-in: one of the three kinds of RFC 8252 section 7.
public enum SignInRedirect: Hashable, Sendable {
    /// An https address that the system hands to this app alone (section 7.2).
    case https(host: String, path: String)
    /// A scheme of the app, such as `com.example.app` (section 7.1); the address is the scheme, a colon and the path.
    case privateUse(scheme: String, path: String)
    /// A path on 127.0.0.1, with a port that is chosen at run time (section 7.3).
    case loopback(path: String)

    /// The address. For the loopback it needs the port that is listened on.
    func uri(port: Int?) -> String {
        switch self {
        case .https(let host, let path): "https://\(host)\(path)"
        case .privateUse(let scheme, let path): "\(scheme):\(path)"
        case .loopback(let path): "http://127.0.0.1:\(port ?? 0)\(path)"
        }
    }

    /// Whether it is an address that a provider takes and that no other app can have by accident: an absolute path, and
    /// a scheme with the reverse name of a domain.
    var isUsable: Bool {
        guard let parts = URLComponents(string: uri(port: 1)), parts.query == nil, parts.fragment == nil else { return false }
        switch self {
        case .https(let host, let path): return !host.isEmpty && parts.host == host && path.hasPrefix("/")
        case .privateUse(let scheme, let path):
            return parts.scheme == scheme && scheme == scheme.lowercased() && scheme.contains(".") && path.hasPrefix("/")
        case .loopback(let path): return parts.port == 1 && path.hasPrefix("/")
        }
    }
}

extension SignInRedirect: CustomStringConvertible {
    /// The address, without the port that is not known yet.
    public var description: String {
        switch self {
        case .https, .privateUse: uri(port: nil)
        case .loopback(let path): "http://127.0.0.1\(path)"
        }
    }
}

/// The provider's page of one sign-in. Its address holds the sign-in's state, so it prints as its type's name.
public struct SignInPage: Sendable, Redacted {
    /// Where the provider sends the browser afterwards.
    public let redirect: SignInRedirect
    let endpoint: URLComponents
    let parameters: [(String, String)]
    let state: String

    /// The page's address.
    ///
    /// - Parameter port: the port that is listened on for a redirect to the loopback; nil for the other kinds.
    public func url(listeningOn port: Int? = nil) -> URL {
        var parts = endpoint
        let added = FormText.encode(parameters + [("redirect_uri", redirect.uri(port: port))])
        parts.percentEncodedQuery = parts.percentEncodedQuery.map { "\($0)&\(added)" } ?? added
        guard let url = parts.url else { preconditionFailure("an address stays one when fields are added to its query") }
        return url
    }

    /// Whether an address is this sign-in's redirect with this sign-in's state. A browser that is sent to another one
    /// waits on where it can.
    public func isAnswered(by answer: URL) -> Bool { redirectURI(of: answer) != nil && fields(of: answer)?["state"] == state }

    /// The redirect's address, where this is an address of it; nil for others.
    package func redirectURI(of answer: URL) -> String? {
        guard let parts = URLComponents(url: answer, resolvingAgainstBaseURL: true) else { return nil }
        let uri = redirect.uri(port: parts.port)
        let address = answer.absoluteString.prefix { $0 != "?" && $0 != "#" }
        // Browsers add the slash of an empty path.
        return address == uri || address == uri + "/" ? uri : nil
    }

    func fields(of answer: URL) -> [String: String]? {
        FormText.decode(URLComponents(url: answer, resolvingAgainstBaseURL: true)?.percentEncodedQuery ?? "")
    }
}
