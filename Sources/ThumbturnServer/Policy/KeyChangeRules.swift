#if Server
import ThumbturnCore
import ThumbturnMessages

/// What authorises each change of a device's keys. A change that is not in the table is refused.
struct KeyChangeRules: Sendable {
    /// What authorises a change.
    enum Authority: Hashable, Sendable {
        /// A sign-in with full credentials, a moment ago.
        case credentials
        /// A key that shows this factor; see `KeyStanding.factor`.
        case factor(KeyKind)
        /// The key that is replaced or removed, whatever brought it in: what follows it rests on the same.
        case theKeyItself
    }

    /// What the device must have of the kind that changes.
    enum Before: Hashable, Sendable {
        case nothing
        case aKey
        case either
    }

    struct Row: Sendable {
        var before: Before
        var authorities: Set<Authority>
    }

    /// The passcode never authorises another PIN: a person who knows it would have the PIN too. Nor does it bring a biometric
    /// key, unless the deployment says so: a person who knows it can enrol a face. A biometric key has no part in its own
    /// replacement, which is asked for when that key is dead or was turned off. Removing a PIN and setting another one is a
    /// change of PIN, so it costs the same.
    static let table: [KeyChange: Row] = [
        .setPIN: Row(before: .nothing, authorities: [.factor(.biometric), .factor(.passcode)]),
        .changePIN: Row(before: .aKey, authorities: [.theKeyItself, .factor(.biometric)]),
        .resetPIN: Row(before: .either, authorities: [.credentials]),
        .removePIN: Row(before: .aKey, authorities: [.theKeyItself, .factor(.biometric)]),
        .replaceBiometric: Row(before: .either, authorities: [.credentials]),
        .removeBiometric: Row(before: .aKey, authorities: [.factor(.biometric), .factor(.passcode), .factor(.pin)]),
    ]

    /// Lets the passcode authorise a new biometric key.
    var letsPasscodeReplaceBiometricKey: Bool

    /// What a request for a change came with.
    enum Shown: Sendable {
        case credentials
        case key(KeyStanding)
    }

    /// Whether this authorises the change, as things stand on the device.
    func allow(_ change: KeyChange, by shown: Shown, on device: EnrolledDevice) -> Bool {
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
