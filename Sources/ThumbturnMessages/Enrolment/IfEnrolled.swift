/// What the server does with an enrolment by a session key that is enrolled already.
public enum IfEnrolled: String, Hashable, Sendable, Codable, CaseIterable {
    /// It is refused.
    case fail
    /// The device keeps its id and has the keys of this request from now on. The same request again changes nothing, so that a lost
    /// answer can be asked for again with a new ticket.
    case replace
}
