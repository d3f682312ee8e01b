#if Server
import Crypto
import Foundation
import Synchronization
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier

/// The server's secrets in use: for challenges, tickets, refresh tokens and access tokens.
///
/// The challenge secret is renewed every day, and the previous one still verifies its challenges. `TokenKeys` decides
/// when a key signs.
package final class ServerSecrets: Sendable {
    struct Current: Sendable {
        /// The epoch of the secrets. Their challenges and tickets are consumed in no other epoch.
        var epoch: Int64
        var challenges: [ChallengeSecret]
        var refresh: SymmetricKey
        var refreshTokens: RefreshTokens
        var tokens: TokenKeys
        var tokenKeys: [String: VerifyingKey]

        func signer(at now: UnixTime) -> TokenSigner { tokens.signing(at: now).signer }

        /// The public keys, the signing one first.
        func jwks(at now: UnixTime) -> JWKS {
            let signing = signer(at: now).kid
            return JWKS(
                keys: tokens.keys.map(\.signer.jwk).filter { $0.kid == signing }
                    + tokens.keys.map(\.signer.jwk).filter { $0.kid != signing })
        }
    }

    private let store: any Store
    private let masterKey: MasterKey
    private let time: NodeTime
    private let loaded: Mutex<(current: Current, at: UnixTime)>

    private static let challengeLife = Duration.seconds(24 * 3600)

    init(store: any Store, masterKey: MasterKey, time: NodeTime) async throws {
        self.store = store
        self.masterKey = masterKey
        self.time = time
        loaded = Mutex((try await Self.load(store, masterKey, time), time.now))
    }

    /// Encrypts a secret of another kind for the database.
    func seal(_ secret: [UInt8], label: String) throws -> [UInt8] {
        try masterKey.seal(secret, label: Array("thumbturn \(label)".utf8))
    }

    func unseal(_ sealed: [UInt8], label: String) throws -> [UInt8] {
        try masterKey.unseal(sealed, label: Array("thumbturn \(label)".utf8))
    }

    var current: Current { loaded.withLock { $0.current } }

    /// Reads the secrets again and renews those that are due. It is called on a timer, and when a challenge names a
    /// secret that another node may have made; then at most once a second, so that a stranger cannot make the server
    /// read more often.
    func reload(atMostOncePerSecond limited: Bool = false) async throws {
        let now = time.now
        let isDue = loaded.withLock { loaded in
            guard !limited || now > loaded.at else { return false }
            loaded.at = now
            return true
        }
        guard isDue else { return }
        let fresh = try await Self.load(store, masterKey, time)
        loaded.withLock { $0.current = fresh }
    }

    /// Makes a new key for access tokens, which signs after `TokenKeys.lead`.
    func rotateTokenKey() async throws {
        let masterKey = masterKey
        try await store.addSecret(for: .token) { try Self.make(.token, at: $0, masterKey) }
        try await reload()
    }

    /// Deletes the keys whose last token has expired, and keeps their public halves.
    func retire(life: Duration) async throws {
        let over = current.tokens.over(at: time.now, life: life)
        guard !over.isEmpty else { return }
        try await store.retire(over.map { RetiredKey(secret: $0.secret, kid: $0.signer.kid, x963: $0.verifying.x963) })
        try await reload()
    }

    private static func make(_ use: SecretUse, at now: UnixTime, _ masterKey: MasterKey) throws -> SealedSecret {
        let id = Base64URL.encode((0..<9).map { _ in UInt8.random(in: 0...255) })
        let bytes: [UInt8] =
            switch use {
            case .challenge, .refresh: (0..<32).map { _ in UInt8.random(in: 0...255) }
            case .token: Array(P256.Signing.PrivateKey().rawRepresentation)
            }
        return SealedSecret(id: id, use: use, createdAt: now, sealed: try masterKey.seal(bytes, id: id, use: use))
    }

    private static func load(_ store: any Store, _ masterKey: MasterKey, _ time: NodeTime) async throws -> Current {
        let now = time.now
        let (sealed, epoch) = try await store.secrets(
            checking: { _ = try masterKey.unseal($0) },
            renewing: { $0.use == .challenge && now - $0.createdAt >= challengeLife },
            make: { try make($0, at: $1, masterKey) }
        )
        var challenges: [ChallengeSecret] = []
        var refresh: SymmetricKey?
        var keys: [TokenKeys.Key] = []
        for secret in sealed {
            let bytes = try masterKey.unseal(secret)
            switch secret.use {
            case .challenge: challenges.append(ChallengeSecret(id: secret.id, bytes: bytes))
            case .refresh: refresh = refresh ?? SymmetricKey(data: bytes)
            case .token:
                let signer = try TokenSigner(try P256.Signing.PrivateKey(rawRepresentation: bytes))
                keys.append(
                    TokenKeys.Key(
                        secret: secret.id, signer: signer, verifying: try VerifyingKey(jwk: signer.jwk),
                        createdAt: secret.createdAt))
            }
        }
        guard let refresh, !keys.isEmpty, !challenges.isEmpty else {
            preconditionFailure("the store makes a secret for every use")
        }
        var tokenKeys: [String: VerifyingKey] = [:]
        for key in keys { tokenKeys[key.signer.kid] = key.verifying }
        return Current(
            epoch: epoch, challenges: Array(challenges.prefix(2)), refresh: refresh, refreshTokens: RefreshTokens(key: refresh),
            tokens: TokenKeys(keys: keys), tokenKeys: tokenKeys
        )
    }
}
#endif
