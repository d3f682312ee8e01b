public import ThumbturnCore
import ThumbturnMessages

/// Names a key: it belongs to one server, one account of this app and one enrolment, and has one kind.
public struct KeyName: Hashable, Sendable {
    /// The server's issuer address.
    public var server: String
    /// The app's own label for the account on this device.
    public var account: String
    /// Counts this device's enrolments with that server and account, so that a new one can be prepared beside the live one.
    public var enrolment: Int
    /// What the key is for.
    public var kind: KeyKind

    /// Names a key.
    public init(server: String, account: String, enrolment: Int = 1, kind: KeyKind) {
        self.server = server
        self.account = account
        self.enrolment = enrolment
        self.kind = kind
    }
}

/// The port to the device's keys: P-256, made here, never leaving. It is never asked about keys of the kind `pin`; see `PINKey`.
public protocol DeviceKeys: Sendable {
    /// Makes a key and returns its public half. A key of the same name is replaced. Never prompts.
    func create(_ name: KeyName) async throws(Failure) -> PublicKey

    /// The state of a key, without a prompt.
    func state(of name: KeyName) async -> KeyState

    /// The public half. Never prompts.
    func publicKey(of name: KeyName) async throws(Failure) -> PublicKey

    /// An ES256 signature: r and s, 32 bytes each. Keys that verify the person need the presence that a prompt gave.
    func sign(_ message: [UInt8], with name: KeyName, presence: Presence?) async throws(Failure) -> [UInt8]

    /// Deletes a key; one that is not there is no failure. Never prompts.
    func delete(_ name: KeyName) async throws(Failure)
}
