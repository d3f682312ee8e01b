#if Server

/// The policies that a server reads from files.
package enum PolicyKind: String, Sendable, CaseIterable {
    case stepUp = "step-up"
    case evidence
    case unlock
}
#endif
