public import ThumbturnCore
import ThumbturnMessages

/// The port to the app's first login, which an enrolment needs once.
public protocol PrimarySignIn: Sendable {
    /// Asks the person, or returns what they typed.
    func credentials() async throws(Failure) -> Credentials
}

/// What proves the person before any key does. It has no description, so it cannot reach a log.
public struct Credentials: Sendable, Redacted {
    /// Where it is sent.
    let path: String
    let body: [UInt8]

    /// Name and password of an account that the server keeps itself, and the code of an authenticator app where the account needs one.
    public static func password(_ password: String, for account: String, oneTimeCode: String? = nil) -> Credentials {
        let request = PasswordSignInRequest(account: account, password: password, oneTimeCode: oneTimeCode)
        return Credentials(path: "/v1/accounts/sign-in", body: Signing.encode(request))
    }

    /// A recovery code for what was lost: for the authenticator app where the account has one, and then the password is needed, too;
    /// else for the password. It is good once.
    public static func recoveryCode(_ code: String, for account: String, password: String? = nil) -> Credentials {
        let request = RecoveryRequest(account: account, code: code, password: password)
        return Credentials(path: "/v1/accounts/recover", body: Signing.encode(request))
    }
}

/// Name and password that the app has already asked for.
public struct PasswordSignIn: PrimarySignIn, Redacted {
    private let typed: Credentials

    /// What the person typed.
    public init(account: String, password: String, oneTimeCode: String? = nil) {
        typed = .password(password, for: account, oneTimeCode: oneTimeCode)
    }

    public func credentials() -> Credentials { typed }
}

/// A recovery code that the app has already asked for.
public struct RecoverySignIn: PrimarySignIn, Redacted {
    private let typed: Credentials

    /// What the person typed.
    public init(account: String, code: String, password: String? = nil) {
        typed = .recoveryCode(code, for: account, password: password)
    }

    public func credentials() -> Credentials { typed }
}
