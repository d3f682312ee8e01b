/// Whether the person switched the sensor off, for one account or one vault, until a stronger rung succeeds.
///
/// No time switches the sensor on again, nor does a match, a new key or a new enrolment whose ask began before: only a
/// success that was asked for after the sensor was switched off.
package struct SensorSwitch: Hashable, Sendable, Codable {
    /// Whether the sensor is off.
    package private(set) var isOff: Bool
    /// How often the sensor was switched off. An ask notes it at its beginning; it counts for nothing once the number
    /// has changed.
    package private(set) var dismissals: Int
    /// The place's count of dismissals of everyone, up to which this switch follows.
    private var followed: Int

    /// A switch that was never touched.
    package init() { self.init(isOff: false, dismissals: 0) }

    private init(isOff: Bool, dismissals: Int) {
        self.isOff = isOff
        self.dismissals = dismissals
        followed = 0
    }

    /// The replacement for a switch that is damaged: off, as after a dismissal. So an attacker who can damage it gains
    /// nothing by that, and a stronger rung that is asked for afterwards switches the sensor on.
    ///
    /// - Parameter dismissals: drawn by lot, so that no earlier ask has noted this count.
    package static func replacingDamaged(countedAs dismissals: Int) -> SensorSwitch {
        precondition(dismissals > 0, "a count that was never noted")
        return SensorSwitch(isOff: true, dismissals: dismissals)
    }

    /// Throws `DecodingError` for a negative count, so that a damaged switch is recognised.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        isOff = try container.decode(Bool.self, forKey: .isOff)
        dismissals = try container.decode(Int.self, forKey: .dismissals)
        followed = try container.decodeIfPresent(Int.self, forKey: .followed) ?? 0
        guard dismissals >= 0 else {
            throw DecodingError.dataCorruptedError(
                forKey: .dismissals, in: container, debugDescription: "a value is out of its bounds")
        }
    }

    /// Switches the sensor off.
    package mutating func turnOff() {
        isOff = true
        // The count only has to differ from those that asks under way have noted.
        dismissals = dismissals == .max ? 0 : dismissals + 1
    }

    /// Switches the sensor off if everyone of the place was dismissed since this switch was last used.
    ///
    /// - Parameter count: how often everyone was dismissed.
    package mutating func follow(_ count: Int) {
        guard count != followed else { return }
        turnOff()
        followed = count
    }

    /// Switches the sensor on without a stronger rung, because there is none: only a pause follows.
    package mutating func turnOn() { isOff = false }

    /// Switches the sensor on, because a stronger rung has succeeded.
    ///
    /// - Parameter count: `dismissals` when that rung was asked for. Where the sensor was switched off since, it stays
    ///   off.
    package mutating func lift(askedAt count: Int) {
        if count == dismissals { isOff = false }
    }
}
