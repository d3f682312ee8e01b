#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import Security
import ThumbturnCore
import ThumbturnDevice

/// What we keep as passwords of the keychain.
enum KeychainItem: Hashable, Sendable {
    /// A small secret that needs no prompt.
    case secret(String)
    /// The public half of a key that somebody has to unlock. It outlives the key, so one that is gone is told from one that never was.
    case keyRecord(KeyName)
    /// What is known of a vault's secret without asking anybody; it says which of the two places is the valid one.
    case vaultRecord(KeyName)
    /// A vault's secret itself.
    case vaultSecret(KeyName, Slot)

    /// A new secret never overwrites the old one: it goes to the other place.
    enum Slot: Int, Codable, Sendable, CaseIterable {
        case first, second
        var other: Slot { self == .first ? .second : .first }
    }

    var account: String {
        switch self {
        case .secret(let name): "secret \(name)"
        case .keyRecord(let name): "key \(name.spelled)"
        case .vaultRecord(let name): "vault \(name.spelled)"
        case .vaultSecret(let name, .first): "vault-secret-1 \(name.spelled)"
        case .vaultSecret(let name, .second): "vault-secret-2 \(name.spelled)"
        }
    }
}

extension KeyName {
    var spelled: String { Spelled.text([server, account, String(enrolment), kind.rawValue]) }
}

/// What finds our items again, and nothing of anybody else's. Always in the data-protection keychain, which on a Mac is not the default,
/// and never among what is synchronised.
extension KeychainPlace {
    func query(_ item: KeychainItem) -> [String: Any] {
        var query = passwords
        query[kSecAttrAccount as String] = item.account
        return query
    }

    func query(key name: KeyName) -> [String: Any] {
        var query = keys
        query[kSecAttrApplicationTag as String] = tag(of: name)
        return query
    }

    func tag(of name: KeyName) -> Data { Data(Spelled.text([mark, name.spelled]).utf8) }

    /// All passwords of this place.
    var passwords: [String: Any] {
        inGroup([kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: mark])
    }

    /// All keys of this place.
    var keys: [String: Any] { inGroup([kSecClass as String: kSecClassKey, kSecAttrLabel as String: mark]) }

    private func inGroup(_ query: [String: Any]) -> [String: Any] {
        var query = query
        query[kSecUseDataProtectionKeychain as String] = true
        if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
        return query
    }
}
#endif
