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

/// Evidence of App Attest for the keys of an enrolment: one attested key for each account, kept by its name. Make one value for each store:
/// it asks for one thing at a time.
///
/// The server of this package does not judge it yet; a back end of your own may.
public struct AppAttestation: Sendable {
    private let secrets: any SecretStore
    /// One at a time, or two would make two keys.
    private let turns = SerialGate()

    /// Keeps the names of its keys in this store. The keys themselves outlive neither the app nor the device.
    public init(secrets: any SecretStore) { self.secrets = secrets }

    /// Evidence that is bound to a challenge and keys; nil where the system has no App Attest, as on the Macs of 2025. Never prompts. The first
    /// for an account asks Apple's servers.
    ///
    /// - Parameters:
    ///   - challenge: exactly as received.
    ///   - keys: the public halves, without that of a PIN key.
    ///   - server: its issuer address.
    ///   - account: the app's own label for the account.
    /// - Throws: `unreachable` where Apple's servers did not answer: the next call asks for the same key again. After every other failure of the
    ///   system the next call begins with a new key; `retry` says that it may do better: `keyInvalidated` for a key that is gone, because
    ///   the app was installed anew or came from a backup, `platform` for what has no name.
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
            // Before Apple is asked: what does not answer is asked again for this key and this value.
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

    /// Forgets the key of an account, for example when its enrolment ends. The next evidence comes from a new one.
    public func forget(server: String, account: String) async throws(Failure) {
        await turns.enter()
        defer { turns.leave() }
        try await secrets.delete(Self.place(server, account))
    }

    /// A key of App Attest, from its making on.
    private struct Key: Codable {
        var id: String
        /// What it is attested with.
        var value: [UInt8]
        /// What Apple said of it, once and for all.
        var attestation: Data?
    }

    private func kept(at place: String) async throws(Failure) -> Key? {
        do throws(Failure) {
            return try await secrets.read(place).flatMap { try? JSONDecoder().decode(Key.self, from: Data($0)) }
        } catch {
            // It came back from a backup without what opens it, and so the key is gone, too.
            guard error.recovery == .reEnrol else { throw error }
            return nil
        }
    }

    /// What the system answers; nil where it says that it has no App Attest. A key with which it failed is not used again, but for the
    /// one failure that says nothing of the key.
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

    /// What a failure of DeviceCheck means, and whether its key may be used again. The domain is compared with the system's constant, whose
    /// text is written nowhere.
    private static func meaning(of status: AppleStatus) -> (Failure?, keepsKey: Bool) {
        let pair = Failure.PlatformStatus(domain: status.domain, code: status.code)
        switch (status.domain == DCErrorDomain, status.code) {
        // serverUnavailable
        case (true, 4): return (Failure(.unreachable, status: pair), true)
        // invalidKey: gone, or attested before and nobody wrote it down
        case (true, 3): return (Failure(.keyInvalidated, recovery: .retry, status: pair), false)
        // invalidInput: ours, and it would be refused again
        case (true, 2): return (Failure(.platform, status: pair), false)
        // featureUnsupported
        case (true, 1): return (nil, false)
        // unknownSystemFailure, and what nobody has heard of
        default: return (Failure(.platform, recovery: .retry, status: pair), false)
        }
    }

    private static func hash(_ value: [UInt8]) -> Data { Data(SHA256.hash(data: value)) }

    private static func place(_ server: String, _ account: String) -> String { "app attest \(server) \(account)" }
}
#endif
