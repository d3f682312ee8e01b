public import ThumbturnCore
import ThumbturnMessages

/// The part that can tell whether a PIN is right.
public enum PINJudge: Hashable, Sendable {
    /// The key, which refuses a wrong PIN. Some hardware counts wrong PINs, as a TPM does; Apple's Secure Enclave only
    /// refuses them, and there the ledger slows the app and nothing slows the hardware.
    case key
    /// Only the server: a wrong PIN makes the signature of another key, and the device cannot tell.
    case server
}

/// The port to the keys behind the app's PIN: P-256 keys, with one operation of the hardware per guess.
///
/// The public half of a PIN key leaves this port once, for the registration. Where the key is derived from the PIN, the
/// device neither stores nor logs the public half, because PINs could be tried against it; a key that hardware made may
/// be stored with its public half.
public protocol PINKey: Sendable {
    /// The part that can tell whether a PIN is right. Where it is the server, every signature is judged there before
    /// the guess is settled.
    var judge: PINJudge { get }

    /// Makes a key that this PIN opens and returns its public half. A key of the same name is replaced.
    func create(_ name: KeyName, pin: PIN) async throws(Failure) -> PublicKey

    /// Signs with ES256: r and s, 32 bytes each. Where the key judges, a wrong PIN throws `notMatched`, and a key that
    /// was disabled for good throws `keyInvalidated` with `reEnrol`; any other failure means that the PIN was not
    /// judged. Where the server judges, a wrong PIN gives a signature like any other.
    func sign(_ message: [UInt8], with name: KeyName, pin: PIN) async throws(Failure) -> [UInt8]

    /// The state of a key, without a prompt and without a guess.
    func state(of name: KeyName) async -> KeyState

    /// Deletes a key; one that is not there is no failure.
    func delete(_ name: KeyName) async throws(Failure)

    /// Deletes every key of this server and account, whatever its number; none is no failure.
    func deleteAll(server: String, account: String) async throws(Failure)
}

extension PINKey {
    /// The key, which is the default.
    public var judge: PINJudge { .key }
}

extension PINJudge: CustomStringConvertible {
    /// The judge in words.
    public var description: String {
        switch self {
        case .key: "key"
        case .server: "server"
        }
    }
}
