#if Server
import CryptoExtras
import Foundation
import Synchronization
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The OpenID providers in a file, which is read again every minute because their keys change.
///
///     {"providers": [{"issuer": "https://id.example", "audience": "our-app", "jwks": "id.example.json"}]}
///
/// `jwks` is a file with the provider's key set, in the same folder. Keys that are neither P-256 nor RSA of 2048 to
/// 4096 bits are ignored. `stale_sign_in` is a value of `IdentityProvider.StaleSignIn`, the first one by default.
final class IdentityProviders: Sendable {
    private let file: String?
    private let loaded: Mutex<[IdentityProvider]>

    var current: [IdentityProvider] { loaded.withLock { $0 } }

    /// What the operator should know about the providers in use.
    var warnings: [String] {
        current.filter { $0.staleSignIn == .aBrowserCookieMayResetKeys }.map {
            "\($0.issuer): a person who is still signed in there in a device's browser may reset its PIN and its biometric key, "
                + "without being asked for anything (\"stale_sign_in\": \"\($0.staleSignIn.rawValue)\")"
        }
    }

    /// Throws `SetupError.providers` if the file cannot be read.
    init(file: String?) throws(SetupError) {
        self.file = file
        loaded = Mutex(try file.map(Self.read) ?? [])
    }

    /// Reads the file again. Throws `SetupError.providers` if it cannot be read; the providers stay as they are then.
    func reload() throws(SetupError) {
        guard let file else { return }
        let fresh = try Self.read(file)
        loaded.withLock { $0 = fresh }
    }

    private struct Listed: Decodable {
        struct Provider: Decodable {
            enum CodingKeys: String, CodingKey {
                case issuer, audience, jwks
                case staleSignIn = "stale_sign_in"
            }

            var issuer: String
            var audience: String
            var jwks: String
            var staleSignIn: IdentityProvider.StaleSignIn?
        }
        var providers: [Provider]
    }

    private struct Keys: Decodable { var keys: [Key] }
    private struct Key: Decodable {
        var kty: String
        var kid: String?
        var use: String?
        var crv: String?
        var x: String?
        var y: String?
        var n: String?
        var e: String?
    }

    private static func read(_ path: String) throws(SetupError) -> [IdentityProvider] {
        do {
            let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
            let listed = try WireJSON.decodeClaims(Listed.self, from: Array(Data(contentsOf: URL(fileURLWithPath: path))))
            return try listed.providers.map { provider in
                let bytes = try Data(contentsOf: URL(fileURLWithPath: provider.jwks, relativeTo: folder))
                let listed = try WireJSON.decodeClaims(Keys.self, from: Array(bytes)).keys
                let keys = listed.compactMap(key)
                // A set without keys takes a leaked one away. One without a usable key is a mistake.
                guard isSecure(provider.issuer), !provider.audience.isEmpty, !keys.isEmpty || listed.isEmpty else {
                    throw SetupError.providers(path)
                }
                return IdentityProvider(
                    issuer: provider.issuer, audience: provider.audience, keys: keys,
                    staleSignIn: provider.staleSignIn ?? .enrolsWithCoolOffOnly)
            }
        } catch {
            throw .providers(path)
        }
    }

    /// Plain http is for providers on this machine itself.
    private static func isSecure(_ issuer: String) -> Bool {
        guard let parts = URLComponents(string: issuer), let host = parts.host, !host.isEmpty else { return false }
        return parts.scheme == "https" || (parts.scheme == "http" && Loopback.contains(host: host))
    }

    private static func key(_ jwk: Key) -> IdentityProvider.Key? {
        guard jwk.use == nil || jwk.use == "sig" else { return nil }
        func bytes(_ text: String?) -> [UInt8]? { text.flatMap { Base64URL.decode($0) } }
        switch jwk.kty {
        case "EC":
            guard jwk.crv == "P-256", let x = bytes(jwk.x), let y = bytes(jwk.y),
                let key = try? VerifyingKey(x963: [4] + x + y)
            else { return nil }
            return IdentityProvider.Key(kid: jwk.kid, signature: .es256(key))
        case "RSA":
            guard let n = bytes(jwk.n), let e = bytes(jwk.e), (256...512).contains(n.count),
                let key = try? _RSA.Signing.PublicKey(n: n, e: e)
            else { return nil }
            return IdentityProvider.Key(kid: jwk.kid, signature: .rs256(key))
        default: return nil
        }
    }
}
#endif
