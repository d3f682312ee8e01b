#if canImport(SwiftUI)
import ThumbturnCore

/// The names of SF Symbols for rungs and sensors.
enum Symbols {
    /// The symbol of a rung; for the sensor's rung that of the sensor.
    static func name(of rung: Rung, sensor: SensorName?) -> String {
        switch rung {
        case .biometric: name(of: sensor)
        case .devicePasscode: "lock.fill"
        case .appPIN: "circle.grid.3x3.fill"
        case .fullCredentials: "person.crop.circle"
        }
    }

    /// The symbol of a sensor; a key where the sensor is not known.
    static func name(of sensor: SensorName?) -> String {
        switch sensor?.kind {
        case .face?: "faceid"
        case .finger?: "touchid"
        case .iris?: "opticid"
        case nil: "key.fill"
        }
    }
}
#endif
