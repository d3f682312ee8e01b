#if canImport(DeviceCheck)
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import DeviceCheck
import Foundation
public import ThumbturnCore
import ThumbturnMessages
public import ThumbturnDevice

/// Makes App Attest evidence for the keys of an enrolment. Each account has one attested key, whose id is kept in a
/// store. Make one value for each store: it makes one request at a time.
///
/// `DevicePlatform.apple` has one, so enrolments carry its evidence; the server judges it where its policy names the app.
public struct AppAttestation: EvidenceSource {
    private let secrets: any SecretStore
    /// Serialises requests, because two at once would make two keys.
    private let turns = SerialGate()

    /// Creates a value that keeps the ids of its keys in this store. The keys themselves survive neither a
    /// reinstallation of the app nor a move to another device.
    public init(secrets: any SecretStore) { self.secrets = secrets }

    /// Makes evidence that is bound to a challenge and to public keys. Returns nil where the system has no App Attest,
    /// as on the Macs of 2025. It never shows a prompt. The first evidence for an account contacts Apple's servers.
    ///
    /// - Parameters:
    ///   - challenge: the challenge, exactly as received.
    ///   - keys: the public keys to bind, without that of a PIN key.
    ///   - server: the issuer address of the server.
    ///   - account: the app's own label for the account.
    /// - Throws: `unreachable` if Apple's servers did not answer; the next call uses the same key again. After every
    ///   other failure of the system the next call makes a new key, which may succeed where the recovery is `retry`:
    ///   `keyInvalidated` for a key that is gone because the app was reinstalled or restored from a backup, `platform`
    ///   for an unknown error.
    public func evidence(
        for challenge: String, keys: [PublicKey], server: String, account: String
    ) async throws(Failure) -> AppAttestEvidence? {
        await turns.enter()
        defer { turns.leave() }
        let service = DCAppAttestService.shared
        guard service.isSupported else { return nil }
        let (place, value) = (Self.place(server, account), Signing.boundValue(challenge: challenge, keys: keys))
        var key: Key
        if let kept = try await kept(at: place) {
            key = kept
        } else {
            guard let id = try await answer(at: place, { try await service.generateKey() }) else { return nil }
            key = Key(id: id, value: value)
            // Written before Apple's servers are asked, so that a retry after a lost answer uses this key and this
            // value.
            try await secrets.write(StoredRecord.encode(key), as: place)
        }
        let id = key.id
        if key.attestation == nil {
            let hash = Self.hash(key.value)
            guard let made = try await answer(at: place, { try await service.attestKey(id, clientDataHash: hash) }) else {
                return nil
            }
            key.attestation = made
            try await secrets.write(StoredRecord.encode(key), as: place)
        }
        guard let attestation = key.attestation,
            let assertion = try await answer(
                at: place, { try await service.generateAssertion(id, clientDataHash: Self.hash(value)) })
        else { return nil }
        return AppAttestEvidence(
            keyID: id, attestation: Array(attestation), attestedValue: key.value, assertion: Array(assertion))
    }

    /// Evidence for an enrolment or a change of keys; see the other method.
    public func evidence(_ request: EvidenceRequest) async throws(Failure) -> KeyEvidence? {
        try await evidence(
            for: request.challenge, keys: Array(request.keys.values), server: request.server, account: request.account
        ).map(KeyEvidence.appAttest)
    }

    /// Forgets the key of an account, for example when its enrolment ends. The next evidence comes from a new one.
    public func forget(server: String, account: String) async throws(Failure) {
        await turns.enter()
        defer { turns.leave() }
        try await secrets.delete(Self.place(server, account))
    }

    /// An App Attest key, as it is stored from its creation on.
    private struct Key: Codable {
        var id: String
        /// The bound value that the key is attested with.
        var value: [UInt8]
        /// Apple's attestation of the key, which is made once.
        var attestation: Data?
    }

    private func kept(at place: String) async throws(Failure) -> Key? {
        do throws(Failure) {
            return try await secrets.read(place).flatMap { try? JSONDecoder().decode(Key.self, from: Data($0)) }
        } catch {
            // The record was restored from a backup without the key that decrypts it, so the App Attest key is gone as
            // well.
            guard error.recovery == .reEnrol else { throw error }
            return nil
        }
    }

    /// Runs one call of DeviceCheck. Returns nil if the system reports that it has no App Attest. A failure deletes the
    /// record of the key, except for the one failure that says nothing about the key.
    private func answer<Answer>(at place: String, _ ask: () async throws -> Answer) async throws(Failure) -> Answer? {
        let status: AppleStatus
        do {
            return try await ask()
        } catch {
            status = AppleStatus(error)
        }
        let (failure, keepsKey) = Self.meaning(of: status)
        if !keepsKey { try? await secrets.delete(place) }
        if let failure { throw failure }
        return nil
    }

    /// The meaning of a failure of DeviceCheck, and whether its key may be used again. The domain is compared with the
    /// system's constant, because its text is not documented.
    private static func meaning(of status: AppleStatus) -> (Failure?, keepsKey: Bool) {
        let pair = Failure.PlatformStatus(domain: status.domain, code: status.code)
        switch (status.domain == DCErrorDomain, status.code) {
        // serverUnavailable
        case (true, 4): return (Failure(.unreachable, status: pair), true)
        // invalidKey: the key is gone, or it was attested before and the attestation was not stored
        case (true, 3): return (Failure(.keyInvalidated, recovery: .retry, status: pair), false)
        // invalidInput: our own mistake, which would be refused again
        case (true, 2): return (Failure(.platform, status: pair), false)
        // featureUnsupported
        case (true, 1): return (nil, false)
        // unknownSystemFailure, and every unknown code
        default: return (Failure(.platform, recovery: .retry, status: pair), false)
        }
    }

    private static func hash(_ value: [UInt8]) -> Data { Data(SHA256.hash(data: value)) }

    private static func place(_ server: String, _ account: String) -> String { "app attest \(server) \(account)" }
}
#endif
