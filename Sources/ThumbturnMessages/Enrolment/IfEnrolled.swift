/// The treatment of an enrolment by a session key that is enrolled already.
public enum IfEnrolled: String, Hashable, Sendable, Codable, CaseIterable {
    /// The enrolment is refused.
    case fail
    /// The device keeps its id, and the keys of this request replace its keys. Repeating the request changes nothing,
    /// so a client that lost the answer can ask again with a new ticket.
    case replace
}
