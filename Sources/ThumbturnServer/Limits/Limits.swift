#if Server
/// The bounds of the server: one figure for every input, queue, cache and connection, and for each table that a caller
/// can make grow.
///
/// A figure without a better home is defined here; `table` lists them all as docs/limits.md shows them, and a test
/// compares both.
package enum Limits {
    // MARK: Requests and connections

    /// The largest body of a request, in bytes.
    package static let body = 64 * 1024
    /// The most header fields of a request.
    package static let headerFields = 100
    /// The largest header field, in bytes. A DPoP proof and an access token have about one KiB each.
    package static let headerField = 16 * 1024
    /// All header fields of a request together, in bytes.
    package static let header = 32 * 1024
    /// The time for a whole request, from its first byte to the end of its body, and then for sending the answer.
    package static let request = Duration.seconds(30)
    /// How long a connection may be silent between two requests.
    package static let silence = Duration.seconds(30)
    /// The most open connections of one server process.
    package static let connections = 4096
    /// The most connections of one network (an IPv4 address, or 64 bits of IPv6). Behind proxies it is the most requests
    /// of one network that are answered at the same time. Many phones of one mobile carrier share an address.
    package static let connectionsOfAddress = 256
    /// The most connections beyond these that are told so. Any further connection is closed without an answer.
    package static let turnedAway = 64
    /// The time in which a connection that is told so has to read its answer.
    package static let turningAway = Duration.seconds(5)
    /// The file descriptors that connections leave to the database, the log and webhooks.
    package static let reservedFiles = 128
    /// The seconds in `Retry-After` where the server knows no better figure.
    package static let retryAfter = Duration.seconds(5)

    /// The longest name of an account in a sign-in, in bytes of UTF-8.
    package static let accountName = 512
    /// The longest one-time code, in bytes.
    package static let oneTimeCode = 32
    /// The longest recovery code, in bytes.
    package static let recoveryCode = 64
    /// The longest name of a device, in characters.
    package static let deviceName = 64
    /// The longest name of a device, in bytes of UTF-8.
    package static let deviceNameBytes = 256

    // MARK: Queues and caches

    /// The most passwords that wait to be hashed or are hashed. A quarter is kept for enrolled devices.
    package static let passwordQueue = 64
    /// The most of them of one sender: a network, or an account whose devices change its password. A quarter is kept for
    /// the enrolled devices of a network. Two threads need a tenth of a second for them, so a company behind one address
    /// notices it only when many of its people sign in at the same moment.
    package static let passwordsOfSender = 8
    /// The most passwords that are hashed at the same time; each takes 19 MiB.
    package static let passwordThreads = 2
    /// The most requests that one transaction commits.
    package static let batch = 256
    /// The most connections that read the database at the same time.
    package static let readers = 4
    /// How long PostgreSQL may take for an answer. It ends statements itself after 5 s, unless it hangs.
    package static let databaseAnswer = Duration.seconds(8)
    /// The connections to PostgreSQL that remember DPoP proofs.
    package static let provers = 2
    /// The most reading transactions that wait for one connection to PostgreSQL.
    package static let readsInLine = 64
    /// How often a transaction is run in which another one was in its way.
    package static let transactionTries = 5
    /// The most DPoP proofs that are remembered.
    package static let dpopProofs = 1_000_000
    /// The keys in each of the two generations of the cache of keys.
    package static let recentKeys = 8192
    /// The devices in each of the two generations of the memory of sessions, and of the memory of rates.
    package static let recentDevices = 8192
    /// The counters of networks in the table of wrong attempts.
    package static let networkCounters = 0x10000
    /// The names, with an account or without, whose wrong attempts are counted. Beyond that, those whose last attempt is
    /// longest ago are forgotten. All strangers together have one attempt each second, so it takes them six days to have
    /// an account's hundred attempts forgotten; by waiting an hour for each they have more.
    package static let names = 500_000

    // MARK: Accounts

    /// The most devices of an account that are not revoked, plain clients included.
    package static let devices = 16
    /// The most devices that an account enrols with full credentials in a day, those that were revoked since included.
    package static let enrolmentsInADay = 32
    /// The most devices that an account enrols in a day because another of its devices vouches for them.
    package static let vouchedInADay = 16
    /// The most keys of one device that are replaced in a day.
    package static let keyChangesInADay = 32
    /// The proofs of one device in a minute: its sign-ins, step-ups, signatures of approvals and changes of keys, and the
    /// changes of a device's name. Each may write rows of the audit log. A person touches a sensor less than twice a
    /// second, and not for a whole minute.
    package static let proofsOfDevice = 120
    /// The most sign-in sessions that one device has at a time.
    package static let sessions = 32
    /// The most visits that an account has at a time: sign-ins with full credentials alone.
    package static let visits = 5
    /// The most step-ups of one device that the store keeps at a time.
    package static let stepUps = 32
    /// The most notices of one kind that an account keeps. An account enrols 48 devices in a day, so that the notices of
    /// a day's enrolments do not push each other out.
    package static let noticesOfKind = 64
    /// How long equal notices of an event that can be repeated at will count as one.
    package static let noticesJoined = Duration.seconds(3600)
    /// The time between the deliveries of two notices of one account.
    package static let noticeSpacing = Duration.seconds(5)
    /// The most notices that are taken for one round of deliveries.
    package static let noticesInARound = 32
    /// The most tries to deliver a notice: about a day.
    package static let noticeTries = 30
    /// How long a notice is kept.
    package static let noticeAge = Duration.seconds(30 * 24 * 3600)

    // MARK: Approvals

    /// The highest rate of requests in a minute that an operator can register for a back end; see
    /// `ClientLimits.requestsPerMinute`. Without a registered rate its requests are not counted.
    package static let requestsOfBackEnd = 1_000_000
    /// The most ended approvals of one creator for one account that are kept, besides the redeemed ones.
    package static let endedApprovals = 64
    /// How long after its expiry an approval that was not redeemed is kept: a back end has one day to ask how it ended.
    package static let endedApprovalAge = Duration.seconds(24 * 3600)
    /// The rate at which one creator makes approvals, for all accounts together and on all nodes. The store counts it in
    /// the transaction that makes the approval, after the request was counted against the registered rate.
    package static let approvalsOfCreator = ApprovalRate(burst: 600, interval: .milliseconds(20))
    /// The rate at which one creator makes approvals for one account, which the store counts as well.
    package static let approvalsOfCreatorAndAccount = ApprovalRate(burst: 32, interval: .seconds(15))

    // MARK: Telemetry

    /// The most batches of unlocks that are read and parsed at the same time. Each has 256 KiB at most.
    package static let telemetryAtOnce = 64
    /// The most of them of one network.
    package static let telemetryAtOnceOfNetwork = 16
    /// The batches of one device in a minute. A device sends one batch for many unlocks.
    package static let telemetryOfDevice = 30
    /// The batches with one write key in a minute.
    package static let telemetryOfKey = 12_000
    /// The batches of one network in a minute, with whatever credentials.
    package static let telemetryOfNetwork = 1200
    /// The most unlocks that wait to be counted; half of them with write keys. An unlock takes about a kilobyte of memory.
    package static let telemetryWaiting = 20_000
    /// The time between the starts of two transactions that count unlocks.
    package static let telemetrySpacing = Duration.milliseconds(100)
    /// The most cells that one of these transactions touches, so that it is over in some milliseconds.
    package static let telemetryRoundCells = 256
    /// The most unlocks that one of these transactions counts.
    package static let telemetryRoundUnlocks = 4000
    /// How long ago a counted unlock may have begun.
    package static let telemetryAge = Duration.seconds(30 * 24 * 3600)
    /// How far ahead of the server's clock a counted unlock may have begun, because a person can set a device's clock.
    package static let telemetryAhead = Duration.seconds(24 * 3600)
    /// The most cells of a day. Some hundred models with a few versions of the system and the app stay below it.
    package static let telemetryCells = 2000
    /// The most of them that batches with write keys may begin.
    package static let telemetryCellsOfKeys = 1000
    /// The most cells that one device begins in a day. A device has few versions and policies.
    package static let telemetryCellsOfDevice = 32
    /// The most cells that batches with write keys from one network begin in a day.
    package static let telemetryCellsOfNetwork = 100
    /// How long a batch is known that was counted: a device that got no answer sends it again.
    package static let telemetryBatchAge = Duration.seconds(7 * 24 * 3600)
    /// The most batches that are known.
    package static let telemetryBatches = 1_000_000
}

/// A rate by the generic cell rate algorithm: so many at once, and one more after each interval.
package struct ApprovalRate: Hashable, Sendable {
    /// How many may be made at once.
    package var burst: Int
    /// The time after which one more may be made; whole milliseconds.
    package var interval: Duration

    package init(burst: Int, interval: Duration) {
        self.burst = burst
        self.interval = interval
    }
}
#endif
