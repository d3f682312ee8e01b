public import ThumbturnCore
import ThumbturnMessages

/// The name of a key: it belongs to one server, one account of this app and one enrolment, and has one kind.
public struct KeyName: Hashable, Sendable, CustomStringConvertible {
    /// The server's issuer address.
    public var server: String
    /// The app's own label for the account on this device.
    public var account: String
    /// The number of the enrolment, so that a new one can be prepared beside the live one; for a vault's copies the number
    /// of the vault, so that two processes can make it at once.
    public var enrolment: Int
    /// The key's kind, which is what it is for.
    public var kind: KeyKind

    /// Names a key.
    public init(server: String, account: String, enrolment: Int = 1, kind: KeyKind) {
        self.server = server
        self.account = account
        self.enrolment = enrolment
        self.kind = kind
    }

    /// Takes the place of the server's address in the names of vaults' keys.
    static let vaults = "vault"

    /// The kind and the enrolment, without the account, whose label may name a person.
    public var description: String { "\(kind.rawValue) key of enrolment \(enrolment)" }
}

/// The port to the device's keys: P-256 keys that are made on the device and never leave it. Keys of the kind `pin` are
/// not among them; see `PINKey`.
public protocol DeviceKeys: Sendable {
    /// Makes a key and returns its public half. A key of the same name is replaced. Never prompts.
    func create(_ name: KeyName) async throws(Failure) -> PublicKey

    /// Makes a key as above, whose attestation by the system has this value of 32 bytes; nil for none. Keys that are not
    /// attested when they are made ignore it, as the default does.
    func create(_ name: KeyName, attesting value: [UInt8]?) async throws(Failure) -> PublicKey

    /// The state of a key, without a prompt.
    func state(of name: KeyName) async -> KeyState

    /// The public half of a key. Never prompts.
    func publicKey(of name: KeyName) async throws(Failure) -> PublicKey

    /// Signs with ES256: r and s, 32 bytes each. A key that verifies the person needs the presence that a prompt gave.
    func sign(_ message: [UInt8], with name: KeyName, presence: Presence?) async throws(Failure) -> [UInt8]

    /// Deletes a key; one that is not there is no failure. Never prompts.
    func delete(_ name: KeyName) async throws(Failure)

    /// Deletes every key of this server and account, whatever its number; none is no failure. Never prompts.
    func deleteAll(server: String, account: String) async throws(Failure)
}

extension DeviceKeys {
    /// Makes a key without an attestation of its own.
    public func create(_ name: KeyName, attesting value: [UInt8]?) async throws(Failure) -> PublicKey {
        try await create(name)
    }
}
