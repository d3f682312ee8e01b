#if Server
/// What makes a commit durable.
package struct Durability: Hashable, Sendable {
    /// The settings that decide it, as the database says them.
    package var settings: [String: String]
    /// Whether a commit that has returned outlasts a failure of power.
    package var isFull: Bool
    /// The replicas that a commit waits for, as PostgreSQL's `synchronous_standby_names` names them: empty if it waits for none.
    package var replicas: String?

    /// Whether the database could have replicas, and a commit waits for none of them.
    package var waitsForNoReplica: Bool { replicas == "" }
}
#endif
