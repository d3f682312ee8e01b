#if Server
package import ThumbturnCore

/// An account that signs in with a password.
package struct Account: Sendable {
    package var id: AccountID
    package var name: String
    /// The hash in libsodium's text format, which contains the parameters.
    package var passwordHash: String
    /// The sealed secret of one-time codes; nil if sign-ins demand none.
    package var oneTimeSecret: [UInt8]? = nil
    /// A number that grows with each change of the password or the one-time codes, and whenever the account is switched
    /// off. What was judged under a lower number is void.
    package var credentialGeneration: Int64 = 0

    package init(id: AccountID, name: String, passwordHash: String) {
        self.id = id
        self.name = name
        self.passwordHash = passwordHash
    }
}

/// The state of an account, for the operator.
package struct AccountState: Sendable {
    package var createdAt: UnixTime
    /// When the account was switched off; nil if it is on.
    package var disabledAt: UnixTime?
    /// Whether sign-ins with the password demand a one-time code.
    package var hasOneTimeCodes: Bool
    /// The number of unused recovery codes.
    package var recoveryCodes: Int
    /// The consecutive wrong sign-ins by strangers.
    package var wrongSignIns: Int
    /// The end of the pause that follows them; nil if there is none now.
    package var pausedUntil: UnixTime?
}
#endif
