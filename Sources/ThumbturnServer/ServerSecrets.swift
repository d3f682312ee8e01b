#if Server
import Crypto
import Foundation
import Synchronization
import ThumbturnCore
import ThumbturnVerifier

/// The server's secrets in use: what makes challenges, tickets, refresh tokens and access tokens.
///
/// The challenge secret is renewed every day; older ones go on recognising what they made.
package final class ServerSecrets: Sendable {
    struct Current: Sendable {
        var challenges: [ChallengeSecret]
        var refresh: SymmetricKey
        var refreshTokens: RefreshTokens
        var token: TokenSigner
        var tokenKeys: [String: VerifyingKey]
        var jwks: JWKS
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

    /// Encrypts a secret of another kind, for the database.
    func seal(_ secret: [UInt8], label: String) throws -> [UInt8] {
        try masterKey.seal(secret, label: Array("thumbturn \(label)".utf8))
    }

    func unseal(_ sealed: [UInt8], label: String) throws -> [UInt8] {
        try masterKey.unseal(sealed, label: Array("thumbturn \(label)".utf8))
    }

    var current: Current { loaded.withLock { $0.current } }

    /// Reads the secrets again and renews what is due. Called on a timer, and when a challenge names a secret that another node
    /// may have made; then at most once a second, so that strangers cannot make the server read.
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

    private static func load(_ store: any Store, _ masterKey: MasterKey, _ time: NodeTime) async throws -> Current {
        let now = time.now
        let sealed = try await store.secrets(
            checking: { _ = try masterKey.unseal($0) },
            renewing: { $0.use == .challenge && now - $0.createdAt >= challengeLife },
            make: { use, now in
                let id = Base64URL.encode((0..<9).map { _ in UInt8.random(in: 0...255) })
                let bytes: [UInt8] =
                    switch use {
                    case .challenge, .refresh: (0..<32).map { _ in UInt8.random(in: 0...255) }
                    case .token: Array(P256.Signing.PrivateKey().rawRepresentation)
                    }
                return SealedSecret(id: id, use: use, createdAt: now, sealed: try masterKey.seal(bytes, id: id, use: use))
            }
        )
        var challenges: [ChallengeSecret] = []
        var refresh: SymmetricKey?
        var signers: [TokenSigner] = []
        for secret in sealed {
            let bytes = try masterKey.unseal(secret)
            switch secret.use {
            case .challenge: challenges.append(ChallengeSecret(id: secret.id, bytes: bytes))
            case .refresh: refresh = refresh ?? SymmetricKey(data: bytes)
            case .token: signers.append(try TokenSigner(try P256.Signing.PrivateKey(rawRepresentation: bytes)))
            }
        }
        guard let refresh, let newest = signers.first, !challenges.isEmpty else {
            preconditionFailure("the store makes a secret for every use")
        }
        var tokenKeys: [String: VerifyingKey] = [:]
        for signer in signers { tokenKeys[signer.kid] = try VerifyingKey(jwk: signer.jwk) }
        return Current(
            challenges: Array(challenges.prefix(2)), refresh: refresh, refreshTokens: RefreshTokens(key: refresh), token: newest,
            tokenKeys: tokenKeys,
            jwks: JWKS(keys: signers.map(\.jwk))
        )
    }
}
#endif
