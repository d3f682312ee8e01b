/// What the matcher keeps about a user of the machine: JSON in a file that only the matcher can read.
struct MatcherRecord: Codable, Hashable, Sendable {
    /// The counter and the prints at the last check.
    struct Enrolment: Codable, Hashable, Sendable {
        var counter: TPMIndex
        /// The counter's authorisation value, with which only the matcher can raise it.
        var value: [UInt8]
        /// The counter's value at the last check.
        var count: UInt64
        /// The digest of the enrolled prints at the last check.
        var prints: [UInt8]
    }

    /// A counter that is about to be created.
    struct Pending: Codable, Hashable, Sendable {
        var handle: UInt32
        var value: [UInt8]
    }

    var enrolment: Enrolment?
    /// Written before the TPM is asked for a counter, so that a crash or a full disk leaves no counter behind that the
    /// matcher does not know.
    var pending: Pending?
    var throttle = MatcherThrottle()
    var changes = CounterChanges()
}

extension MatcherRecord {
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        enrolment = try members.decodeIfPresent(Enrolment.self, forKey: .enrolment)
        pending = try members.decodeIfPresent(Pending.self, forKey: .pending)
        throttle = try members.decode(MatcherThrottle.self, forKey: .throttle)
        // Records of earlier versions count no changes.
        changes = try members.decodeIfPresent(CounterChanges.self, forKey: .changes) ?? CounterChanges()
    }
}
