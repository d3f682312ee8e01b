import ThumbturnCore

/// What a key of the Keystore is made for; the numbers are those of the contract.
enum NewKeyKind: Int64, CaseIterable, Sendable {
    case biometric = 1
    case passcode = 2
    case session = 3
    case pin = 4
    case vaultBiometric = 5
    case vaultPasscode = 6
    case vaultAnyBiometric = 7
    case secrets = 8

    /// The one use of the key.
    var use: KeyPurpose {
        switch self {
        case .biometric, .passcode, .session: .sign
        case .vaultBiometric, .vaultPasscode, .vaultAnyBiometric, .secrets: .decrypt
        case .pin: .mac
        }
    }

    /// The kind of the factor that a change on the phone is judged by.
    var kind: KeyKind {
        switch self {
        case .biometric, .vaultBiometric, .vaultAnyBiometric: .biometric
        case .passcode, .vaultPasscode: .passcode
        case .pin: .pin
        case .session, .secrets: .session
        }
    }
}

/// A key that was just made.
struct NewKey: Sendable {
    /// The public half as SubjectPublicKeyInfo (RFC 5280 section 4.1); nil for a symmetric key.
    var spki: [UInt8]?
    var place: KeyPlace
    /// The class of what StrongBox threw; nil where it was not tried or made the key.
    var strongBoxRefusal: String?
}

/// One use of a key; the numbers are those of the contract.
enum KeyPurpose: Int64, Sendable {
    case sign = 1
    case decrypt = 3
    case mac = 4
}
