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
    /// The version of the system, which may refuse what another one accepts.
    private let version: @Sendable () -> String
    /// Serialises requests, because two at once would make two keys.
    private let turns = SerialGate()

    /// Creates a value that keeps the ids of its keys in this store. The keys themselves survive neither a
    /// reinstallation of the app nor a move to another device.
    public init(secrets: any SecretStore) {
        self.init(secrets: secrets) { ProcessInfo.processInfo.operatingSystemVersionString }
    }

    init(secrets: any SecretStore, version: @escaping @Sendable () -> String) {
        self.secrets = secrets
        self.version = version
    }

    /// The answer of App Attest.
    public enum Answer: Hashable, Sendable {
        /// Evidence for the challenge and the keys.
        case evidence(AppAttestEvidence)
        /// The system has no App Attest, as in a simulator, in most app extensions and on Macs before macOS 27.
        case unsupported
        /// The system says that it has App Attest and refuses a new key as well, with this status.
        case refused(Failure.PlatformStatus)
    }

    /// Makes evidence that is bound to a challenge and to public keys. It never shows a prompt. The first evidence for an
    /// account contacts Apple's servers.
    ///
    /// A key that the system no longer accepts is replaced by a new one, once in a call. After three failures in a row, other
    /// than those of the network, the answer is `refused`: the last key is tried again at each call and no other is made,
    /// until it makes evidence or the system has another version.
    ///
    /// - Parameters:
    ///   - challenge: the challenge, exactly as received.
    ///   - keys: the public keys to bind, without that of a PIN key.
    ///   - server: the issuer address of the server.
    ///   - account: the app's own label for the account.
    /// - Throws: `unreachable` if Apple's servers did not answer, and `platform` for an unknown error, both with the
    ///   recovery `retry`. The next call uses the same key again, unless the unknown error was that of an assertion.
    public func evidence(
        for challenge: String, keys: [PublicKey], server: String, account: String
    ) async throws(Failure) -> Answer {
        await turns.enter()
        defer { turns.leave() }
        guard DCAppAttestService.shared.isSupported else { return .unsupported }
        let (place, value) = (Self.place(server, account), Signing.boundValue(challenge: challenge, keys: keys))
        var record = try await kept(at: place) ?? Record()
        if record.version != version() { (record.version, record.failures) = (version(), 0) }
        var mayReplace = true
        while true {
            let status: AppleStatus
            do throws(Stop) {
                return .evidence(try await evidence(for: value, from: &record, at: place))
            } catch {
                switch error {
                case .store(let failure): throw failure
                case .system(let refusal): status = refusal
                }
            }
            switch Self.meaning(of: status, isAttested: record.key?.attestation != nil) {
            case .network(let failure): throw failure
            case .unknown(let failure):
                record.failures += 1
                try await secrets.write(StoredRecord.encode(record), as: place)
                guard record.mayMakeKeys else { return .refused(status.status) }
                throw failure
            case .refuses: return .refused(status.status)
            case .endsKey(let isReplaced, let failure):
                guard record.key != nil else { return .refused(status.status) }
                record.giveUpKey()
                try await secrets.write(StoredRecord.encode(record), as: place)
                guard record.key == nil else { return .refused(status.status) }
                guard isReplaced else { throw failure }
                guard mayReplace else { return .refused(status.status) }
                mayReplace = false
            }
        }
    }

    /// Evidence for an enrolment or a change of keys; see the other method. Nil where App Attest is missing or refuses.
    public func evidence(_ request: EvidenceRequest) async throws(Failure) -> KeyEvidence? {
        let answer = try await evidence(
            for: request.challenge, keys: Array(request.keys.values), server: request.server, account: request.account)
        return if case .evidence(let evidence) = answer { .appAttest(evidence) } else { nil }
    }

    /// Forgets the key of an account, for example when its enrolment ends. The next evidence comes from a new one.
    public func forget(server: String, account: String) async throws(Failure) {
        await turns.enter()
        defer { turns.leave() }
        try await secrets.delete(Self.place(server, account))
    }

    /// What is stored for an account.
    private struct Record: Codable {
        /// The key; nil before the first one, and after one that was given up.
        var key: Key?
        /// How many times in a row App Attest failed, other than for the network.
        var failures = 0
        /// The version of the system in which it failed.
        var version = ""

        /// Whether another key may help. Two failures may be temporary errors; after three, another key is unlikely to help.
        var mayMakeKeys: Bool { failures < 3 }

        /// Gives the key up, unless too many failed already. That a key ends which has made evidence is no failure.
        mutating func giveUpKey() {
            if key?.isProven != true { failures += 1 }
            if mayMakeKeys { key = nil }
        }
    }

    /// An App Attest key, as it is stored from its creation on.
    private struct Key: Codable {
        var id: String
        /// The bound value that the key is attested with.
        var value: [UInt8]
        /// Apple's attestation of the key, which is made once.
        var attestation: Data?
        /// Whether it has made evidence.
        var isProven = false
    }

    /// Why no evidence was made.
    private enum Stop: Error {
        case store(Failure)
        case system(AppleStatus)
    }

    /// Makes evidence with the key of the record, or with a new one where it has none.
    private func evidence(
        for value: [UInt8], from record: inout Record, at place: String
    ) async throws(Stop) -> AppAttestEvidence {
        let service = DCAppAttestService.shared
        var key: Key
        if let kept = record.key {
            key = kept
        } else {
            key = Key(id: try await ask { try await service.generateKey() }, value: value)
            // Written before Apple's servers are asked, so that a retry after a lost answer uses this key and this
            // value.
            try await store(key, in: &record, at: place)
        }
        let id = key.id
        let attestation: Data
        if let made = key.attestation {
            attestation = made
        } else {
            let hash = Self.hash(key.value)
            attestation = try await ask { try await service.attestKey(id, clientDataHash: hash) }
            key.attestation = attestation
            try await store(key, in: &record, at: place)
        }
        let hash = Self.hash(value)
        let assertion = try await ask { try await service.generateAssertion(id, clientDataHash: hash) }
        if !key.isProven || record.failures > 0 {
            key.isProven = true
            record.failures = 0
            try await store(key, in: &record, at: place)
        }
        return AppAttestEvidence(
            keyID: id, attestation: Array(attestation), attestedValue: key.value, assertion: Array(assertion))
    }

    private func store(_ key: Key, in record: inout Record, at place: String) async throws(Stop) {
        record.key = key
        do throws(Failure) {
            try await secrets.write(StoredRecord.encode(record), as: place)
        } catch {
            throw .store(error)
        }
    }

    private func kept(at place: String) async throws(Failure) -> Record? {
        do throws(Failure) {
            return try await secrets.read(place).flatMap { try? JSONDecoder().decode(Record.self, from: Data($0)) }
        } catch {
            // The record was restored from a backup without the key that decrypts it, so the App Attest key is gone as
            // well.
            guard error.recovery == .reEnrol else { throw error }
            return nil
        }
    }

    private func ask<Value>(_ call: () async throws -> Value) async throws(Stop) -> Value {
        do {
            return try await call()
        } catch {
            throw .system(AppleStatus(error))
        }
    }

    /// The meaning of a failure of DeviceCheck.
    private enum Meaning {
        /// It says nothing about the key.
        case network(Failure)
        /// It may pass; the key is kept.
        case unknown(Failure)
        /// It says that there is no App Attest, whatever the key.
        case refuses
        /// The key is of no use. It is replaced in the same call, or the call throws this failure.
        case endsKey(isReplaced: Bool, Failure)
    }

    /// The meaning of a failure of DeviceCheck. The domain is compared with the system's constant, because its text is not
    /// documented.
    private static func meaning(of status: AppleStatus, isAttested: Bool) -> Meaning {
        let unknown = Failure(.platform, recovery: .retry, status: status.status)
        guard status.domain == DCErrorDomain else {
            return status.domain == NSURLErrorDomain ? .network(unknown) : .unknown(unknown)
        }
        switch status.code {
        // serverUnavailable
        case 4: return .network(Failure(.unreachable, status: status.status))
        // invalidKey: the key is gone, or it was attested before and the attestation was not stored, or the system cannot
        // enforce the access control that it gave the key (macOS 27). invalidInput: comes now and then for input that is
        // right, and not for another key.
        case 3, 2: return .endsKey(isReplaced: true, unknown)
        // featureUnsupported
        case 1: return .refuses
        // unknownSystemFailure, and every unknown code: an attested key that cannot assert is of no use, and one that is not
        // attested yet may be attested later.
        default: return isAttested ? .endsKey(isReplaced: false, unknown) : .unknown(unknown)
        }
    }

    private static func hash(_ value: [UInt8]) -> Data { Data(SHA256.hash(data: value)) }

    private static func place(_ server: String, _ account: String) -> String { "app attest \(server) \(account)" }
}
#endif
