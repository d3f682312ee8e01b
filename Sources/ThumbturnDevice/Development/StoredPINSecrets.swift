#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
public import ThumbturnCore
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
        // The list first: it names every secret that there may be.
        try await store.change(Self.list(name.server, name.account)) { stored in
            let numbers = Self.numbers(stored).filter { $0 != name.enrolment } + [name.enrolment]
            return (StoredRecord.encode(numbers), ())
        }
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

    public func delete(_ name: KeyName) async throws(Failure) {
        try await store.delete(Self.text(name))
        try await store.change(Self.list(name.server, name.account)) { stored in
            let numbers = Self.numbers(stored).filter { $0 != name.enrolment }
            return (numbers.isEmpty ? nil : StoredRecord.encode(numbers), ())
        }
    }

    public func deleteAll(server: String, account: String) async throws(Failure) {
        for number in Self.numbers(try await store.stored(Self.list(server, account))) {
            try await delete(KeyName(server: server, account: account, enrolment: number, kind: .pin))
        }
    }

    /// The numbers of the secrets that there may be. A damaged list names none.
    private static func numbers(_ stored: StoredSecret) -> [Int] {
        guard case .bytes(let bytes) = stored else { return [] }
        return (try? JSONDecoder().decode([Int].self, from: Data(bytes))) ?? []
    }

    private static func list(_ server: String, _ account: String) -> String { "pin secrets \(server) \(account)" }

    private static func text(_ name: KeyName) -> String { "pin secret \(name.server) \(name.account) \(name.enrolment)" }
}
