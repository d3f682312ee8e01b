#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
public import ThumbturnCore

/// Secrets of derived PIN keys for development, kept among the small secrets.
///
/// **An attacker who reads that store can compute the device's half of every guess elsewhere**; then only the server's
/// count limits the guesses.
public struct StoredPINSecrets: PINSecrets {
    private let store: any SecretStore

    /// Keeps the secrets in this store.
    public init(_ store: any SecretStore) {
        self.store = store
    }

    public func create(_ name: KeyName) async throws(Failure) {
        try await store.write(unsafe SymmetricKey(size: .bits256).withUnsafeBytes { unsafe Array($0) }, as: Self.text(name))
    }

    public func authenticate(_ message: [UInt8], with name: KeyName) async throws(Failure) -> [UInt8] {
        guard let secret = try await store.read(Self.text(name)) else { throw Failure(.notEnrolled) }
        return Array(HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: secret)))
    }

    public func state(of name: KeyName) async -> KeyState {
        do throws(Failure) {
            return try await store.read(Self.text(name)) == nil ? .missing : .usable
        } catch {
            return .notYetReadable
        }
    }

    public func delete(_ name: KeyName) async throws(Failure) { try await store.delete(Self.text(name)) }

    private static func text(_ name: KeyName) -> String { "pin secret \(name.server) \(name.account) \(name.enrolment)" }
}
