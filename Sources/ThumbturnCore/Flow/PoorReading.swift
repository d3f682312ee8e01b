/// A reading that gave no verdict. The sensor asks again by itself; a poor reading is never a mismatch.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum PoorReading: String, Hashable, Sendable, Codable, CaseIterable {
    /// The finger or face was there for too short a time.
    case tooShort
    /// Only a part was seen.
    case notCentered
    /// The sensor asks for the finger to be lifted and put down again.
    case removeAndRetry
    /// The image was too poor: wet, dirty or dark, or the sensor gives no reason.
    case tooPoor
}

extension PoorReading {
    /// The advice that helps the sensor to see more.
    public var message: PersonMessage {
        switch self {
        case .tooShort: PersonMessage(.holdLonger)
        case .notCentered: PersonMessage(.moveToCentre)
        case .removeAndRetry: PersonMessage(.liftAndTouchAgain)
        case .tooPoor: PersonMessage(.readAgain)
        }
    }
}

extension PoorReading: CustomStringConvertible {
    /// The raw value.
    public var description: String { rawValue }
}
