#if canImport(LocalAuthentication) && canImport(Security)
#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Foundation
import Security
import ThumbturnCore
import ThumbturnMessages

/// Apple's keychain calls with Swift's types and errors. They block, so they belong on the two actors whose executor
/// allows that.
enum KeychainCalls {
    /// Reads the bytes of an item; nil if there is none.
    static func data(_ query: [String: Any]) throws(Failure) -> [UInt8]? {
        var query = query
        query[kSecReturnData as String] = true
        return (try find(query) as? Data).map { Array($0) }
    }

    /// Reads the bytes of an item, and the mark of its last change; nil if there is no item. Throws `platform` for an item
    /// without a mark, which no call of this library has made.
    static func marked(_ query: [String: Any]) throws(Failure) -> (bytes: [UInt8], mark: Data)? {
        var query = query
        query[kSecReturnData as String] = true
        query[kSecReturnAttributes as String] = true
        guard let item = try find(query) else { return nil }
        guard let found = item as? [String: Any], let mark = found[kSecAttrGeneric as String] as? Data else {
            throw Failure(.platform)
        }
        let bytes = found[kSecValueData as String] as? Data
        return (bytes.map { Array($0) } ?? [], mark)
    }

    /// The attributes of every item that matches, without their secrets. It shows no prompt if the query's context
    /// cannot.
    static func attributes(_ query: [String: Any]) throws(Failure) -> [[String: Any]] {
        var query = query
        query[kSecReturnAttributes as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitAll
        guard let items = try find(query) else { return [] }
        guard let found = items as? [[String: Any]] else { throw Failure(.platform) }
        return found
    }

    /// A reference to a key, bound to the query's context; nil if there is none.
    static func key(_ query: [String: Any]) throws(Failure) -> SecKey? {
        var query = query
        query[kSecReturnRef as String] = true
        // CoreFoundation types have no conditional cast. A query for keys that returns a reference returns a key.
        return try find(query).map { $0 as! SecKey }
    }

    /// The access control of a key, which needs no prompt; nil where the system does not tell it.
    static func access(of key: SecKey) -> SecAccessControl? {
        // A dictionary of CoreFoundation has no conditional cast; an object has.
        let attributes = SecKeyCopyAttributes(key).map { $0 as CFTypeRef }
        return (attributes as? [String: Any]).flatMap(control)
    }

    /// The access control of an item, without its secret; nil if there is no item, or the system does not tell it. It shows
    /// no prompt if the query's context cannot.
    static func access(to query: [String: Any]) throws(Failure) -> SecAccessControl? {
        var query = query
        query[kSecReturnAttributes as String] = true
        return (try find(query) as? [String: Any]).flatMap(control)
    }

    private static func control(in attributes: [String: Any]) -> SecAccessControl? {
        guard let value = attributes[kSecAttrAccessControl as String].map({ $0 as CFTypeRef }),
            CFGetTypeID(value) == SecAccessControlGetTypeID()
        else { return nil }
        return (value as! SecAccessControl)
    }

    private static func find(_ query: [String: Any]) throws(Failure) -> CFTypeRef? {
        var item: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &item)
        if status == errSecItemNotFound { return nil }
        try check(status)
        return item
    }

    /// Adds an item. Returns false if there is one already.
    ///
    /// - Parameter needsPasscode: whether its protection class needs a passcode.
    static func add(_ attributes: [String: Any], needsPasscode: Bool) throws(Failure) -> Bool {
        let status = SecItemAdd(attributes as CFDictionary, nil)
        if status == errSecDuplicateItem { return false }
        guard status == errSecSuccess else { throw AppleStatus(status).failureOfMaking(needsPasscode: needsPasscode) }
        return true
    }

    /// Replaces the data or other attributes of an item. Returns false if no item matches.
    static func update(_ query: [String: Any], to attributes: [String: Any]) throws(Failure) -> Bool {
        let status = SecItemUpdate(query as CFDictionary, attributes as CFDictionary)
        if status == errSecItemNotFound { return false }
        try check(status)
        return true
    }

    /// Deletes all items that match. Returns false if there are none. It never shows a prompt, whatever protects the
    /// items.
    @discardableResult
    static func delete(_ query: [String: Any]) throws(Failure) -> Bool {
        let status = SecItemDelete(query as CFDictionary)
        if status == errSecItemNotFound { return false }
        try check(status)
        return true
    }

    /// Makes a key.
    ///
    /// - Parameter needsPasscode: whether its protection class needs a passcode.
    static func makeKey(_ parameters: [String: Any], needsPasscode: Bool) throws(Failure) -> SecKey {
        var error: Unmanaged<CFError>?
        guard let key = unsafe SecKeyCreateRandomKey(parameters as CFDictionary, &error) else {
            throw unsafe status(error).failureOfMaking(needsPasscode: needsPasscode)
        }
        return key
    }

    /// The public half of a key, which needs no prompt.
    static func publicKey(of key: SecKey) throws(Failure) -> PublicKey {
        var error: Unmanaged<CFError>?
        guard let publicKey = SecKeyCopyPublicKey(key) else { throw Failure(.platform) }
        guard let point = unsafe SecKeyCopyExternalRepresentation(publicKey, &error) else { throw unsafe failure(error) }
        guard let half = PublicKey(x963: Array(point as Data)) else { throw Failure(.platform) }
        return half
    }

    /// Signs with ES256: r and s, 32 bytes each. The system hashes the message and returns DER.
    static func sign(_ message: [UInt8], with key: SecKey) throws(Failure) -> [UInt8] {
        var error: Unmanaged<CFError>?
        let algorithm = SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256
        guard let der = unsafe SecKeyCreateSignature(key, algorithm, Data(message) as CFData, &error) else {
            throw unsafe failure(error)
        }
        guard let signature = try? P256.Signing.ECDSASignature(derRepresentation: der as Data) else {
            throw Failure(.platform)
        }
        return Array(signature.rawRepresentation)
    }

    private static func check(_ status: OSStatus) throws(Failure) {
        guard status == errSecSuccess else { throw AppleStatus(status).failure }
    }

    private static func failure(_ error: Unmanaged<CFError>?) -> Failure { unsafe status(error).failure }

    private static func status(_ error: Unmanaged<CFError>?) -> AppleStatus {
        AppleStatus(unsafe error?.takeRetainedValue() as (any Error)?)
    }
}
#endif
