/// The part of the body that a sensor recognises.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum SensorKind: String, Hashable, Sendable, Codable, CaseIterable {
    /// A face.
    case face
    /// A finger.
    case finger
    /// An iris.
    case iris
}

extension SensorKind: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}
