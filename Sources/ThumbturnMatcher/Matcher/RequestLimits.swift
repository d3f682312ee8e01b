/// Limits how many connections each user of the machine has open at the matcher, and how many requests that user makes
/// a minute, and how many connections are open in all.
///
/// Fingers that do not match have a limit of their own, in `MatcherThrottle`.
struct RequestLimits: Sendable {
    private var users: [UInt32: Usage] = [:]
    private var openConnections = 0

    private struct Usage {
        var openConnections = 0
        var minute: Int64 = 0
        var requests = 0
    }

    /// An unlock has one connection open, beside requests for the state.
    static let maxOpenConnections = 4
    /// Connections of all users together. Each has a thread, and the system limits the threads of a service.
    static let maxOpenConnectionsInAll = 128
    /// An unlock makes three requests, so this allows more than six unlocks each second: far more than a person makes.
    static let maxRequestsPerMinute = 1_200

    /// Counts a request and returns whether to answer it. Each admitted request must be followed by one call of
    /// `leave`.
    ///
    /// - Parameter seconds: the time by a monotonic clock.
    mutating func admit(_ user: UInt32, at seconds: Int64) -> Bool {
        var usage = users[user] ?? Usage()
        if usage.minute != seconds / 60 { (usage.minute, usage.requests) = (seconds / 60, 0) }
        usage.requests += 1
        let isAdmitted =
            usage.openConnections < Self.maxOpenConnections && usage.requests <= Self.maxRequestsPerMinute
            && openConnections < Self.maxOpenConnectionsInAll
        if isAdmitted {
            usage.openConnections += 1
            openConnections += 1
        }
        users[user] = usage
        return isAdmitted
    }

    /// Records that an admitted request's connection is closed.
    mutating func leave(_ user: UInt32) {
        users[user]?.openConnections -= 1
        openConnections -= 1
    }
}
