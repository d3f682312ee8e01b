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

/// Apple's calls with Swift's manners. They block, so they are for the two actors that run where that is allowed.
enum KeychainCalls {
    /// The bytes of an item; nil for none.
    static func data(_ query: [String: Any]) throws(Failure) -> [UInt8]? {
        var query = query
        query[kSecReturnData as String] = true
        return (try find(query) as? Data).map { Array($0) }
    }

    /// A reference to a key, bound to the query's context; nil for none.
    static func key(_ query: [String: Any]) throws(Failure) -> SecKey? {
        var query = query
        query[kSecReturnRef as String] = true
        // Types of CoreFoundation have no conditional cast; what a query for keys returns by reference is a key.
        return try find(query).map { $0 as! SecKey }
    }

    private static func find(_ query: [String: Any]) throws(Failure) -> CFTypeRef? {
        var item: CFTypeRef?
        let status = unsafe SecItemCopyMatching(query as CFDictionary, &item)
        if status == errSecItemNotFound { return nil }
        try check(status)
        return item
    }

    /// - Parameter needsPasscode: whether it is protected by a class that wants one.
    static func add(_ attributes: [String: Any], needsPasscode: Bool) throws(Failure) {
        let status = SecItemAdd(attributes as CFDictionary, nil)
        guard status == errSecSuccess else { throw AppleStatus(status).failureOfMaking(needsPasscode: needsPasscode) }
    }

    /// False where there is no such item.
    static func update(_ query: [String: Any], data: [UInt8]) throws(Failure) -> Bool {
        let status = SecItemUpdate(query as CFDictionary, [kSecValueData as String: Data(data)] as CFDictionary)
        if status == errSecItemNotFound { return false }
        try check(status)
        return true
    }

    /// Deletes all that match; none is no failure. Never asks anybody, whatever guards the items.
    static func delete(_ query: [String: Any]) throws(Failure) {
        let status = SecItemDelete(query as CFDictionary)
        if status != errSecItemNotFound { try check(status) }
    }

    /// - Parameter needsPasscode: whether it is protected by a class that wants one.
    static func makeKey(_ parameters: [String: Any], needsPasscode: Bool) throws(Failure) -> SecKey {
        var error: Unmanaged<CFError>?
        guard let key = unsafe SecKeyCreateRandomKey(parameters as CFDictionary, &error) else {
            throw unsafe status(error).failureOfMaking(needsPasscode: needsPasscode)
        }
        return key
    }

    /// The public half. It needs nobody.
    static func publicKey(of key: SecKey) throws(Failure) -> PublicKey {
        var error: Unmanaged<CFError>?
        guard let publicKey = SecKeyCopyPublicKey(key) else { throw Failure(.platform) }
        guard let point = unsafe SecKeyCopyExternalRepresentation(publicKey, &error) else { throw unsafe failure(error) }
        guard let half = PublicKey(x963: Array(point as Data)) else { throw Failure(.platform) }
        return half
    }

    /// ES256: r and s, 32 bytes each. The system hashes the message, and answers in DER.
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
