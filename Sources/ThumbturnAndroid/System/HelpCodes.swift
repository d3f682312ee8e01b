import ThumbturnCore

/// What `onAuthenticationHelp` tells of a reading without a verdict. Fingers and faces have numbers of their own.
enum HelpCodes {
    /// One code with its meaning; nil for one that is no poor reading.
    struct Row: Sendable {
        var sensor: SensorKind
        var number: Int
        var name: String
        var reading: PoorReading?

        init(_ sensor: SensorKind, _ number: Int, _ name: String, _ reading: PoorReading?) {
            (self.sensor, self.number, self.name, self.reading) = (sensor, number, name, reading)
        }
    }

    /// `BiometricFingerprintConstants` and `BiometricFaceConstants` of the platform.
    static let rows: [Row] = [
        Row(.finger, 0, "GOOD", nil),
        Row(.finger, 1, "PARTIAL", .notCentered),
        Row(.finger, 2, "INSUFFICIENT", .tooPoor),
        Row(.finger, 3, "IMAGER_DIRTY", .tooPoor),
        Row(.finger, 4, "TOO_SLOW", .removeAndRetry),
        Row(.finger, 5, "TOO_FAST", .tooShort),
        Row(.finger, 7, "START", nil),
        Row(.finger, 9, "IMMOBILE", .removeAndRetry),
        Row(.finger, 10, "TOO_BRIGHT", .tooPoor),
        Row(.finger, 11, "POWER_PRESSED", .removeAndRetry),
        Row(.face, 0, "GOOD", nil),
        Row(.face, 1, "INSUFFICIENT", .tooPoor),
        Row(.face, 2, "TOO_BRIGHT", .tooPoor),
        Row(.face, 3, "TOO_DARK", .tooPoor),
        Row(.face, 4, "TOO_CLOSE", .notCentered),
        Row(.face, 5, "TOO_FAR", .notCentered),
        Row(.face, 6, "TOO_HIGH", .notCentered),
        Row(.face, 7, "TOO_LOW", .notCentered),
        Row(.face, 8, "TOO_RIGHT", .notCentered),
        Row(.face, 9, "TOO_LEFT", .notCentered),
        Row(.face, 10, "POOR_GAZE", .notCentered),
        Row(.face, 11, "NOT_DETECTED", .notCentered),
        Row(.face, 12, "TOO_MUCH_MOTION", .tooShort),
        Row(.face, 16, "PAN_TOO_EXTREME", .notCentered),
        Row(.face, 17, "TILT_TOO_EXTREME", .notCentered),
        Row(.face, 18, "ROLL_TOO_EXTREME", .notCentered),
        Row(.face, 19, "FACE_OBSCURED", .tooPoor),
        Row(.face, 20, "START", nil),
        Row(.face, 21, "SENSOR_DIRTY", .tooPoor),
        Row(.face, 24, "FIRST_FRAME_RECEIVED", nil),
        Row(.face, 25, "DARK_GLASSES_DETECTED", .tooPoor),
        Row(.face, 26, "MOUTH_COVERING_DETECTED", .tooPoor),
    ]

    /// The poor reading of a code; nil where it is none. A code that is not listed gives no reason.
    ///
    /// - Parameter sensor: nil where the phone has several kinds. The fingers' codes are taken then, which the public constants
    /// are.
    static func reading(_ number: Int, of sensor: SensorKind?) -> PoorReading? {
        let row = rows.first { $0.sensor == (sensor == .face ? .face : .finger) && $0.number == number }
        return row.map(\.reading) ?? .tooPoor
    }
}
