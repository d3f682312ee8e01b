#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import LocalAuthentication
import Security
import ThumbturnCore
import ThumbturnDevice

/// The secrets of vaults: passwords of the keychain that the system releases only after its prompt.
///
/// Beside each secret lies a record that needs no prompt. It holds the access and the slot of the valid secret. A new
/// secret is added in the other slot and becomes valid when the record names that slot, so a crash leaves the old
/// secret or the new one.
struct KeychainVault: ProtectedStore {
    let keychain: Keychain

    func protect(_ secret: SecretBytes, as name: KeyName, access: VaultAccess) async throws(Failure) {
        guard name.kind == .biometric || name.kind == .passcode else { throw Failure(.policyDenies) }
        do throws(Failure) {
            try await keychain.protect(secret.bytes, as: name, access: access)
        } catch {
            throw keychain.system.explained(error)
        }
    }

    func release(_ name: KeyName, presence: Presence) async throws(Failure) -> SecretBytes {
        guard let item = try await keychain.protectedItem(name) else { throw Failure(.notEnrolled, recovery: .reEnrol) }
        guard let context = presence.context as? PromptContext else { throw Failure(.notMatched) }
        do throws(Failure) {
            return SecretBytes(try await context.read(item, of: name, in: keychain.place))
        } catch {
            // A failure without a status does not come from the system; with one, the keychain reports the same for
            // many causes.
            guard let status = error.status else { throw error }
            let refused =
                await state(of: name).isDead
                ? Failure(.keyInvalidated, status: status)
                : AppleStatus(status).failure(of: name.kind, biometry: await context.system.biometry())
            throw keychain.system.explained(refused)
        }
    }

    func state(of name: KeyName) async -> KeyState { await keychain.state(ofSecret: name) }
    func delete(_ name: KeyName) async throws(Failure) { try await keychain.deleteProtected(name) }

    /// The access that the secret of this name was protected with, so that the sensor asks for exactly that. Without a
    /// secret it is the default for the kind.
    func access(of name: KeyName) async -> VaultAccess { await keychain.access(of: name) }
}

private struct VaultNote: Codable {
    var access: VaultAccess
    var slot: KeychainItem.Slot
}

extension Keychain {
    fileprivate func protect(_ secret: [UInt8], as name: KeyName, access: VaultAccess) throws(Failure) {
        try open(toMake: true)
        let control = try Guard.of(access, behind: name.kind).made()
        if let obstacle = obstacle(toMaking: name.kind) { throw obstacle }
        let old = try note(name)
        let slot = old?.slot.other ?? .first
        // A secret that a crash left in this slot was never valid, or no longer is.
        try KeychainCalls.delete(place.query(.vaultSecret(name, slot)))
        var attributes = place.query(.vaultSecret(name, slot))
        attributes[kSecValueData as String] = Data(secret)
        attributes[kSecAttrAccessControl as String] = control
        guard try KeychainCalls.add(attributes, needsPasscode: true) else { throw AppleStatus(errSecDuplicateItem).failure }
        try write(StoredRecord.encode(VaultNote(access: access, slot: slot)), as: .vaultRecord(name))
        if let old { try KeychainCalls.delete(place.query(.vaultSecret(name, old.slot))) }
    }

    /// The valid secret of a name; nil if there never was one, or it was deleted.
    func protectedItem(_ name: KeyName) throws(Failure) -> KeychainItem? {
        try note(name).map { .vaultSecret(name, $0.slot) }
    }

    func state(ofSecret name: KeyName) -> KeyState {
        let kept: VaultNote
        do throws(Failure) {
            guard let note = try note(name) else { return .missing }
            kept = note
        } catch {
            return .notYetReadable
        }
        let context = silentContext()
        defer { context.invalidate() }
        do throws(Failure) {
            var query = place.query(.vaultSecret(name, kept.slot))
            query[kSecUseAuthenticationContext as String] = context
            return try KeychainCalls.data(query) == nil ? .invalidated(.unknown) : .usable
        } catch {
            let isOfTheSet = name.kind == .biometric && kept.access == .biometryCurrentSet
            return state(afterSilentUse: error, of: name.kind, isOfTheSet: isOfTheSet)
        }
    }

    /// Deletes the secret before its record: once the secret is gone nothing can be read, even after a crash.
    fileprivate func deleteProtected(_ name: KeyName) throws(Failure) {
        try open()
        for slot in KeychainItem.Slot.allCases { try KeychainCalls.delete(place.query(.vaultSecret(name, slot))) }
        try KeychainCalls.delete(place.query(.vaultRecord(name)))
    }

    func access(of name: KeyName) -> VaultAccess {
        ((try? note(name)) ?? nil)?.access ?? (name.kind == .passcode ? .passcode : .biometryCurrentSet)
    }

    private func note(_ name: KeyName) throws(Failure) -> VaultNote? {
        try read(.vaultRecord(name)).flatMap { try? JSONDecoder().decode(VaultNote.self, from: Data($0)) }
    }
}
#endif
