#if canImport(CryptoKit)
import CryptoKit
#else
import Crypto
#endif
public import Foundation

public struct SecKeyAlgorithm: RawRepresentable, Hashable, Sendable {
    public let rawValue: CFString
    public init(rawValue: CFString) { self.rawValue = rawValue }
    /// ECDSA over the SHA-256 of the message; the signature is DER.
    public static let ecdsaSignatureMessageX962SHA256 = Self(rawValue: "algid:sign:ECDSA:message-X962:SHA256")
}

/// A private key of the Secure Enclave, or a public one.
public final class SecKey: Hashable {
    let privateKey: P256.Signing.PrivateKey?
    let publicKey: P256.Signing.PublicKey
    let access: SecAccessControl?
    let life: StandInKeychain.Life
    /// The hash of the application password that the key was made with.
    let password: Data?
    let context: (any StandInContext)?

    init(
        _ privateKey: P256.Signing.PrivateKey?, _ publicKey: P256.Signing.PublicKey, _ access: SecAccessControl?,
        _ life: StandInKeychain.Life, password: Data?, context: (any StandInContext)?
    ) {
        self.privateKey = privateKey
        self.publicKey = publicKey
        self.access = access
        self.life = life
        self.password = password
        self.context = context
    }

    func copy(using context: (any StandInContext)?) -> SecKey {
        SecKey(privateKey, publicKey, access, life, password: password, context: context)
    }

    public static func == (lhs: SecKey, rhs: SecKey) -> Bool {
        lhs.publicKey.rawRepresentation == rhs.publicKey.rawRepresentation && (lhs.privateKey == nil) == (rhs.privateKey == nil)
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(publicKey.rawRepresentation) }
}

@available(*, unavailable) extension SecKey: @unchecked Sendable {}

private func set(_ error: UnsafeMutablePointer<Unmanaged<CFError>?>?, _ value: NSError) {
    error?.pointee = Unmanaged.passRetained(value)
}

let localAuthentication = "com.apple.LocalAuthentication"

public func SecKeyCreateRandomKey(
    _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    let device = StandIns.current
    device.calls.note("SecKeyCreateRandomKey")
    if let status = device.keychain.nextFailure(of: "SecKeyCreateRandomKey") {
        set(error, osStatus(status))
        return nil
    }
    noteKeychain(parameters, on: device)
    let facts = device.facts
    device.keychain.forgetDead(facts)
    let own = parameters[kSecPrivateKeyAttrs] as? [String: Any] ?? [:]
    let group = (parameters[kSecAttrAccessGroup] ?? own[kSecAttrAccessGroup]) as? String
    guard parameters[kSecAttrKeyType] as? String == kSecAttrKeyTypeECSECPrimeRandom,
        parameters[kSecAttrKeySizeInBits] as? Int == 256, parameters[kSecAttrTokenID] as? String == kSecAttrTokenIDSecureEnclave,
        own[kSecAttrTokenID] == nil
    else {
        set(error, osStatus(errSecParam))
        return nil
    }
    if let group, let groups = facts.accessGroups, !groups.contains(group) {
        set(error, osStatus(errSecMissingEntitlement))
        return nil
    }
    guard facts.isReadable else {
        set(error, osStatus(errSecInteractionNotAllowed))
        return nil
    }
    let access = own[kSecAttrAccessControl] as? SecAccessControl
    let flags = access?.standInFlags ?? []
    let protection = access?.standInProtection ?? kSecAttrAccessibleWhenUnlocked
    if protection == kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly, facts.passcode == nil {
        set(error, osStatus(errSecNotAvailable))
        return nil
    }
    if facts.simulator == .refusesKeys, !flags.isDisjoint(with: [.biometryAny, .biometryCurrentSet]) {
        set(error, osStatus(errSecAuthFailed))
        return nil
    }
    if !flags.isDisjoint(with: [.biometryAny, .biometryCurrentSet]), facts.enrolment == nil {
        set(error, NSError(domain: localAuthentication, code: -7))
        return nil
    }
    let context = parameters[kSecUseAuthenticationContext] as? any StandInContext
    let password = flags.contains(.applicationPassword) ? context?.standInPassword : nil
    if flags.contains(.applicationPassword), password == nil {
        set(error, NSError(domain: localAuthentication, code: -1004))
        return nil
    }
    let made = P256.Signing.PrivateKey()
    let key = SecKey(
        made, made.publicKey, access?.bound(to: facts.enrolment), StandInKeychain.life(access, protection, facts),
        password: password.map { Data(SHA256.hash(data: $0)) }, context: context)
    if own[kSecAttrIsPermanent] as? Bool == true {
        var attributes = parameters.merging(own) { $1 }.filter { StandInKeychain.searchable.contains($0.key) }
        attributes[kSecClass] = kSecClassKey
        attributes[kSecAttrApplicationLabel] = Data(SHA256.hash(data: made.publicKey.x963Representation))
        device.keychain.lock.withLock {
            device.keychain.items.append(
                .init(attributes: attributes, data: nil, key: key, access: key.access, protection: protection, life: key.life))
        }
    }
    return key
}

public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? {
    SecKey(nil, key.publicKey, nil, .init(), password: nil, context: nil)
}

/// The attributes of a key, which need no prompt.
public func SecKeyCopyAttributes(_ key: SecKey) -> CFDictionary? {
    let device = StandIns.current
    device.calls.note("SecKeyCopyAttributes")
    var attributes: [String: Any] = [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256]
    if let access = key.access, !device.facts.hidesAccessControl { attributes[kSecAttrAccessControl] = access }
    return attributes
}

/// The X9.63 form of a public key. A private key does not leave the Secure Enclave.
public func SecKeyCopyExternalRepresentation(_ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?) -> CFData? {
    guard key.privateKey == nil else {
        set(error, osStatus(errSecParam))
        return nil
    }
    return key.publicKey.x963Representation
}

public func SecKeyCreateSignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    let device = StandIns.current
    device.calls.note("SecKeyCreateSignature")
    let facts = device.facts
    guard algorithm == .ecdsaSignatureMessageX962SHA256, let signer = key.privateKey else {
        set(error, osStatus(errSecParam))
        return nil
    }
    guard facts.isReadable else {
        set(error, osStatus(errSecInteractionNotAllowed))
        return nil
    }
    let isDead =
        (key.life.passcode != nil && key.life.passcode != facts.passcode)
        || (key.life.enrolment != nil && key.life.enrolment != facts.enrolment)
    if isDead, !facts.deadOnlyAfterAMatch {
        set(error, facts.dead.error)
        return nil
    }
    // An access control that does not allow the use of a private key gives no right to sign, whatever the person shows
    // ("ACL operation is not allowed").
    if let access = key.access, !access.standInFlags.contains(.privateKeyUsage) {
        set(error, NSError(domain: localAuthentication, code: -1009))
        return nil
    }
    if let refusal = key.access?.refusal(key.context, on: device) {
        set(error, NSError(domain: localAuthentication, code: refusal))
        return nil
    }
    if isDead {
        set(error, facts.dead.error)
        return nil
    }
    if let password = key.password {
        guard let given = key.context?.standInPassword else {
            set(error, NSError(domain: localAuthentication, code: -1004))
            return nil
        }
        guard facts.simulator == .opensEverything || Data(SHA256.hash(data: given)) == password else {
            set(error, facts.wrongPassword.error)
            return nil
        }
    }
    return try? signer.signature(for: dataToSign).derRepresentation
}
