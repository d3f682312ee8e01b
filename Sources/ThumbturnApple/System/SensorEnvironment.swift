/// The facts of `LAEnvironment` (iOS 18, macOS 15, visionOS 2).
struct SensorEnvironment: Hashable, Sendable {
    var isLockedOut: Bool
    /// Whether the lid of a portable Mac covers its sensor.
    var isCovered: Bool
}
