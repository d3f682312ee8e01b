#if canImport(LocalAuthentication) && canImport(Security)
import Foundation
import Security
import ThumbturnCore
import ThumbturnDevice

/// An item that this library stores as a password of the keychain.
enum KeychainItem: Hashable, Sendable {
    /// A small secret that needs no prompt.
    case secret(String)
    /// The public half of a key with user verification. It outlives the key and so tells an invalidated key from one
    /// that never existed.
    case keyRecord(KeyName)
    /// The facts about a vault's secret that can be read without a prompt. It names the slot of the valid secret.
    case vaultRecord(KeyName)
    /// The secret of a vault.
    case vaultSecret(KeyName, Slot)
    /// An item that is kept for a moment, to see whether the keychain takes one.
    case probe

    /// One of two slots for a vault's secret. A new secret does not overwrite the old one: it goes to the other slot.
    enum Slot: Int, Codable, Sendable, CaseIterable {
        case first, second
        var other: Slot { self == .first ? .second : .first }
    }

    var account: String {
        switch self {
        case .secret(let name): "secret \(name)"
        case .probe: "probe"
        case .keyRecord(let name): "key \(name.spelled)"
        case .vaultRecord(let name): "vault \(name.spelled)"
        case .vaultSecret(let name, .first): "vault-secret-1 \(name.spelled)"
        case .vaultSecret(let name, .second): "vault-secret-2 \(name.spelled)"
        }
    }
}

extension KeyName {
    var spelled: String { Self.owner(server, account) + Spelled.text([String(enrolment), kind.rawValue]) }

    /// How the names of an account's keys are spelled at their beginning. No other account's begin so.
    static func owner(_ server: String, _ account: String) -> String { Spelled.text([server, account]) }
}

/// The queries that find the items of this library and no others. They search only the data-protection keychain, which
/// is not the default on a Mac, and only items that are not synchronised.
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

    /// Whether a tag is that of a key whose spelled name begins with this owner.
    func isTag(_ tag: Data, of owner: String) -> Bool {
        // Before the name stands its length, of which only the place's part is known.
        let (text, place) = (String(decoding: tag, as: UTF8.self), Spelled.text([mark]))
        guard text.hasPrefix(place) else { return false }
        let name = text.dropFirst(place.count).drop { $0.isNumber }
        return name.hasPrefix(":" + owner)
    }

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
