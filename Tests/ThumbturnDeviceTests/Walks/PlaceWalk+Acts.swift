@testable import ThumbturnDevice

extension PlaceWalk {
    /// Every act.
    static let acts: [Act] =
        Resident.allCases.flatMap { who in
            [.signIn(who, .app), .signIn(who, .other), .enrol(who), .begin(.signIn(who)), .begin(.enrol(who))]
        } + [
            .unlock(.app), .unlock(.other), .addBiometrics, .begin(.addBiometrics), .release, .stepUp, .offer, .tapOneOfTwo,
            .lockNow,
            .leave, .panic(.app), .panic(.other), .everyonesPanic, .forget, .signOut, .revoke(.app), .revoke(.other),
        ]
}

extension Resident {
    var other: Resident { self == .ada ? .bob : .ada }
}

extension PlaceWalk.Slow {
    /// Who does it; nil for whoever owns the place.
    var who: Resident? {
        switch self {
        case .signIn(let who), .enrol(let who): who
        case .addBiometrics: nil
        }
    }

    var exchanged: Self {
        switch self {
        case .signIn(let who): .signIn(who.other)
        case .enrol(let who): .enrol(who.other)
        case .addBiometrics: self
        }
    }
}

extension PlaceWalk.Act {
    /// Whether the person may give a stronger rung in the app meanwhile.
    var asks: Bool {
        switch self {
        case .signIn(_, .app), .enrol, .unlock(.app), .addBiometrics, .stepUp, .tapOneOfTwo, .release: true
        default: false
        }
    }

    /// How it dismisses the app's person in the extension; nil if it does not.
    var dismissalElsewhere: PlaceWalk.Unheard? {
        switch self {
        case .signIn(_, .other): .anotherPerson
        case .panic(.other): .panic
        case .revoke(.other): .revocation
        default: nil
        }
    }

    var exchanged: Self {
        switch self {
        case .signIn(let who, let process): .signIn(who.other, process)
        case .enrol(let who): .enrol(who.other)
        case .begin(let slow): .begin(slow.exchanged)
        default: self
        }
    }
}

extension PlaceWalk.Slow: CustomStringConvertible {
    var description: String {
        switch self {
        case .signIn(let who): "signIn \(who)"
        case .enrol(let who): "enrol \(who)"
        case .addBiometrics: "addBiometrics"
        }
    }
}

extension PlaceWalk.Act: CustomStringConvertible {
    var description: String {
        switch self {
        case .signIn(let who, let process): "signIn \(who) in \(process)"
        case .enrol(let who): "enrol \(who)"
        case .unlock(let process): "unlock in \(process)"
        case .addBiometrics: "addBiometrics"
        case .stepUp: "stepUp"
        case .offer: "offer"
        case .lockNow: "lockNow"
        case .leave: "leave"
        case .panic(let process): "panic in \(process)"
        case .everyonesPanic: "everyonesPanic"
        case .forget: "forget"
        case .signOut: "signOut"
        case .revoke(let process): "revoke in \(process)"
        case .tapOneOfTwo: "tapOneOfTwo"
        case .begin(let slow): "begin \(slow)"
        case .release: "release"
        }
    }
}
