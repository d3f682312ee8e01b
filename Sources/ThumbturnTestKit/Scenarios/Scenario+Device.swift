import ThumbturnCore

// The spelling of a device's abilities in scenario files.

extension Readiness {
    var spelled: [String: JSON] {
        var members: [String: JSON] = [
            "biometry": biometry.spelled,
            "keys": .object(Dictionary(uniqueKeysWithValues: keys.map { ($0.rawValue, $1.spelled) })),
        ]
        if canSignIn { members["full_sign_in"] = .text("rung") }
        return members
    }

    /// Reads the members `biometry`, `keys` and `full_sign_in`; kinds of keys that are not listed are missing.
    init(_ members: [String: Place], ladder: [Rung]) throws {
        let states = try members["keys"]!.members([], optional: KeyKind.allCases.map(\.rawValue))
        var keys: [KeyKind: KeyState] = [:]
        for kind in KeyKind.allCases { keys[kind] = try states[kind.rawValue].map(KeyState.init) }
        self.init(biometry: try BiometryState(members["biometry"]!), keys: keys, ladder: ladder)
        if let signIn = members["full_sign_in"] {
            guard try signIn.text() == "rung" else { throw signIn.problem("is \"rung\", or absent") }
            canSignIn = true
        }
    }
}

extension BiometryState {
    /// The states without values.
    private static let plain: [String: BiometryState] = [
        "ready": .ready, "notEnrolled": .notEnrolled, "permissionDenied": .permissionDenied, "weak": .weak,
        "unconfirmed": .unconfirmed, "passcodeNotSet": .passcodeNotSet, "lidClosed": .lidClosed, "switchedOff": .switchedOff,
        "forbidden": .forbidden, "absent": .absent, "unavailable": .unavailable,
    ]

    var spelled: JSON {
        switch self {
        case .lockedOut(let lockout): .one("lockedOut", .text(lockout.rawValue))
        case .paused(let duration): .one("paused", .time(duration))
        default: .text(Self.plain.first { $0.value == self }?.key ?? "\(self)")
        }
    }

    init(_ place: Place) throws {
        switch try place.choice() {
        case ("lockedOut", let it?): self = .lockedOut(try it.named())
        case ("paused", let it?): self = .paused(for: try it.duration())
        case (let name, nil):
            guard let state = Self.plain[name] else { throw place.unknown }
            self = state
        default: throw place.unknown
        }
    }
}

extension KeyState {
    var spelled: JSON {
        switch self {
        case .usable: .text("usable")
        case .missing: .text("missing")
        case .invalidated(let loss): .one("invalidated", .text(loss.rawValue))
        case .paused(let duration): .one("paused", .time(duration))
        case .notYetReadable: .text("notYetReadable")
        }
    }

    init(_ place: Place) throws {
        switch try place.choice() {
        case ("usable", nil): self = .usable
        case ("missing", nil): self = .missing
        case ("invalidated", let it?): self = .invalidated(try it.named())
        case ("paused", let it?): self = .paused(for: try it.duration())
        case ("notYetReadable", nil): self = .notYetReadable
        default: throw place.unknown
        }
    }
}
