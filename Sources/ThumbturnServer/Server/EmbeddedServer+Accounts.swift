#if Server
import ThumbturnCore
public import ThumbturnMessages

/// Accounts, their passwords and their devices, for the operator. Names are compared in Unicode's normalization form C.
extension EmbeddedServer {
    /// Adds an account whose password this server keeps. Throws `SetupError` if the name is taken, or if the name or
    /// the password is not acceptable.
    public func addAccount(named name: String, password: String) async throws {
        guard (1...128).contains(name.count), !name.contains(where: \.isNewline) else { throw SetupError.accountName }
        let hash = try await hash(ofNew: password)
        let account = Account(id: .random(), name: AuthorizationServer.normalized(name), passwordHash: hash)
        guard try await service.store.addAccount(account) else { throw SetupError.accountExists(name) }
    }

    /// The account of this name. Throws `SetupError.accountUnknown`.
    package func account(named name: String) async throws -> Account {
        guard let account = try await service.store.account(named: AuthorizationServer.normalized(name)) else {
            throw SetupError.accountUnknown(name)
        }
        return account
    }

    /// The state of an account. Throws `SetupError.accountUnknown`.
    package func state(ofAccountNamed name: String) async throws -> AccountState {
        guard let state = try await service.store.state(of: try await account(named: name).id) else {
            throw SetupError.accountUnknown(name)
        }
        return state
    }

    // MARK: Signing in

    /// Replaces an account's password. All its sessions end, tickets that were issued before are void, and its count of
    /// wrong sign-ins begins again. Its devices stay enrolled.
    ///
    /// - Throws: `SetupError.accountUnknown`, or `SetupError.password` if the password is not acceptable.
    public func setPassword(_ password: String, ofAccountNamed name: String) async throws {
        let account = try await account(named: name)
        try await service.store.setPassword(try await hash(ofNew: password), of: account.id)
    }

    /// The hash of a new password. Throws `SetupError.password` if the password is not acceptable.
    private func hash(ofNew password: String) async throws -> String {
        guard Passwords.isAcceptable(password) else {
            throw SetupError.password(minimum: Passwords.minimumLength, maximum: Passwords.maximumBytes)
        }
        return try await service.passwords.hash(password)
    }

    /// Makes a new secret for one-time codes (RFC 6238) and demands them at an account's sign-ins from now on.
    ///
    /// - Returns: the `otpauth` address that authenticator apps read. It cannot be shown again.
    /// - Throws: `SetupError.accountUnknown` if there is no account of this name.
    public func setOneTimeCodes(ofAccountNamed name: String) async throws -> String {
        let account = try await account(named: name)
        let codes = OneTimeCodes.random()
        try await service.store.setOneTimeSecret(try service.secrets.sealOneTime(codes.secret), of: account.id)
        return codes.address(account: account.name, issuer: "Thumbturn")
    }

    /// Removes an account's one-time codes, so that its sign-ins demand none. Throws `SetupError.accountUnknown`.
    public func removeOneTimeCodes(ofAccountNamed name: String) async throws {
        try await service.store.setOneTimeSecret(nil, of: try await account(named: name).id)
    }

    /// Makes ten new recovery codes, which replace all earlier ones. They cannot be shown again. Throws
    /// `SetupError.accountUnknown`.
    public func makeRecoveryCodes(ofAccountNamed name: String) async throws -> [String] {
        let account = try await account(named: name)
        let codes = (0..<RecoveryCodes.count).map { _ in RecoveryCodes.random() }
        try await service.store.setRecoveryCodes(codes.map(RecoveryCodes.hash), of: account.id)
        return codes
    }

    /// Resets the count of an account's wrong sign-ins, so that its password can be tried again, and gives its enrolments
    /// and changes of keys of a day back. Throws `SetupError.accountUnknown`.
    public func unlock(accountNamed name: String) async throws {
        try await service.store.unlock(try await account(named: name).id)
    }

    // MARK: Switching off and on

    /// Switches an account off: no credential and no key of it is accepted, its sessions end, its tokens are not active
    /// (RFC 7662 section 2.2), and its signatures of approvals that are not redeemed yet do not count. Clients get the
    /// same answers as for an unknown account or a revoked device.
    ///
    /// - Throws: `SetupError.accountUnknown`, or `SetupError.accountDisabled` if it is off already.
    public func disable(accountNamed name: String) async throws {
        guard try await service.store.disable(try await account(named: name).id) else { throw SetupError.accountDisabled(name) }
    }

    /// Switches an account on again. Its devices and its password are accepted as before; its former sessions and
    /// tickets are not.
    ///
    /// - Throws: `SetupError.accountUnknown`, or `SetupError.accountEnabled` if it is on already.
    public func enable(accountNamed name: String) async throws {
        guard try await service.store.enable(try await account(named: name).id) else { throw SetupError.accountEnabled(name) }
    }

    // MARK: Devices

    /// The devices of an account that are not revoked. Throws `SetupError.accountUnknown`.
    public func devices(ofAccountNamed name: String) async throws -> [DeviceRecord] {
        try await service.store.devices(of: try await account(named: name).id).map {
            DeviceRecord(
                id: $0.id.text, name: $0.name, keys: $0.keys, enrolledAt: $0.enrolledAt, current: false,
                use: $0.isPlain ? .plain : nil
            )
        }
    }

    /// Revokes a device and ends its sessions. Throws `SetupError` if there is no such account or device.
    public func revoke(_ device: String, ofAccountNamed name: String) async throws {
        guard let id = DeviceID(device), try await service.store.revoke(id, of: try await account(named: name).id) else {
            throw SetupError.deviceUnknown(device)
        }
    }

    /// Revokes all devices of an account, which ends all its sessions, and makes its tickets void. The account itself
    /// stays on. Throws `SetupError.accountUnknown`.
    ///
    /// - Returns: the number of devices that were revoked.
    @discardableResult
    public func end(accountNamed name: String) async throws -> Int {
        try await service.store.revokeDevices(of: try await account(named: name).id)
    }
}
#endif
