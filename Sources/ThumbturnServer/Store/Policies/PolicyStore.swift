#if Server

/// The part of the store that keeps which version of a policy is the latest that a node has used.
package protocol PolicyStore: Sendable {
    /// The latest version of each policy that had one.
    func policyVersions() async throws -> [PolicyKind: Int64]
    /// Raises the latest versions to these, where they are lower.
    func raise(policyVersions: [PolicyKind: Int64]) async throws
}

/// The policies that files of a server have.
package enum PolicyKind: String, Sendable, CaseIterable {
    case stepUp = "step-up"
    case evidence
    case unlock
}
#endif
