/// Which lockout the sensor is in: the two of the operating systems, or the library's own.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum Lockout: String, Hashable, Sendable, Codable {
    /// Ends by itself after a while.
    case temporary
    /// Ends when the device passcode is entered.
    case untilPasscode
    /// The library's own, after very many mismatches: ends when the passcode, the PIN or the full sign-in succeeds.
    case untilStrongerRung
}

extension Lockout: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}
