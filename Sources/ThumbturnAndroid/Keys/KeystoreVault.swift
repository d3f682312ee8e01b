import ThumbturnCore
import ThumbturnDevice

/// The secrets of vaults: each is encrypted to the public half of a key of the Keystore (RSA-2048, OAEP with SHA-256, RFC 8017
/// section 7.1), whose private half decrypts once after a prompt. So protecting a secret needs no prompt, on every API level.
///
/// The encrypted secret lies among the small secrets, which makes it authentic: a key's public half alone is no proof of who
/// encrypted. A new secret gets a key in the other slot, and counts when its record names that slot, so a crash leaves the old
/// one or the new one.
struct KeystoreVault: ProtectedStore {
    let keystore: Keystore
    let secrets: KeystoreSecrets

    /// The most bytes of a secret: what OAEP with SHA-256 takes under a key of 2048 bits.
    static let longestSecret = 190

    func protect(_ secret: SecretBytes, as name: KeyName, access: VaultAccess) async throws(Failure) {
        guard let kind = NewKeyKind(access, behind: name.kind) else { throw Failure(.policyDenies) }
        guard secret.bytes.count <= Self.longestSecret else { throw Failure(.tooLarge) }
        if kind == .vaultPasscode, try await !keystore.system.knownFacts().credentialUnlocksKeys {
            throw AndroidFacts.noCredentialForKeys
        }
        let old = try await replaceable(name)
        var record = Record(slot: old?.slot.other ?? .first, kind: kind, box: [])
        let alias = Self.alias(name, record.slot)
        // A key that a crash left in this slot was never named by a record, or no longer is.
        let made = try await keystore.make(kind, as: alias)
        guard let spki = made.spki else { throw Failure(.platform, recovery: .retry) }
        do throws(AndroidThrown) {
            record.box = try await keystore.system.call(.wrap) { request in
                request.put(spki)
                request.put(secret.bytes)
            } _: { (reader) throws(BridgeReader.Malformed) in
                try reader.bytes()
            }
        } catch {
            throw error.failure
        }
        try await secrets.write(record.bytes, as: Self.recordName(name))
        if let old { try await keystore.delete(Self.alias(name, old.slot)) }
    }

    func release(_ name: KeyName, presence: Presence) async throws(Failure) -> SecretBytes {
        guard let record = try await record(of: name) else { throw Failure(.notEnrolled, recovery: .reEnrol) }
        guard let permit = presence.context as? AndroidPresence else { throw Failure(.notMatched) }
        do throws(Failure) {
            return SecretBytes(try await permit.use(for: Self.purpose(name, record), with: record.box))
        } catch {
            throw Self.withoutItsKey(error)
        }
    }

    func state(of name: KeyName) async -> KeyState {
        let record: Record
        do throws(Failure) {
            guard let kept = try await self.record(of: name) else { return .missing }
            record = kept
        } catch {
            return error.recovery == .reEnrol ? .invalidated(.restored) : .notYetReadable
        }
        let state = await keystore.state(of: Self.alias(name, record.slot), kind: record.kind)
        return state == .missing ? .invalidated(.restored) : state
    }

    /// Deletes the keys before the record: once they are gone nothing can be read, even after a crash.
    func delete(_ name: KeyName) async throws(Failure) {
        for slot in Slot.allCases { try await keystore.delete(Self.alias(name, slot)) }
        try await secrets.delete(Self.recordName(name))
    }

    /// The use of the key that decrypts the secret of this name; nil where there is no secret.
    func purpose(of name: KeyName) async throws(Failure) -> AndroidPresence.Purpose? {
        try await record(of: name).map { Self.purpose(name, $0) }
    }

    /// A failure of a secret whose key is gone, while the secret is there: a backup brought it.
    static func withoutItsKey(_ failure: Failure) -> Failure {
        failure.code == .notEnrolled ? Failure(.keyInvalidated, status: failure.status) : failure
    }

    private func record(of name: KeyName) async throws(Failure) -> Record? {
        guard let bytes = try await secrets.read(Self.recordName(name)) else { return nil }
        guard let record = Record(bytes) else { throw Failure(.keyInvalidated) }
        return record
    }

    /// The record that a new one replaces; nil where there is none, or one that can never be read again.
    private func replaceable(_ name: KeyName) async throws(Failure) -> Record? {
        do throws(Failure) {
            return try await record(of: name)
        } catch {
            guard error.recovery == .reEnrol else { throw error }
            return nil
        }
    }

    private static func alias(_ name: KeyName, _ slot: Slot) -> String { "\(KeyAlias.of(name, in: .vault)).\(slot.rawValue)" }

    private static func purpose(_ name: KeyName, _ record: Record) -> AndroidPresence.Purpose {
        .init(alias: alias(name, record.slot), kind: record.kind, message: [])
    }

    private static func recordName(_ name: KeyName) -> String { "vault \(KeyAlias.of(name, in: .vault))" }

    /// One of two keys for a secret.
    private enum Slot: UInt8, CaseIterable {
        case first = 1
        case second = 2
        var other: Slot { self == .first ? .second : .first }
    }

    /// What is kept of a secret: the slot and the kind of its key, a byte each, and the encrypted secret.
    private struct Record {
        var slot: Slot
        var kind: NewKeyKind
        var box: [UInt8]

        init(slot: Slot, kind: NewKeyKind, box: [UInt8]) { (self.slot, self.kind, self.box) = (slot, kind, box) }

        init?(_ bytes: [UInt8]) {
            guard bytes.count > 2, let slot = Slot(rawValue: bytes[0]), let kind = NewKeyKind(rawValue: Int64(bytes[1])),
                kind.use == .decrypt
            else { return nil }
            self.init(slot: slot, kind: kind, box: Array(bytes[2...]))
        }

        var bytes: [UInt8] { [slot.rawValue, UInt8(kind.rawValue)] + box }
    }
}

extension NewKeyKind {
    /// The kind of a vault's key behind one rung; nil for a rung that the access does not have.
    init?(_ access: VaultAccess, behind kind: KeyKind) {
        guard access.rungs.contains(where: { $0.key == kind }) else { return nil }
        switch kind {
        case .biometric: self = access == .biometryCurrentSet ? .vaultBiometric : .vaultAnyBiometric
        case .passcode: self = .vaultPasscode
        case .pin, .session: return nil
        }
    }
}
