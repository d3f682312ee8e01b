extension SensorRules {
    /// The rules of a policy.
    package init(_ policy: UnlockPolicy) {
        delays = policy.delays
        liftedBy = Set(policy.ladder + [.fullCredentials]).subtracting([.biometric])
    }
}
