#if Server
import ThumbturnCore

/// The part of the store that keeps the embedded accounts and their factors beside the password.
package protocol AccountStore: Sendable {
    /// False if the name is taken.
    func addAccount(_ account: Account) async throws -> Bool
    /// The account of this name. An unknown name takes as long as a known one.
    func account(named name: String) async throws -> Account?
    /// Sets the secret of one-time codes, sealed. With nil, sign-ins ask for no one-time code.
    func setOneTimeSecret(_ sealed: [UInt8]?, of account: AccountID) async throws
    /// Replaces all recovery codes of an account.
    func setRecoveryCodes(_ hashes: [[UInt8]], of account: AccountID) async throws
}

/// An account that signs in with a password.
package struct Account: Sendable {
    package var id: AccountID
    package var name: String
    /// In libsodium's format, with its parameters.
    package var passwordHash: String
    /// The secret of one-time codes, sealed; nil where sign-ins ask for none.
    package var oneTimeSecret: [UInt8]? = nil

    package init(id: AccountID, name: String, passwordHash: String) {
        self.id = id
        self.name = name
        self.passwordHash = passwordHash
    }
}
#endif
