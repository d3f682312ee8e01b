public import ThumbturnCore
import ThumbturnMessages

/// Who can tell whether a PIN is right.
public enum PINJudge: Hashable, Sendable {
    /// The key: it refuses a wrong PIN. Some hardware counts, too, as a TPM does; Apple's Secure Enclave only judges, and there the ledger
    /// slows the app and nothing slows the hardware.
    case key
    /// The server alone: a wrong PIN makes another key's signature, and nothing on the device knows.
    case server
}

/// The port to the key behind the app's PIN: P-256, one operation of the hardware per guess.
///
/// The public key of a PIN key leaves this port once, for the registration. Where the key is derived from the PIN, nothing on the device stores
/// or logs it, because PINs could be tried against it; a key that hardware made may be kept with its public half.
public protocol PINKey: Sendable {
    /// Who can tell whether a PIN is right. Where it is the server, every signature has to be judged there before the guess is settled.
    var judge: PINJudge { get }

    /// Makes a key that this PIN opens and returns its public half. A key of the same name is replaced.
    func create(_ name: KeyName, pin: PIN) async throws(Failure) -> PublicKey

    /// An ES256 signature: r and s, 32 bytes each. Where the key judges, a wrong PIN throws `notMatched`, and a key that was disabled
    /// for good throws `keyInvalidated` with `reEnrol`; any other failure says that the PIN was not judged. Where the server does, a
    /// wrong PIN gives a signature like any other.
    func sign(_ message: [UInt8], with name: KeyName, pin: PIN) async throws(Failure) -> [UInt8]

    /// The state of a key, without a prompt and without a guess.
    func state(of name: KeyName) async -> KeyState

    /// Deletes a key; one that is not there is no failure.
    func delete(_ name: KeyName) async throws(Failure)
}

extension PINKey {
    public var judge: PINJudge { .key }
}
