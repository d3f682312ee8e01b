public import ThumbturnCore

/// The port to the app's first login, which an enrolment needs once.
public protocol PrimarySignIn: Sendable {
    /// Asks the person, or returns what they typed.
    func credentials() async throws(Failure) -> Credentials
}

/// What proves the person before any key does. It has no description, so it cannot reach a log.
public struct Credentials: Sendable, Redacted {
    let account: String
    let password: String

    /// Name and password of an account that the server keeps itself.
    public static func password(_ password: String, for account: String) -> Credentials {
        Credentials(account: account, password: password)
    }
}

/// Name and password that the app has already asked for.
public struct PasswordSignIn: PrimarySignIn, Redacted {
    private let typed: Credentials

    /// What the person typed.
    public init(account: String, password: String) {
        typed = .password(password, for: account)
    }

    public func credentials() -> Credentials { typed }
}
