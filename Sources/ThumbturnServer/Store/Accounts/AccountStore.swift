#if Server
package import ThumbturnCore

/// The part of the store that keeps accounts with passwords, one-time codes and recovery codes.
package protocol AccountStore: Sendable {
    /// Adds an account. False if the name is taken.
    func addAccount(_ account: Account) async throws -> Bool
    /// The account of this name. An unknown name takes as long as a known one.
    func account(named name: String) async throws -> Account?
    /// Sets the sealed secret of one-time codes. If nil, sign-ins demand no one-time code. Tickets and sign-ins that were
    /// judged before become void.
    func setOneTimeSecret(_ sealed: [UInt8]?, of account: AccountID) async throws
    /// Replaces all recovery codes of an account.
    func setRecoveryCodes(_ hashes: [[UInt8]], of account: AccountID) async throws

    /// Replaces the hash of an account's password for the operator. In the same transaction all sessions of the account
    /// end, its count of wrong sign-ins begins anew, and tickets and sign-ins that were judged before become void.
    func setPassword(_ hash: String, of account: AccountID) async throws
    /// Replaces the hash of the password of a session's account, as above, and ends this session. The other sessions of
    /// its device continue. False if the session is no longer live, if its device cools off, or if the password was
    /// changed since the session was read.
    func setPassword(_ hash: String, by session: SessionView) async throws -> Bool
    /// Switches an account off: its keys are refused, its sessions end, and tickets, sign-ins and signatures of
    /// approvals from before are void, even after it is switched on again. False if it was off already.
    func disable(_ account: AccountID) async throws -> Bool
    /// Switches an account on again. Its devices and its password are as before. False if it was on already.
    func enable(_ account: AccountID) async throws -> Bool
    /// Revokes all devices of an account, which ends its sessions, and makes its tickets void.
    ///
    /// - Returns: the number of devices.
    func revokeDevices(of account: AccountID) async throws -> Int
    /// The state of an account; nil if there is none of this id.
    func state(of account: AccountID) async throws -> AccountState?
    /// The accounts whose names come after a name, in the order of their names, with the time at which they were
    /// switched off; nil for those that are on.
    func accounts(after name: String, atMost: Int) async throws -> [(name: String, disabledAt: UnixTime?)]
}

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
