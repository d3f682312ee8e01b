public import ThumbturnCore
import ThumbturnMessages

/// The port to the app's own login: the full sign-in.
public protocol PrimarySignIn: Sendable {
    /// Asks the person for their credentials, or returns those that they have typed. Cancelling the task dismisses the
    /// screen, and the call returns when it is gone.
    func credentials(for request: SignInRequest) async throws(Failure) -> Credentials
}

/// A request for a full sign-in: what it is for, and how fresh it has to be.
public struct SignInRequest: Sendable, CustomStringConvertible {
    /// The purpose of a full sign-in.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Purpose: String, Hashable, Sendable, CaseIterable, CustomStringConvertible {
        /// A session, beside an enrollment or without one.
        case signIn = "sign-in"
        /// The registration of this device.
        case enrolment
        /// A new PIN in place of a forgotten one.
        case newPIN = "new-pin"
        /// A new biometric key, or the return of biometrics that were turned off.
        case newBiometricKey = "new-biometric-key"

        /// The name of the purpose.
        public var description: String { rawValue }
    }

    /// Why the person is asked, in the app's words.
    public var reason: String
    /// The SHA-256 thumbprint (RFC 7638) in base64url of the session key that the credentials will serve, and no other
    /// one. A provider that issues ID tokens takes it as the `nonce`, alone or followed by a period and text that no other
    /// sign-in has: some providers refuse a nonce that they have seen.
    public var keyThumbprint: String
    /// What the sign-in is for.
    public var purpose: Purpose
    /// The time by the server's clock before which an authentication at a provider does not count: the person has to be
    /// asked again, because a session that the provider keeps in the browser belongs to anyone who holds the device. Nil for
    /// the first sign-in on a device, for which such a session is enough.
    ///
    /// A sign-in that always asks the person, as for a password, need not look at it.
    public var freshSince: UnixTime?

    /// Makes a request. Apps need it only in tests.
    public init(reason: String, keyThumbprint: String, purpose: Purpose, freshSince: UnixTime?) {
        self.reason = reason
        self.keyThumbprint = keyThumbprint
        self.purpose = purpose
        self.freshSince = freshSince
    }

    init(reason: String, key: PublicKey, purpose: Purpose, freshSince: UnixTime?) {
        self.init(
            reason: reason, keyThumbprint: Signing.thumbprint(of: key), purpose: purpose, freshSince: freshSince)
    }

    /// The type, without the reason: that of a payment names an amount and a payee.
    public var description: String { "full sign-in" }
}

/// The credentials of a full sign-in, which need no key. They print as their type's name, so they cannot reach a log.
public struct Credentials: Sendable, Redacted {
    /// The path that they are sent to.
    let path: String
    let body: ServerConnection.Body
    /// Whether the server wants to know when the sign-in began: only a token that another party issued can be older.
    fileprivate var needsBeginning = false
    /// Reads the ticket in the server's answer.
    let ticket: @Sendable ([UInt8]) -> EnrolmentTicket?

    /// The body to send, with the proof of the time at which the sign-in began.
    ///
    /// - Parameter challenge: the challenge that the server made for the same session key before the person was asked.
    func body(startedBy challenge: CheckedChallenge) -> ServerConnection.Body {
        guard needsBeginning, case .form(let fields) = body else { return body }
        return .form(fields + [(TokenExchange.challengeField, challenge.text)])
    }

    /// Credentials that the app's back end judges at a path of its own, such as a code by text message. The server has
    /// to answer with a ticket for the session key that sends them: a back end gets one from `POST /v1/tickets`.
    ///
    /// - Parameters:
    ///   - body: the JSON to send.
    ///   - path: the path on the authenticator's own server, beginning with a slash. Any other throws `insecureServer`
    ///     from the call that sends them.
    public static func json(_ body: [UInt8], to path: String) -> Credentials {
        Credentials(path: path, body: .json(body)) { bytes in
            try? StrictJSON.decodeIgnoringUnknown(EnrolmentTicket.self, from: bytes)
        }
    }

    /// An ID token of the app's own OpenID provider, which the server exchanges for a ticket (RFC 8693). Its `nonce` has
    /// to be the `keyThumbprint` of the ``SignInRequest`` that it answers, or to begin with it and a period. Where the request
    /// has a `freshSince`, its `auth_time` must not be before it: otherwise the server accepts it for no change of keys.
    public static func idToken(_ token: String) -> Credentials {
        let form = [
            ("grant_type", TokenExchange.grantType), ("subject_token", token),
            ("subject_token_type", TokenExchange.idTokenType), ("requested_token_type", TokenExchange.ticketType),
        ]
        return Credentials(path: "/v1/token", body: .form(form), needsBeginning: true) { bytes in
            try? StrictJSON.decodeIgnoringUnknown(ExchangedTicket.self, from: bytes).ticket
        }
    }

    /// Name and password of an account that the server keeps itself, and the code of an authenticator app where the
    /// account needs one.
    public static func password(_ password: String, for account: String, oneTimeCode: String? = nil) -> Credentials {
        let request = PasswordSignInRequest(account: account, password: password, oneTimeCode: oneTimeCode)
        return .json(Signing.encode(request), to: "/v1/accounts/sign-in")
    }

    /// A recovery code, which is accepted once. Where the account has an authenticator app, the code replaces that, and
    /// the password is needed as well; otherwise it replaces the password.
    public static func recoveryCode(_ code: String, for account: String, password: String? = nil) -> Credentials {
        let request = RecoveryRequest(account: account, code: code, password: password)
        return .json(Signing.encode(request), to: "/v1/accounts/recover")
    }
}

/// A sign-in with a name and a password that the app has already asked for.
public struct PasswordSignIn: PrimarySignIn, Redacted {
    private let typed: Credentials

    /// Makes a sign-in of what the person typed.
    public init(account: String, password: String, oneTimeCode: String? = nil) {
        typed = .password(password, for: account, oneTimeCode: oneTimeCode)
    }

    public func credentials(for request: SignInRequest) -> Credentials { typed }
}

/// A sign-in with a recovery code that the app has already asked for.
public struct RecoverySignIn: PrimarySignIn, Redacted {
    private let typed: Credentials

    /// Makes a sign-in of what the person typed.
    public init(account: String, code: String, password: String? = nil) {
        typed = .recoveryCode(code, for: account, password: password)
    }

    public func credentials(for request: SignInRequest) -> Credentials { typed }
}
