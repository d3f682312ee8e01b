/// The level that a liveness product was certified for, against attacks on the sensor (ISO/IEC 30107-3) and injected
/// pictures (CEN/TS 18099).
public enum LivenessLevel: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
    /// The lower level.
    case substantial
    /// The higher level.
    case high

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs == .substantial && rhs == .high }
}

extension LivenessLevel: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}
