#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import LocalAuthentication
import Security
import ThumbturnCore
import ThumbturnDevice

/// The keys of vaults: passwords of the keychain that the system gives out only after its prompt.
///
/// Beside each lies a record that anybody may read: with what it was protected, and where. A new secret is added in the other of two
/// places, and is valid when the record says so; so after a crash there is the old one or the new one.
struct KeychainVault: ProtectedStore {
    let keychain: Keychain

    func protect(_ secret: SecretBytes, as name: KeyName, access: VaultAccess) async throws(Failure) {
        guard name.kind == .biometric || name.kind == .passcode else { throw Failure(.policyDenies) }
        try await keychain.protect(secret.bytes, as: name, access: access)
    }

    func release(_ name: KeyName, presence: Presence) async throws(Failure) -> SecretBytes {
        guard let item = try await keychain.protectedItem(name) else { throw Failure(.notEnrolled, recovery: .reEnrol) }
        guard let context = presence.context as? PromptContext else { throw Failure(.notMatched) }
        do throws(Failure) {
            return SecretBytes(try await context.read(item, of: name, in: keychain.place))
        } catch {
            // Without a status it was not the system that refused; with one, the keychain gives the same for many reasons.
            guard let status = error.status else { throw error }
            if await state(of: name).isDead { throw Failure(.keyInvalidated, status: status) }
            throw AppleStatus(status).failure(of: name.kind, biometry: await context.system.biometry())
        }
    }

    func state(of name: KeyName) async -> KeyState { await keychain.state(ofSecret: name) }
    func delete(_ name: KeyName) async throws(Failure) { try await keychain.deleteProtected(name) }

    /// What the secret of this name was protected with: for the sensor, which asks for exactly that. Where there is none, what a vault has
    /// by default.
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
        // Whatever a crash left there was never valid, or no longer is.
        try KeychainCalls.delete(place.query(.vaultSecret(name, slot)))
        var attributes = place.query(.vaultSecret(name, slot))
        attributes[kSecValueData as String] = Data(secret)
        attributes[kSecAttrAccessControl as String] = control
        try KeychainCalls.add(attributes, needsPasscode: true)
        try write(StoredRecord.encode(VaultNote(access: access, slot: slot)), as: .vaultRecord(name))
        if let old { try KeychainCalls.delete(place.query(.vaultSecret(name, old.slot))) }
    }

    /// The valid secret of a name; nil where there never was one, or it was deleted.
    fileprivate func protectedItem(_ name: KeyName) throws(Failure) -> KeychainItem? {
        try note(name).map { .vaultSecret(name, $0.slot) }
    }

    fileprivate func state(ofSecret name: KeyName) -> KeyState {
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

    /// The secret first: once it is gone nothing can be read, whatever happens next.
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
