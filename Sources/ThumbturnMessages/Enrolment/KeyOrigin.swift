public import ThumbturnCore

/// What authorised a key's enrolment, so that a policy can refuse keys that rest on less.
public enum KeyOrigin: String, Hashable, Sendable, Codable {
    /// A sign-in with full credentials. Keys of an enrolment are of this kind.
    case credentials
    /// A signature of the biometric key.
    case biometric
    /// A signature of the PIN key.
    case pin
    /// A signature of the passcode key: the weakest, and it is inherited. So is a biometric key that the passcode unlocks as
    /// well, by the word of the hardware: it keeps this origin even if its evidence is no longer accepted.
    case passcode

    /// The factor that a signature of a key of this origin shows. A key that the passcode brought in shows the passcode and no more,
    /// whatever its kind: a thief who knows the passcode could have made it.
    public func factor(of kind: KeyKind) -> KeyKind {
        self == .passcode && kind != .session ? .passcode : kind
    }
}
