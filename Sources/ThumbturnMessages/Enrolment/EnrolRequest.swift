public import ThumbturnCore

/// `POST /v1/devices`: registers all keys of a device in one request, under one challenge of purpose `enrol`.
public struct EnrolRequest: Message, Redacted {
    package enum CodingKeys: String, CodingKey, CaseIterable {
        case ticket, name, keys
        case ifEnrolled = "if_enrolled"
        case liveness, evidence
    }

    /// The ticket of the first sign-in, as received.
    public var ticket: String
    /// The name of the device in the person's list, 1 to 64 characters.
    public var name: String
    /// The session key and at least one key with user verification; at most one of each kind.
    public var keys: [KeyRegistration]
    /// The treatment of a session key that is enrolled already; nil is `fail`.
    public var ifEnrolled: IfEnrolled?
    /// The signed evidence of a liveness check for this challenge, where the server demands it.
    public var liveness: String?
    /// Evidence of where the keys live.
    public var evidence: KeyEvidence?

    /// A request to enrol these keys.
    public init(
        ticket: String, name: String, keys: [KeyRegistration], ifEnrolled: IfEnrolled? = nil, liveness: String? = nil,
        evidence: KeyEvidence? = nil
    ) {
        self.ticket = ticket
        self.name = name
        self.keys = keys
        self.ifEnrolled = ifEnrolled
        self.liveness = liveness
        self.evidence = evidence
    }
}
