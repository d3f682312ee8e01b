#if Server
import ThumbturnCore

/// The part of the store that keeps accounts with passwords, one-time codes and recovery codes.
package protocol AccountStore: Sendable {
    /// Adds an account. False if the name is taken.
    func addAccount(_ account: Account) async throws -> Bool
    /// The account of this name. An unknown name takes as long as a known one.
    func account(named name: String) async throws -> Account?
    /// Sets the sealed secret of one-time codes. If nil, sign-ins demand no one-time code.
    func setOneTimeSecret(_ sealed: [UInt8]?, of account: AccountID) async throws
    /// Replaces all recovery codes of an account.
    func setRecoveryCodes(_ hashes: [[UInt8]], of account: AccountID) async throws
}

/// An account that signs in with a password.
package struct Account: Sendable {
    package var id: AccountID
    package var name: String
    /// The hash in libsodium's text format, which contains the parameters.
    package var passwordHash: String
    /// The sealed secret of one-time codes; nil if sign-ins demand none.
    package var oneTimeSecret: [UInt8]? = nil

    package init(id: AccountID, name: String, passwordHash: String) {
        self.id = id
        self.name = name
        self.passwordHash = passwordHash
    }
}
#endif
