#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
import Foundation

/// The keychain of one device. It outlives the app.
public final class StandInKeychain: @unchecked Sendable {
    let lock = NSLock()
    var items: [Item] = []
    private var failures: [String: OSStatus] = [:]
    private var others: [String: @Sendable () -> Void] = [:]

    public init() {}

    struct Item {
        var attributes: [String: Any]
        var data: Data?
        var key: SecKey?
        var access: SecAccessControl?
        var protection: String
        var life: Life
    }

    /// The passcode and the enrolled set whose removal invalidates an item; nil for those that do not affect it.
    struct Life {
        var passcode: Int?
        var enrolment: Int?
    }

    /// All items, for tests: the attributes, the protection and the flags of the access control.
    public var contents: [(attributes: [String: Any], protection: String, flags: SecAccessControlCreateFlags?, isKey: Bool)] {
        lock.withLock {
            items.map { ($0.attributes, $0.protection, $0.access?.standInFlags, $0.key != nil) }
        }
    }

    /// Restores a backup on another device: items that may not leave their device are gone.
    public func restored() {
        lock.withLock { items.removeAll { thisDeviceOnly.contains($0.protection) || $0.key != nil } }
    }

    /// Lets the next call of this name fail with a status and have no effect, like a full disk or a crash at that
    /// point.
    public func failNext(_ name: String, with status: OSStatus) { lock.withLock { failures[name] = status } }

    func nextFailure(of name: String) -> OSStatus? { lock.withLock { failures.removeValue(forKey: name) } }

    /// Lets another process act just before the next call of this name has its effect.
    public func beforeNext(_ name: String, _ act: @escaping @Sendable () -> Void) { lock.withLock { others[name] = act } }

    func nextOther(of name: String) -> (@Sendable () -> Void)? { lock.withLock { others.removeValue(forKey: name) } }

    static func life(_ access: SecAccessControl?, _ protection: String, _ facts: StandInFacts) -> Life {
        let flags = access?.standInFlags ?? []
        return Life(
            passcode: protection == kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly || flags.contains(.devicePasscode)
                ? facts.passcode : nil,
            enrolment: flags.contains(.biometryCurrentSet) ? facts.enrolment : nil
        )
    }

    /// Deletes the items that a removed passcode destroys.
    func forgetDead(_ facts: StandInFacts) {
        lock.withLock { items.removeAll { $0.life.passcode != nil && $0.life.passcode != facts.passcode } }
    }

    /// The positions of the items that a query matches.
    func matches(_ query: [String: Any]) -> [Int] {
        let asked = query.filter { Self.searchable.contains($0.key) }
        return items.indices.filter { index in
            asked.allSatisfy { name, value in
                guard let own = items[index].attributes[name] else { return false }
                return NSObject.isEqual(own, value)
            }
        }
    }

    static let searchable: Set<String> = [
        kSecClass, kSecAttrService, kSecAttrAccount, kSecAttrLabel, kSecAttrGeneric, kSecAttrAccessGroup, kSecAttrSynchronizable,
        kSecAttrKeyType, kSecAttrKeySizeInBits, kSecAttrApplicationTag, kSecAttrApplicationLabel, kSecAttrTokenID,
    ]
}

extension NSObject {
    fileprivate static func isEqual(_ one: Any, _ other: Any) -> Bool {
        switch (one, other) {
        case (let one as String, let other as String): one == other
        case (let one as Data, let other as Data): one == other
        case (let one as Bool, let other as Bool): one == other
        case (let one as Int, let other as Int): one == other
        default: false
        }
    }
}

/// The keychain's code for a failure of LocalAuthentication. Only three codes are left.
func flattened(_ code: Int) -> OSStatus {
    switch code {
    case -2: errSecUserCanceled
    case -1004: errSecInteractionNotAllowed
    default: errSecAuthFailed
    }
}

/// Notes a query for the wrong keychain. On a Mac, queries go to another keychain by default, which has no access
/// control.
func noteKeychain(_ query: CFDictionary, on device: any StandInDevice) {
    if query[kSecUseDataProtectionKeychain] as? Bool != true { device.calls.note("not in the data-protection keychain") }
}

private func prepared(_ query: CFDictionary, _ name: String) -> (device: any StandInDevice, status: OSStatus) {
    let device = StandIns.current
    device.calls.note(name)
    device.keychain.forgetDead(device.facts)
    noteKeychain(query, on: device)
    if query[kSecClass] == nil { return (device, errSecParam) }
    if let failure = device.keychain.nextFailure(of: name) { return (device, failure) }
    device.keychain.nextOther(of: name)?()
    if let group = query[kSecAttrAccessGroup] as? String, let groups = device.facts.accessGroups, !groups.contains(group) {
        return (device, errSecMissingEntitlement)
    }
    return (device, errSecSuccess)
}

/// The status before the first unlock, when no class key is available for old or new items. A missing item is reported
/// as not found nevertheless, because nothing has to be decrypted for that.
private let locked = errSecInteractionNotAllowed

@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    let (device, status) = prepared(attributes, "SecItemAdd")
    guard status == errSecSuccess else { return status }
    let access = attributes[kSecAttrAccessControl] as? SecAccessControl
    let accessible = attributes[kSecAttrAccessible] as? String
    if let access {
        if let accessible, accessible != access.standInProtection { return errSecParam }
        if !access.standInFlags.constraints.isEmpty, attributes[kSecAttrSynchronizable] as? Bool == true { return errSecParam }
        // A password with this flag could not be decrypted. The real status is not known.
        if access.standInFlags.contains(.privateKeyUsage) { return errSecAuthFailed }
    }
    guard device.facts.isReadable else { return locked }
    let protection = access?.standInProtection ?? accessible ?? kSecAttrAccessibleWhenUnlocked
    if protection == kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, device.facts.passcode == nil { return errSecNotAvailable }
    if access?.standInFlags.contains(.biometryCurrentSet) == true, device.facts.enrolment == nil { return errSecAuthFailed }
    let keychain = device.keychain
    let life = StandInKeychain.life(access, protection, device.facts)
    return keychain.lock.withLock {
        let identity = attributes.filter {
            [kSecClass, kSecAttrService, kSecAttrAccount, kSecAttrAccessGroup, kSecAttrSynchronizable].contains($0.key)
        }
        guard keychain.matches(identity).isEmpty else { return errSecDuplicateItem }
        keychain.items.append(
            .init(
                attributes: attributes.filter { StandInKeychain.searchable.contains($0.key) },
                data: attributes[kSecValueData] as? Data, key: nil, access: access?.bound(to: device.facts.enrolment),
                protection: protection, life: life))
        return errSecSuccess
    }
}

public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    let (device, status) = prepared(query, "SecItemCopyMatching")
    guard status == errSecSuccess else { return status }
    let wantsData = query[kSecReturnData] as? Bool == true
    let wantsAll = query[kSecMatchLimit] as? String == kSecMatchLimitAll
    // The system does not allow this for passwords.
    if wantsData, wantsAll { return errSecParam }
    let keychain = device.keychain
    let context = query[kSecUseAuthenticationContext] as? any StandInContext
    let skips = query[kSecUseAuthenticationUI] as? String == kSecUseAuthenticationUISkip
    // Whether a search for all items asks for those that are protected is not documented, so it has to forbid that.
    if wantsAll, !skips, context?.standInMayAsk != false { device.calls.note("a search that may show a prompt") }
    let found = keychain.lock.withLock { keychain.matches(query).map { keychain.items[$0] } }.filter { item in
        !(skips && item.access.map { !$0.standInFlags.constraints.isEmpty && !$0.isMet(by: context) } == true)
    }
    guard let first = found.first else { return errSecItemNotFound }
    guard device.facts.isReadable else { return locked }
    if query[kSecReturnRef] as? Bool == true, let key = first.key {
        let facts = device.facts
        if let refusal = facts.wrongPassword.lookup, let password = key.password, let given = context?.standInPassword,
            Data(SHA256.hash(data: given)) != password
        {
            return refusal
        }
        if let refusal = facts.dead.lookup, let made = key.life.enrolment, made != facts.enrolment { return refusal }
        // A reference needs no prompt. It keeps the query's context.
        result?.pointee = key.copy(using: context)
        return errSecSuccess
    }
    let wantsAttributes = query[kSecReturnAttributes] as? Bool == true
    if wantsData {
        if let made = first.life.enrolment, made != device.facts.enrolment { return device.facts.dead.status }
        if let refusal = first.access?.refusal(context, on: device) { return flattened(refusal) }
        guard let data = first.data else { return errSecItemNotFound }
        // Both together are a dictionary with the data in it.
        result?.pointee =
            wantsAttributes ? first.attributes.merging([kSecValueData: data]) { $1 } as NSDictionary : data as NSData
        return errSecSuccess
    }
    if wantsAttributes {
        if !wantsAll, device.facts.protectsAttributes, let refusal = first.access?.refusal(context, on: device) {
            return flattened(refusal)
        }
        let told = first.access.flatMap { device.facts.hidesAccessControl ? nil : [kSecAttrAccessControl: $0] } ?? [:]
        result?.pointee =
            wantsAll ? found.map(\.attributes) as NSArray : first.attributes.merging(told) { $1 } as NSDictionary
    }
    return errSecSuccess
}

@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    let (device, status) = prepared(query, "SecItemUpdate")
    guard status == errSecSuccess else { return status }
    guard attributesToUpdate[kSecUseAuthenticationContext] == nil else { return errSecNoSuchAttr }
    let keychain = device.keychain
    let context = query[kSecUseAuthenticationContext] as? any StandInContext
    let found = keychain.lock.withLock { keychain.matches(query).map { keychain.items[$0] } }
    guard let first = found.first else { return errSecItemNotFound }
    guard device.facts.isReadable else { return locked }
    if let made = first.life.enrolment, made != device.facts.enrolment { return device.facts.dead.status }
    if let refusal = first.access?.refusal(context, on: device) { return flattened(refusal) }
    return keychain.lock.withLock {
        // Another process may have changed the item since, so that it matches no more.
        let found = keychain.matches(query)
        for index in found {
            if let data = attributesToUpdate[kSecValueData] as? Data { keychain.items[index].data = data }
            for (name, value) in attributesToUpdate where StandInKeychain.searchable.contains(name) {
                keychain.items[index].attributes[name] = value
            }
        }
        return found.isEmpty ? errSecItemNotFound : errSecSuccess
    }
}

/// Never shows a prompt, whatever protects the item.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    let (device, status) = prepared(query, "SecItemDelete")
    guard status == errSecSuccess else { return status }
    guard query[kSecMatchLimit] == nil, query[kSecValueRef] == nil else { return errSecParam }
    let (keychain, isReadable) = (device.keychain, device.facts.isReadable)
    return keychain.lock.withLock {
        let found = Set(keychain.matches(query))
        guard found.isEmpty || isReadable else { return locked }
        keychain.items = keychain.items.enumerated().filter { !found.contains($0.offset) }.map(\.element)
        return found.isEmpty ? errSecItemNotFound : errSecSuccess
    }
}
