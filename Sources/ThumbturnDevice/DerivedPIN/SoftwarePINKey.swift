#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
public import ThumbturnCore
import ThumbturnMessages

/// PIN keys that are derived from the PIN at each use, for devices whose hardware has no key that a PIN opens.
///
///     stretched = PBKDF2-HMAC-SHA-256(PIN, salt: SHA-256("thumbturn pin salt v1" ‖ name), 600 000 rounds, 32 bytes)
///     bound     = HMAC-SHA-256(the device's secret, stretched)
///     scalar    = the first of HKDF-SHA-256(bound, info: "thumbturn pin key v1" ‖ i), 32 bytes each, i = 0, 1, …
///                 that lies between 1 and n - 1 of P-256
///
/// (RFC 8018 section 5.2, RFC 2104, RFC 5869; drawing again until a number fits is FIPS 186-5 appendix A.2.2.)
///
/// **Nothing on the device can tell a wrong PIN from the right one**: it derives another key, whose signature only the
/// server can judge. So an attacker who copies the storage finds nothing to try PINs against, and the public key, its
/// thumbprint and every signature are returned to the caller and never stored. An attacker who has the device's secret
/// *and* the public key can try all PINs; in a keystore the secret cannot be copied, and each guess is one operation
/// there.
public struct SoftwarePINKey: PINKey {
    private let secrets: any PINSecrets
    private let rounds: Int

    /// Makes PIN keys that are bound to these secrets.
    public init(secrets: any PINSecrets) {
        self.init(secrets: secrets, rounds: PINStretching.rounds)
    }

    /// Makes PIN keys with another number of rounds, for tests.
    package init(secrets: any PINSecrets, rounds: Int) {
        self.secrets = secrets
        self.rounds = rounds
    }

    /// The server, because each PIN derives some key.
    public var judge: PINJudge { .server }

    public func create(_ name: KeyName, pin: PIN) async throws(Failure) -> PublicKey {
        try await secrets.create(name)
        let key = try await derive(name, from: pin)
        guard let publicKey = PublicKey(x963: Array(key.publicKey.x963Representation)) else { throw Failure(.platform) }
        return publicKey
    }

    public func sign(_ message: [UInt8], with name: KeyName, pin: PIN) async throws(Failure) -> [UInt8] {
        let key = try await derive(name, from: pin)
        guard let signature = try? key.signature(for: message) else { throw Failure(.platform) }
        return Array(signature.rawRepresentation)
    }

    public func state(of name: KeyName) async -> KeyState { await secrets.state(of: name) }

    public func delete(_ name: KeyName) async throws(Failure) { try await secrets.delete(name) }

    public func deleteAll(server: String, account: String) async throws(Failure) {
        try await secrets.deleteAll(server: server, account: account)
    }

    private func derive(_ name: KeyName, from pin: PIN) async throws(Failure) -> P256.Signing.PrivateKey {
        let stretched = try await PINStretching.stretch(pin, for: name, rounds: rounds)
        let bound = try await secrets.authenticate(stretched, with: name)
        guard let scalar = Self.firstScalar(of: { Self.candidate($0, of: bound) }),
            let key = try? P256.Signing.PrivateKey(rawRepresentation: scalar)
        else { throw Failure(.platform) }
        return key
    }

    private static func candidate(_ number: UInt8, of bound: [UInt8]) -> [UInt8] {
        unsafe HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: bound), info: Array("thumbturn pin key v1".utf8) + [number], outputByteCount: 32
        ).withUnsafeBytes { unsafe Array($0) }
    }

    /// The first candidate between 1 and n - 1. Reducing the others modulo n instead would favour small numbers. The
    /// first candidate fits except in about one of four billion cases.
    static func firstScalar(of candidates: (UInt8) -> [UInt8]) -> [UInt8]? {
        (UInt8(0)...255).lazy.map(candidates).first { candidate in
            candidate.contains { $0 != 0 } && candidate.lexicographicallyPrecedes(order)
        }
    }

    /// The order n of P-256 (SEC 2 section 2.4.2).
    static let order: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0x00, 0x00, 0x00, 0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xBC, 0xE6, 0xFA, 0xAD, 0xA7, 0x17, 0x9E, 0x84, 0xF3, 0xB9, 0xCA, 0xC2, 0xFC, 0x63, 0x25, 0x51,
    ]
}
