/// The part of the body that a sensor recognises.
public enum SensorKind: String, Hashable, Sendable, Codable, CaseIterable {
    case face
    case finger
    case iris
}
