public import ThumbturnCore

/// `POST /v1/password`: sets the password of the caller's account, with the token of a step-up for the action
/// `change-password`. The former password is not part of it.
public struct PasswordChangeRequest: Message, Redacted {
    package enum CodingKeys: String, CodingKey, CaseIterable { case password }

    /// The new password as typed.
    public var password: String

    /// A request for this password.
    public init(password: String) {
        self.password = password
    }
}
