#if Server
/// The part of the store that keeps the embedded accounts.
package protocol AccountStore: Sendable {
    func addAccount(_ account: Account) async throws -> Bool
    func account(named name: String) async throws -> Account?
    /// Sets the secret of one-time codes, sealed; nil: none are asked for.
    func setOneTimeSecret(_ sealed: [UInt8]?, of account: AccountID) async throws
    /// Puts new recovery codes in the place of all earlier ones.
    func setRecoveryCodes(_ hashes: [[UInt8]], of account: AccountID) async throws
}

package struct Account: Sendable {
    package var id: AccountID
    package var name: String
    /// In libsodium's format, with its parameters.
    package var passwordHash: String
    /// The secret of one-time codes, sealed; nil where none are asked for.
    package var oneTimeSecret: [UInt8]? = nil

    package init(id: AccountID, name: String, passwordHash: String) {
        self.id = id
        self.name = name
        self.passwordHash = passwordHash
    }
}
#endif
