#if Server
/// What a back end may do here. Nothing, unless the operator says so.
public enum ClientScope: String, Hashable, Sendable, CaseIterable {
    /// Ask whether a token is good (RFC 7662).
    case introspect
    /// Create approvals, and redeem its own.
    case approvals

    /// As it travels: in one order, with spaces between (RFC 6749 section 3.3).
    static func text(_ scopes: Set<ClientScope>) -> String { scopes.map(\.rawValue).sorted().joined(separator: " ") }

    /// Those of a text that there are.
    static func known(in text: String) -> Set<ClientScope> {
        Set(text.split(separator: " ").compactMap { Self(rawValue: String($0)) })
    }
}
#endif
