#if Server
import ThumbturnCore
import ThumbturnMessages

/// Who may pay for which change of a device's keys. What does not stand in the table is refused.
struct KeyChangeRules: Sendable {
    /// What shows that the person may change a factor.
    enum Payer: Hashable, Sendable {
        /// A sign-in with the password, a moment ago.
        case credentials
        case biometric
        case passcode
        case pin
    }

    /// What has to be there before, of the kind that changes.
    enum Before: Hashable, Sendable {
        case nothing
        case aKey
        case either
    }

    struct Row: Sendable {
        var before: Before
        var payers: Set<Payer>
    }

    /// The passcode never pays for another PIN: whoever knows it would have the PIN too. Nor does it bring a biometric key, unless the
    /// deployment says so: whoever knows it can enrol a face. A biometric key has no part in its own replacement: it is asked for when
    /// that key is dead, or was turned off. Taking a PIN away and setting another one is a change of PIN, so it costs the same.
    static let table: [KeyChange: Row] = [
        .setPIN: Row(before: .nothing, payers: [.biometric, .passcode]),
        .changePIN: Row(before: .aKey, payers: [.pin, .biometric]),
        .resetPIN: Row(before: .either, payers: [.credentials]),
        .removePIN: Row(before: .aKey, payers: [.pin, .biometric]),
        .replaceBiometric: Row(before: .either, payers: [.credentials]),
        .removeBiometric: Row(before: .aKey, payers: [.biometric, .passcode, .pin]),
    ]

    /// Adds the passcode to the payers of a new biometric key.
    var letsPasscodeReplaceBiometricKey: Bool

    /// Whether this may pay, as things stand on the device.
    func allow(_ change: KeyChange, with payer: Payer, on device: EnrolledDevice) -> Bool {
        guard let row = Self.table[change] else { return false }
        let isThere = device.keys.contains { $0.kind == change.kind }
        guard row.before == .either || (row.before == .aKey) == isThere else { return false }
        return row.payers.contains(payer)
            || (letsPasscodeReplaceBiometricKey && change == .replaceBiometric && payer == .passcode)
    }

    /// What a key counts as when it pays. A biometric key that the passcode brought is worth what the passcode is.
    static func payer(_ key: EnrolledKey) -> Payer? {
        switch key.kind {
        case .biometric: key.enrolledBy == .passcode ? .passcode : .biometric
        case .passcode: .passcode
        case .pin: .pin
        case .session: nil
        }
    }

    /// What stands behind a key that another one paid for. What rests on the passcode goes on resting on it.
    static func origin(paidBy key: EnrolledKey) -> KeyOrigin {
        if key.enrolledBy == .passcode { return .passcode }
        return switch key.kind {
        case .biometric: .biometric
        case .passcode: .passcode
        case .pin: .pin
        case .session: preconditionFailure("a session key pays for nothing")
        }
    }
}
#endif
