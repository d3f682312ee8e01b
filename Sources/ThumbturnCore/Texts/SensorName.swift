/// The name under which a person knows the sensor of their device.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum SensorName: String, Hashable, Sendable, Codable, CaseIterable {
    /// Face ID, of iPhones and iPads.
    case faceID
    /// Touch ID, of iPhones, iPads and Macs.
    case touchID
    /// Optic ID, of Vision Pro.
    case opticID
    /// A sensor that sees faces and has no name of its own.
    case face
    /// A fingerprint reader without a name of its own.
    case fingerprint
    /// A sensor that sees irises and has no name of its own.
    case iris

    /// The name of a sensor that has none of its own.
    public init(_ kind: SensorKind) {
        self =
            switch kind {
            case .face: .face
            case .finger: .fingerprint
            case .iris: .iris
            }
    }

    /// The name of a sensor of this kind on Apple's systems.
    package static func ofApple(_ kind: SensorKind) -> SensorName {
        switch kind {
        case .face: .faceID
        case .finger: .touchID
        case .iris: .opticID
        }
    }

    /// The part of the body that the sensor recognises.
    public var kind: SensorKind {
        switch self {
        case .faceID, .face: .face
        case .touchID, .fingerprint: .finger
        case .opticID, .iris: .iris
        }
    }
}

extension SensorName: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}
