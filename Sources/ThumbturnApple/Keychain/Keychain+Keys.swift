#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import LocalAuthentication
import Security
import ThumbturnCore
import ThumbturnMessages
import ThumbturnDevice

/// Keys of the Secure Enclave: their creation, state and deletion, and the signatures that need no prompt.
///
/// The keychain accepts any number of keys with one tag, so the old key is deleted before a new one is made. A crash in
/// between leaves none, and the enrolment that was making the key starts again. The old key's record is deleted first
/// and the new key's record is written last, so a record never describes another key.
extension Keychain {
    /// Makes a key and replaces one of the same name.
    ///
    /// - Parameter password: the application password; nil for a key without one.
    func makeKey(_ name: KeyName, password: [UInt8]? = nil) throws(Failure) -> PublicKey {
        try open(toMake: true)
        if let obstacle = obstacle(toMaking: name.kind) { throw obstacle }
        let guarded = Guard.of(name.kind)
        let access = try guarded.made()
        try KeychainCalls.delete(place.query(.keyRecord(name)))
        try KeychainCalls.delete(place.query(key: name))
        var own: [String: Any] = [
            kSecAttrIsPermanent as String: true,
            kSecAttrApplicationTag as String: place.tag(of: name),
            kSecAttrLabel as String: place.mark,
            kSecAttrAccessControl as String: access,
        ]
        if let group = place.accessGroup { own[kSecAttrAccessGroup as String] = group }
        var parameters: [String: Any] = [
            kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom,
            kSecAttrKeySizeInBits as String: 256,
            kSecAttrTokenID as String: kSecAttrTokenIDSecureEnclave,
            kSecUseDataProtectionKeychain as String: true,
            kSecPrivateKeyAttrs as String: own,
        ]
        let context = silentContext(password: password)
        defer { context.invalidate() }
        if password != nil { parameters[kSecUseAuthenticationContext as String] = context }
        let key = try KeychainCalls.makeKey(
            parameters, needsPasscode: guarded.protection == .whenPasscodeSetThisDeviceOnly)
        let made = try KeychainCalls.publicKey(of: key)
        if name.kind.userVerification > .none, name.kind != .pin {
            try write(made.x963, as: .keyRecord(name))
        }
        return made
    }

    /// The public half of a key. The record has it even after the key was invalidated.
    func publicKey(of name: KeyName) throws(Failure) -> PublicKey {
        if let point = try read(.keyRecord(name)), let publicKey = PublicKey(x963: point) { return publicKey }
        let context = silentContext()
        defer { context.invalidate() }
        return try KeychainCalls.publicKey(of: try key(name, context))
    }

    /// Signs with a key that needs no user verification.
    func sign(_ message: [UInt8], with name: KeyName) throws(Failure) -> [UInt8] {
        try open()
        let context = silentContext()
        defer { context.invalidate() }
        return try KeychainCalls.sign(message, with: try key(name, context))
    }

    /// Signs with a key behind an application password. A wrong password throws `notMatched`.
    func sign(_ message: [UInt8], with name: KeyName, password: [UInt8]) throws(Failure) -> [UInt8] {
        try open()
        let context = silentContext(password: password)
        defer { context.invalidate() }
        let key: SecKey
        do throws(Failure) {
            key = try self.key(name, context)
        } catch {
            guard mayBeAboutThePassword(error, of: name) else { throw error }
            throw Failure(.notMatched, status: error.status)
        }
        do throws(Failure) {
            return try KeychainCalls.sign(message, with: key)
        } catch {
            guard SilentRefusal.mayBeAWrongPassword(error.status) else { throw error }
            throw Failure(.notMatched, status: error.status)
        }
    }

    /// The state of a key, found by requesting a signature without a prompt.
    func state(ofKey name: KeyName) -> KeyState {
        let context = silentContext()
        defer { context.invalidate() }
        do throws(Failure) {
            try open()
        } catch {
            return .notYetReadable
        }
        let key: SecKey
        do throws(Failure) {
            var query = place.query(key: name)
            query[kSecUseAuthenticationContext as String] = context
            guard let found = try KeychainCalls.key(query) else {
                let wasMade = try KeychainCalls.data(place.query(.keyRecord(name))) != nil
                return wasMade ? .invalidated(.unknown) : .missing
            }
            key = found
        } catch {
            return state(afterLookup: error, of: name.kind)
        }
        // No change on the device invalidates a PIN key, and a try without the PIN may look like one with a wrong PIN.
        guard name.kind != .pin else { return .usable }
        do throws(Failure) {
            _ = try KeychainCalls.sign([], with: key)
            return .usable
        } catch {
            return state(afterSilentUse: error, of: name.kind, isOfTheSet: name.kind == .biometric)
        }
    }

    /// The state of a key whose lookup was refused. The lookup needs no prompt, so "not allowed to ask" means that the
    /// device is locked.
    private func state(afterLookup refusal: Failure, of kind: KeyKind) -> KeyState {
        switch SilentRefusal(refusal.status) {
        case .asks, .unclear: return .notYetReadable
        // The password of a PIN key is not given here, and the lookup may be where it is judged.
        case .isGone, .refused:
            return kind == .pin ? .usable : state(afterSilentUse: refusal, of: kind, isOfTheSet: kind == .biometric)
        }
    }

    /// Deletes a key and its record. A missing key is no failure.
    func deleteKey(_ name: KeyName) throws(Failure) {
        try open()
        try KeychainCalls.delete(place.query(key: name))
        try KeychainCalls.delete(place.query(.keyRecord(name)))
    }

    /// Deletes every key of a server and account with its record, those with a PIN too.
    func deleteKeys(server: String, account: String) throws(Failure) {
        try open()
        let context = silentContext()
        defer { context.invalidate() }
        var (keys, passwords) = (place.keys, place.passwords)
        keys[kSecUseAuthenticationContext as String] = context
        passwords[kSecUseAuthenticationContext as String] = context
        let owner = KeyName.owner(server, account)
        for found in try KeychainCalls.attributes(keys) {
            guard let tag = found[kSecAttrApplicationTag as String] as? Data, place.isTag(tag, of: owner) else { continue }
            var query = place.keys
            query[kSecAttrApplicationTag as String] = tag
            try KeychainCalls.delete(query)
        }
        for found in try KeychainCalls.attributes(passwords) {
            guard let item = found[kSecAttrAccount as String] as? String, item.hasPrefix("key \(owner)") else { continue }
            var query = place.passwords
            query[kSecAttrAccount as String] = item
            try KeychainCalls.delete(query)
        }
    }

    /// Whether the lookup of a key may have been refused for the password that it was given. The keychain turns what a token
    /// refuses into "cannot be decoded", "not found" or an internal error, and a request for another password into "not
    /// allowed to ask". So two answers that mean something else by themselves are looked at twice.
    private func mayBeAboutThePassword(_ refusal: Failure, of name: KeyName) -> Bool {
        guard let status = refusal.status else { return isThere(name) }
        return AppleStatus(status) == AppleStatus(-25308) ? !isLocked() : SilentRefusal.mayBeAWrongPassword(status)
    }

    /// Whether a key is found without its password.
    private func isThere(_ name: KeyName) -> Bool {
        let context = silentContext()
        defer { context.invalidate() }
        return (try? key(name, context)) != nil
    }

    /// Whether the device was not unlocked since it started. Then it takes no item of a PIN key's protection either.
    private func isLocked() -> Bool {
        do throws(Failure) {
            try write([1], as: .probe)
            try delete(.probe)
            return false
        } catch {
            return error.status.map { AppleStatus($0) } == AppleStatus(-25308)
        }
    }

    private func key(_ name: KeyName, _ context: LAContext) throws(Failure) -> SecKey {
        var query = place.query(key: name)
        query[kSecUseAuthenticationContext as String] = context
        guard let key = try KeychainCalls.key(query) else { throw Failure(.notEnrolled) }
        return key
    }
}
#endif
