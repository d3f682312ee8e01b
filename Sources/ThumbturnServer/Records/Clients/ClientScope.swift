#if Server
/// The scopes that an operator can give a back end. The raw values are the names in `scope` (RFC 6749 section 3.3).
public enum ClientScope: String, Hashable, Sendable, CaseIterable {
    /// May ask whether a token is active (RFC 7662).
    case introspect
    /// May create approvals, and read, withdraw and redeem its own ones.
    case approvals

    /// The scopes sorted by name and separated by spaces (RFC 6749 section 3.3).
    static func text(_ scopes: Set<ClientScope>) -> String { scopes.map(\.rawValue).sorted().joined(separator: " ") }

    /// The scopes in a text. Unknown ones are left out.
    static func known(in text: String) -> Set<ClientScope> {
        Set(text.split(separator: " ").compactMap { Self(rawValue: String($0)) })
    }
}
#endif
