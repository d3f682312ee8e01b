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
        /// The edition of the secrets.
        var edition: SecretsEdition
        /// The key that opened the secrets.
        var masterKey: MasterKey
        /// A sealed secret for one-time codes that is used where an account has none, so that the work is the same.
        var decoyOneTimeSecret: [UInt8]
        var challenges: [ChallengeSecret]
        var refresh: SymmetricKey
        var refreshTokens: RefreshTokens
        var tokens: TokenKeys
        var tokenKeys: [String: VerifyingKey]
        /// Those of `tokenKeys` that sign or may sign: none is of an earlier epoch.
        var currentTokenKeys: [String: VerifyingKey]

        /// The epoch of the secrets. Their challenges and tickets are consumed in no other epoch.
        var epoch: Int64 { edition.epoch }

        func signer(at now: UnixTime) -> TokenSigner { tokens.signing(at: now).signer }

        /// The public keys, the signing one first.
        func jwks(at now: UnixTime) -> JWKS {
            let signing = signer(at: now).kid
            return JWKS(
                keys: tokens.keys.map(\.signer.jwk).filter { $0.kid == signing }
                    + tokens.keys.map(\.signer.jwk).filter { $0.kid != signing })
        }
    }

    private let store: SQLStore
    private let readMasterKey: @Sendable () throws -> MasterKey
    private let time: NodeTime
    private let loaded: Mutex<(current: Current, at: UnixTime)>

    private static let challengeLife = Duration.seconds(24 * 3600)

    /// - Parameter readMasterKey: reads the master key again, because it may have been changed while this process runs.
    init(
        store: SQLStore, masterKey: MasterKey, time: NodeTime, readMasterKey: @escaping @Sendable () throws -> MasterKey
    ) async throws {
        self.store = store
        self.readMasterKey = readMasterKey
        self.time = time
        loaded = Mutex((try await Self.load(store, masterKey, time), time.now))
    }

    /// Encrypts an account's secret for one-time codes for the database.
    func sealOneTime(_ secret: [UInt8]) throws -> [UInt8] { try current.masterKey.seal(secret, label: SealLabel.oneTime) }

    func unsealOneTime(_ sealed: [UInt8]) throws -> [UInt8] {
        try current.masterKey.unseal(sealed, label: SealLabel.oneTime)
    }

    var current: Current { loaded.withLock { $0.current } }

    /// Reads the secrets again and renews those that are due. It is called on a timer, and when a challenge names a
    /// secret that another node may have made; then at most once a second, so that a stranger cannot make the server
    /// read more often.
    func reload(atMostOncePerSecond limited: Bool = false) async throws {
        let now = time.now
        let isDue = loaded.withLock { loaded in
            // The time may have been set back.
            guard !limited || now != loaded.at else { return false }
            loaded.at = now
            return true
        }
        guard isDue else { return }
        // Another call may have read later and ended sooner. Which of two epochs is the later one shows only when it is read again.
        while true {
            let before = current.edition
            let fresh: Current
            do {
                fresh = try await Self.load(store, current.masterKey, time)
            } catch SetupError.masterKeyWrong {
                fresh = try await Self.load(store, try readMasterKey(), time)
            }
            let isKept = loaded.withLock { loaded in
                let known = loaded.current.edition
                guard fresh.edition.epoch == known.epoch || known == before else { return false }
                if fresh.edition.epoch != known.epoch || fresh.edition.changes >= known.changes { loaded.current = fresh }
                return true
            }
            if isKept { return }
        }
    }

    /// Reads the secrets again if an operator has changed them since, for example revoked a key. Call it before a key
    /// judges what no transaction of this store follows: a transaction checks the same.
    func keepUp() async throws {
        guard try await store.secretsEdition() != current.edition else { return }
        try await reload()
    }

    /// Makes a new key for access tokens, which signs after `TokenKeys.lead`.
    func rotateTokenKey() async throws {
        let masterKey = current.masterKey
        try await store.addSecret(for: .token) { try Self.make(.token, at: $0, masterKey) }
        try await reload()
    }

    /// Deletes the keys whose last token has expired, and keeps their public halves.
    func retire(life: Duration) async throws {
        let over = current.tokens.over(at: time.now, life: life)
        guard !over.isEmpty else { return }
        try await store.retire(over.map(\.retired))
        try await reload()
    }

    /// Retires all keys of former epochs at once, after a restore that has set the time: they may have signed tokens that
    /// become valid when the wrong time comes.
    func retireFormer() async throws {
        try await reload()
        let former = current.tokens.keys.filter(\.isFormer)
        guard !former.isEmpty else { return }
        try await store.retire(former.map(\.retired))
        try await reload()
    }

    /// Revokes a key of access tokens: its tokens are refused from now on, and it leaves the key set. If it was the
    /// signing one, a new key signs at once.
    ///
    /// - Throws: `SetupError.tokenKeyUnknown` if there has never been such a key.
    func revoke(_ kid: String) async throws {
        let tokens = current.tokens
        let key = tokens.keys.first { $0.signer.kid == kid }
        let endsSigning = tokens.signing(at: time.now).signer.kid == kid
        guard try await store.revoke(kid, live: key?.retired, endsSigning: endsSigning) else {
            throw SetupError.tokenKeyUnknown(kid)
        }
        try await reload()
    }

    private static func make(_ use: SecretUse, at now: UnixTime, _ masterKey: MasterKey) throws -> SealedSecret {
        let id = Base64URL.encode((0..<9).map { _ in UInt8.random(in: 0...255) })
        let bytes: [UInt8] =
            switch use {
            case .challenge, .refresh: (0..<32).map { _ in UInt8.random(in: 0...255) }
            case .token: try newTokenKey()
            }
        return SealedSecret(id: id, use: use, createdAt: now, sealed: try masterKey.seal(bytes, id: id, use: use))
    }

    /// A new private key of access tokens, raw. The thumbprint of its public key never begins with a dash, so that a
    /// command takes it for an argument and not for an option.
    static func newTokenKey() throws -> [UInt8] {
        while true {
            let key = P256.Signing.PrivateKey()
            if try !TokenSigner(key).kid.hasPrefix("-") { return Array(key.rawRepresentation) }
        }
    }

    private static func load(_ store: SQLStore, _ masterKey: MasterKey, _ time: NodeTime) async throws -> Current {
        let now = time.now
        let (sealed, edition) = try await store.secrets(
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
                        createdAt: secret.createdAt, isFormer: secret.signsIn != edition.epoch))
            }
        }
        guard let refresh, !keys.isEmpty, !challenges.isEmpty else {
            preconditionFailure("the store makes a secret for every use")
        }
        var tokenKeys: [String: VerifyingKey] = [:]
        var currentTokenKeys: [String: VerifyingKey] = [:]
        for key in keys {
            tokenKeys[key.signer.kid] = key.verifying
            if !key.isFormer { currentTokenKeys[key.signer.kid] = key.verifying }
        }
        return Current(
            edition: edition, masterKey: masterKey,
            decoyOneTimeSecret: try masterKey.seal(OneTimeCodes.random().secret, label: SealLabel.oneTime),
            challenges: Array(challenges.prefix(2)), refresh: refresh, refreshTokens: RefreshTokens(key: refresh),
            tokens: TokenKeys(keys: keys), tokenKeys: tokenKeys, currentTokenKeys: currentTokenKeys
        )
    }
}

extension TokenKeys.Key {
    /// The public half, as it is kept after the private one was deleted.
    var retired: RetiredKey { RetiredKey(secret: secret, kid: signer.kid, x963: verifying.x963) }
}
#endif
