#if Server
import ThumbturnCore
import ThumbturnMessages

/// The rules for changes of a device's keys. A change that is not in the table is refused.
struct KeyChangeRules: Sendable {
    /// An authority that can authorise a change.
    enum Authority: Hashable, Sendable {
        /// A ticket, which was issued for a sign-in with full credentials. `SignInFreshness` says of which sign-in.
        case credentials
        /// A key that shows this factor; see `KeyStanding.factor`.
        case factor(KeyKind)
        /// The key that is replaced or removed, whatever its origin: the new key shows no stronger factor than this
        /// one.
        case theKeyItself
    }

    /// Whether the device must have a key of the changed kind.
    enum Before: Hashable, Sendable {
        case nothing
        case aKey
        case either
    }

    /// What a change needs.
    struct Rule: Sendable {
        var before: Before
        var authorities: Set<Authority>
    }

    /// The authorities of each change.
    ///
    /// The passcode never changes or removes a PIN, because a thief who knows the passcode would then have the PIN too.
    /// It authorises a new biometric key only if the deployment allows that, because a thief who knows it can enrol a
    /// face. A biometric key does not authorise its own replacement, which is needed when that key is invalidated or
    /// was turned off. Removing a PIN and setting another one amounts to a change, so both need the same authority.
    static let table: [KeyChange: Rule] = [
        .setPIN: Rule(before: .nothing, authorities: [.factor(.biometric), .factor(.passcode)]),
        .changePIN: Rule(before: .aKey, authorities: [.theKeyItself, .factor(.biometric)]),
        .resetPIN: Rule(before: .either, authorities: [.credentials]),
        .removePIN: Rule(before: .aKey, authorities: [.theKeyItself, .factor(.biometric)]),
        .replaceBiometric: Rule(before: .either, authorities: [.credentials]),
        .removeBiometric: Rule(before: .aKey, authorities: [.factor(.biometric), .factor(.passcode), .factor(.pin)]),
    ]

    /// Whether the passcode may authorise a new biometric key.
    var letsPasscodeReplaceBiometricKey: Bool

    /// The authority that a request for a change presents.
    enum Shown: Sendable {
        case credentials
        case key(KeyStanding)
    }

    /// Whether this authority allows the change, given the keys that the device has.
    func allow(_ change: KeyChange, by shown: Shown, on device: JudgedDevice) -> Bool {
        guard let row = Self.table[change] else { return false }
        let isThere = device.keys.contains { $0.kind == change.kind }
        guard row.before == .either || (row.before == .aKey) == isThere else { return false }
        guard case .key(let standing) = shown else { return row.authorities.contains(.credentials) }
        if row.authorities.contains(.theKeyItself), standing.kind == change.kind { return true }
        return row.authorities.contains(.factor(standing.factor))
            || (letsPasscodeReplaceBiometricKey && change == .replaceBiometric && standing.factor == .passcode)
    }
}
#endif
