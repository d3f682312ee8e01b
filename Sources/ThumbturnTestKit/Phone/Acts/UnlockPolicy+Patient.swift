package import ThumbturnCore

extension UnlockPolicy {
    /// `unlock`, with prompts that wait as long as a policy allows: for a phone on the machine's own clock, which may be busy for
    /// seconds without a person's failing.
    package static let patient: UnlockPolicy = {
        var policy = UnlockPolicy.unlock
        policy.fallbackAfter = .seconds(60)
        policy.earliestFallback = policy.fallbackAfter
        return policy
    }()
}
