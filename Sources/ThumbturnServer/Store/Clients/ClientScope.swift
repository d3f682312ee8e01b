#if Server
/// The scopes that an operator can give a back end. It starts with none.
public enum ClientScope: String, Hashable, Sendable, CaseIterable {
    /// Ask whether a token is active (RFC 7662).
    case introspect
    /// Create approvals, and redeem its own ones.
    case approvals

    /// The scopes in one order, with spaces between them (RFC 6749 section 3.3).
    static func text(_ scopes: Set<ClientScope>) -> String { scopes.map(\.rawValue).sorted().joined(separator: " ") }

    /// The scopes of a text; unknown ones are left out.
    static func known(in text: String) -> Set<ClientScope> {
        Set(text.split(separator: " ").compactMap { Self(rawValue: String($0)) })
    }
}
#endif
