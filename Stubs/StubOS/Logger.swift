// What the adapter uses of Apple's module `os` to log, with the declarations of Apple's documentation:
// developer.apple.com/documentation/os/logger, …/oslogmessage, …/osloginterpolation and …/oslogprivacy.

/// Whether a value is shown in the log.
public struct OSLogPrivacy: Sendable {
    let isShown: Bool

    /// Shown. Source: …/oslogprivacy/public.
    public static var `public`: OSLogPrivacy { OSLogPrivacy(isShown: true) }
    /// Redacted, for text. Source: …/oslogprivacy/auto, and …/osloginterpolation: "the system redacts those values by
    /// default".
    public static var auto: OSLogPrivacy { OSLogPrivacy(isShown: false) }
}

/// The parts of a message. Source: …/osloginterpolation. The alignment is left out, and so are the overloads for other types
/// than text, so the adapter has to say for each value that it may be shown.
public struct OSLogInterpolation: StringInterpolationProtocol {
    var text = ""

    public init(literalCapacity: Int, interpolationCount: Int) {}

    public mutating func appendLiteral(_ literal: String) { text += literal }

    public mutating func appendInterpolation(
        _ argumentString: @autoclosure @escaping () -> String, privacy: OSLogPrivacy = .auto
    ) {
        text += privacy.isShown ? argumentString() : "<private>"
    }
}

/// A message. Source: …/oslogmessage: it is made of a literal only, and never of a value that is a `String`.
public struct OSLogMessage: ExpressibleByStringInterpolation, ExpressibleByStringLiteral {
    let text: String

    public init(stringLiteral value: String) { text = value }
    public init(stringInterpolation: OSLogInterpolation) { text = stringInterpolation.text }
}

/// A writer of messages. Source: …/logger, which conforms to `Sendable`.
public struct Logger: Sendable {
    private let place: StandInLog.Place

    /// Source: …/logger/init(subsystem:category:).
    public init(subsystem: String, category: String) { place = StandInLog.Place(subsystem: subsystem, category: category) }

    /// Source: …/logger/debug(_:).
    public func debug(_ message: OSLogMessage) { StandInLog.write(.debug(message.text), at: place) }

    /// Source: …/logger/notice(_:).
    public func notice(_ message: OSLogMessage) { StandInLog.write(.notice(message.text), at: place) }
}
