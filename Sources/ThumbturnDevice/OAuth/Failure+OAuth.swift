package import ThumbturnCore

extension Failure {
    /// A parameter with which the provider and the app do not fit together.
    package static func provider(_ parameter: String, http status: Int = 0) -> Failure {
        Failure(.providerMismatch, status: .oauth(parameter, status))
    }

    /// A parameter that shows that an answer belongs to another sign-in, or comes from another provider.
    static func foreign(_ parameter: String) -> Failure { Failure(.foreignAnswer, status: .oauth(parameter, 0)) }

    /// A parameter that shows that the provider did not ask the person for this sign-in.
    static func stale(_ parameter: String) -> Failure {
        Failure(.refused, recovery: .signInAgain, status: .oauth(parameter, 0))
    }

    /// The failure for a provider's error (RFC 6749 sections 4.1.2.1 and 5.2, OpenID Connect Core section 3.1.2.6). Names
    /// that are not listed are not repeated, because they come from outside.
    init(oauth error: String, http status: Int = 0) {
        let (code, recovery) = Self.meanings[error] ?? (.providerMismatch, .report)
        let name = Self.meanings[error] != nil || Self.mistakes.contains(error) ? error : "error"
        self.init(code, recovery: recovery, status: .oauth(name, status))
    }

    /// What the person or time can mend.
    private static let meanings: [String: (Failure.Code, Recovery)] = [
        "access_denied": (.refused, .signInAgain),
        "login_required": (.refused, .signInAgain),
        "interaction_required": (.refused, .signInAgain),
        "consent_required": (.refused, .signInAgain),
        "account_selection_required": (.refused, .signInAgain),
        // The code was too old, or had been used.
        "invalid_grant": (.refused, .signInAgain),
        "server_error": (.unreachable, .wait(.seconds(5))),
        "temporarily_unavailable": (.unreachable, .wait(.seconds(5))),
    ]

    /// What only the app or its registration can mend.
    private static let mistakes: Set = [
        "invalid_request", "invalid_scope", "invalid_client", "unauthorized_client", "unsupported_response_type",
        "unsupported_grant_type", "invalid_request_uri", "invalid_request_object", "request_not_supported",
        "request_uri_not_supported", "registration_not_supported",
    ]
}

extension Failure.PlatformStatus {
    /// An error or a parameter of OAuth, with the status of HTTP; 0 where it came through the browser.
    fileprivate static func oauth(_ name: String, _ status: Int) -> Self { .init(domain: "OAuth \(name)", code: status) }
}
