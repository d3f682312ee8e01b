#if Server
package import CoreMetrics
import Synchronization
import ThumbturnCore
import ThumbturnMessages

/// The numbers of a running server for its operator. No label has an id, a name of a person or a text of a client: each is one
/// of a closed set.
package final class ServerMetrics: Sendable {
    /// The metrics, by their names.
    package enum Name: String, CaseIterable, Sendable {
        case requests = "thumbturn_requests_total"
        case refusals = "thumbturn_refusals_total"
        case sessions = "thumbturn_sessions_total"
        case challenges = "thumbturn_challenges_total"
        case batches = "thumbturn_telemetry_batches_total"
        case unlocks = "thumbturn_telemetry_unlocks_total"
        case waitingUnlocks = "thumbturn_telemetry_waiting_unlocks"
        case unreadableCells = "thumbturn_telemetry_unreadable_cells_total"
        case transactions = "thumbturn_transaction_seconds"
        case connections = "thumbturn_open_connections"
        case turnedAway = "thumbturn_connections_turned_away_total"

        /// What it counts, in one line.
        package var help: String {
            switch self {
            case .requests: "Answered requests by method, route and class of the status."
            case .refusals: "Refused requests by reason; docs/http.md lists the reasons."
            case .sessions: "Opened sessions: sign-ins, step-ups, visits, and refreshes of them."
            case .challenges: "Issued challenges by purpose."
            case .batches: "Batches of reports of unlocks: counted, repeated, or the cause of the refusal."
            case .unlocks: "Unlocks: counted, counted in the cell \"other\", or dropped because they began too long ago or ahead."
            case .waitingUnlocks: "Unlocks that wait to be counted."
            case .unreadableCells: "Additions to cells that a newer version of the server has written; they were not counted."
            case .transactions: "The time of a transaction of the database, with its commit."
            case .connections: "Open connections of clients."
            case .turnedAway: "Connections that were told that there are too many, or closed at once."
            }
        }
    }

    /// The ways in which a session begins or goes on.
    enum Opening: String, CaseIterable { case signIn = "sign-in", stepUp = "step-up", visit, refresh }
    /// What became of an unlock.
    enum UnlockOutcome: String, CaseIterable { case counted, other, old, future }
    /// What became of a batch that was not refused.
    enum BatchOutcome: String { case counted, repeated }

    let waitingUnlocks: Meter
    let unreadableCells: Counter

    private let factory: any MetricsFactory
    private let counters = Mutex<[Key: Counter]>([:])

    /// A counter with its labels, of which there are few.
    private struct Key: Hashable {
        let name: Name
        let values: [String]
    }

    package init(_ factory: any MetricsFactory) {
        self.factory = factory
        waitingUnlocks = Meter(label: Name.waitingUnlocks.rawValue, factory: factory)
        unreadableCells = Counter(label: Name.unreadableCells.rawValue, factory: factory)
        // A count that is shown as 0 from the start tells more than one that is not there.
        for opening in Opening.allCases { countSession(opening, 0) }
        for outcome in UnlockOutcome.allCases { count(outcome, 0) }
        for outcome in [BatchOutcome.counted, .repeated] { count(outcome, batches: 0) }
    }

    func countSession(_ opening: Opening, _ number: Int = 1) { add(number, .sessions, ["kind": opening.rawValue]) }
    func count(_ outcome: UnlockOutcome, _ number: Int) { add(number, .unlocks, ["outcome": outcome.rawValue]) }
    func count(_ outcome: BatchOutcome, batches: Int) { add(batches, .batches, ["outcome": outcome.rawValue]) }
    func countRefusedBatch(_ reason: LogReason) { add(1, .batches, ["outcome": reason.cause]) }
    func countRefusal(_ reason: LogReason) { add(1, .refusals, ["reason": reason.code]) }
    func countChallenge(_ purpose: Purpose) { add(1, .challenges, ["purpose": purpose.rawValue]) }
    func countPlainChallenge() { add(1, .challenges, ["purpose": "plain"]) }

    /// Counts an answer.
    ///
    /// - Parameter route: the path of the route as the list of routes has it; nil for a request that no route answers, whose
    ///   method may be any text.
    func countAnswer(_ status: Int, method: String, route: String?) {
        add(
            1, .requests,
            ["method": route == nil ? "any" : method, "route": route ?? "none", "status": "\(status / 100)xx"])
    }

    private func add(_ number: Int, _ name: Name, _ labels: KeyValuePairs<String, String>) {
        let key = Key(name: name, values: labels.map(\.value))
        let counter = counters.withLock { counters in
            if let known = counters[key] { return known }
            let new = Counter(label: name.rawValue, dimensions: labels.map { ($0.key, $0.value) }, factory: factory)
            counters[key] = new
            return new
        }
        counter.increment(by: number)
    }
}

extension Timer {
    /// The time of each transaction.
    static func ofTransactions(_ factory: any MetricsFactory) -> Timer {
        Timer(label: ServerMetrics.Name.transactions.rawValue, factory: factory)
    }

    func record(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        recordNanoseconds(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
}
#endif
