#if Server && PostgreSQL
import Dispatch
import Foundation
import Synchronization
import ThumbturnCore

/// The connections of one node to PostgreSQL: one that writes, some that read, and some that remember DPoP proofs.
///
/// A writing transaction is SERIALIZABLE and begins with a lock that only one transaction of all nodes has at a time. So the rules that
/// hold for SQLite's one writer hold here, and no node ever waits for another in a circle. The lock is taken before the transaction
/// sees anything; one that had seen older rows would only fail when it commits.
final class PostgresPool: SQLPool, SharedProofs {
    private let address: PostgresAddress
    private let writer: Seat
    private let readers: Seats
    private let provers: Seats
    private let time: NodeTime
    private let use: DataUse
    /// The place of the database that this node has agreed to; nil until the store is open.
    private let agreed = Mutex<String?>(nil)
    /// The host that connections try first, when that was found out, and the place of the latest primary that was seen there.
    private let primary = Mutex<(host: Int, seen: ContinuousClock.Instant?, place: String?)>((0, nil, nil))
    /// The number of the last commit whose requests were answered.
    private let lastCommit = Atomic<Int64>(0)

    /// Seats for equal work, and how many transactions wait at each.
    private final class Seats: Sendable {
        let seats: [Seat]
        private let waiting: Mutex<[Int]>

        init(_ count: Int, _ address: PostgresAddress, waitsForReplicas: Bool = true) {
            seats = (0..<count).map { _ in Seat(address, waitsForReplicas: waitsForReplicas) }
            waiting = Mutex([Int](repeating: 0, count: count))
        }

        /// Takes the seat with the fewest transactions that wait. Give it back by `give`.
        func take() throws(SQLError) -> Int {
            try waiting.withLock { waiting throws(SQLError) in
                let index = waiting.indices.min { waiting[$0] < waiting[$1] } ?? 0
                guard waiting[index] < Limits.readsInLine else { throw SQLError(state: SQLError.tooManyConnections) }
                waiting[index] += 1
                return index
            }
        }

        func give(_ index: Int) { waiting.withLock { $0[index] -= 1 } }

        /// Runs `body` at a seat, on its queue.
        func run<Value: Sendable>(_ body: @escaping @Sendable (Seat) throws -> Value) async throws -> Value {
            let index = try take()
            return try await withCheckedThrowingContinuation { continuation in
                seats[index].queue.async { [self] in
                    let result = Result { try body(seats[index]) }
                    give(index)
                    continuation.resume(with: result)
                }
            }
        }
    }

    /// Connects, and makes or migrates the tables.
    init(_ address: PostgresAddress, time: NodeTime, for use: DataUse = .serving) throws {
        self.address = address
        self.time = time
        self.use = use
        writer = Seat(address)
        readers = Seats(Limits.readers, address)
        provers = Seats(Limits.provers, address, waitsForReplicas: false)
        for seat in [writer] + readers.seats + provers.seats {
            seat.parameters = { [unowned self] in address.parameters(first: self.primary.withLock { $0.host }) }
            seat.agree = { [unowned self] in try self.agree(on: $0) }
            seat.isHere = { [unowned self] place in self.agreed.withLock { $0 == place } && !self.wasReplaced(place) }
            seat.lookAround = { [unowned self] in self.lookAround(atMostEvery: .seconds(1)) }
        }
        lookAround(atMostEvery: .zero)
        try writer.use { try PostgresSchema.migrate($0.connected(), mayMake: use.mayMakeDatabase) }
    }

    /// Begins an epoch if the database may lack commits that were answered. From then on every new connection is checked for it.
    ///
    /// - Returns: whether an epoch began.
    func open() throws -> Bool {
        try writer.use { seat in
            let settled = try settle(seat)
            agreed.withLock { $0 = settled.place }
            return settled.began
        }
    }

    /// Checks where a new connection leads, and begins an epoch there if it has to, before anything is read. Connections from before
    /// `open()` are checked at their next use.
    ///
    /// - Returns: the connection's place; nil while the store is not open yet.
    /// - Throws: `SQLError.formerPrimary` for a database that another one has replaced.
    private func agree(on connection: PostgresConnection) throws -> String? {
        guard let known = agreed.withLock({ $0 }) else { return nil }
        let here = try PostgresSchema.place(connection)
        guard !wasReplaced(here) else { throw SQLError.formerPrimary }
        // Two replicas that were promoted one after the other may have timelines of the same number: the tables tell.
        let found = try found(on: connection)
        if here == known, found.place == here, found.isWhole { return here }
        let settled = try Seat(address, connection).use { try settle($0).place }
        guard settled == here else { throw SQLError(state: SQLError.connectionLost, debugDescription: "the primary has changed") }
        agreed.withLock { $0 = here }
        return here
    }

    /// Begins an epoch in the database of a seat, unless it is the one that the tables name with all its rows, or a promoted replica
    /// of it that has all commits. The first node to come writes the place, and the others find it.
    ///
    /// - Returns: the place, and whether an epoch began.
    /// - Throws: `SetupError.databaseMoved` in a command, which does not know what `serve` was told of the replicas.
    private func settle(_ seat: Seat) throws -> (place: String, began: Bool) {
        try seat.write(beginning: PostgresSchema.takeAnyTurn) { connection in
            let here = try PostgresSchema.place(connection)
            guard !wasReplaced(here) else { throw SQLError.formerPrimary }
            let found = try found(on: connection)
            guard found.place != here || !found.isWhole else { return (here, false) }
            guard use.maySettle || found.place.isEmpty else { throw SetupError.databaseMoved }
            let (former, present) = (DatabasePlace(found.place), DatabasePlace(here))
            let hasAll = former.database == present.database && address.replication == .synchronous && found.isWhole
            let begins = !found.place.isEmpty && !hasAll
            let db = Database(connection)
            if begins {
                let commits = max(found.commits, lastCommit.load(ordering: .relaxed))
                try Schema.beginEpoch(
                    db, at: time.now, after: commits + Schema.commitsOfRunningServers, lackingUntil: time.civil)
            }
            try db.run(sql: "UPDATE node SET place = ?", arguments: [here])
            try PostgresSchema.takeOver(connection)
            return (here, begins)
        }
    }

    // MARK: Several hosts

    /// Asks each host by itself, and has connections first try the one that takes writes and was promoted last. A former primary that
    /// runs on without Patroni, or came back, takes writes as well, and nothing that is asked of it alone says that it is one.
    ///
    /// - Parameter interval: the least time since the last look.
    private func lookAround(atMostEvery interval: Duration) {
        guard isLookDue(interval) else { return }
        lookAround()
    }

    /// Whether a look is due. Then the caller has to look.
    private func isLookDue(_ interval: Duration) -> Bool {
        guard address.hostCount > 1 else { return false }
        return primary.withLock { primary in
            if let seen = primary.seen, .now - seen < interval { return false }
            primary.seen = .now
            return true
        }
    }

    private func lookAround() {
        let found = Mutex<[Int: String]>([:])
        DispatchQueue.concurrentPerform(iterations: address.hostCount) { host in
            guard let connection = try? PostgresConnection(address.parameters(first: host, alone: true)) else { return }
            // As long as it takes at most to connect.
            connection.limit = .seconds(3)
            guard let place = try? PostgresSchema.place(connection) else { return }
            found.withLock { $0[host] = place }
        }
        let places = found.withLock { $0 }
        primary.withLock { primary in
            guard let host = Self.primary(of: places, since: primary.place) else { return }
            (primary.host, primary.place) = (host, places[host])
        }
    }

    /// The host that was promoted last, of those that take writes with their places. Of several equals, and of different databases, the
    /// one that the address names first.
    ///
    /// - Parameter seen: the place of the last look. A look that a silent host has delayed may have seen less than a later one.
    /// - Returns: nil if there is none, or only one that was the primary before that place.
    static func primary(of places: [Int: String], since seen: String? = nil) -> Int? {
        let best = places.keys.sorted().reduce(nil as Int?) { best, host in
            guard let best, let former = places[best], let place = places[host] else { return host }
            return DatabasePlace(former).isBefore(DatabasePlace(place)) ? host : best
        }
        guard let seen, let place = best.flatMap({ places[$0] }) else { return best }
        return DatabasePlace(place).isBefore(DatabasePlace(seen)) ? nil : best
    }

    /// Whether another server was promoted after this place: the one that this node has agreed to, or one that it has seen.
    private func wasReplaced(_ place: String) -> Bool {
        [agreed.withLock { $0 }, primary.withLock { $0.place }].contains { later in
            later.map { DatabasePlace(place).isBefore(DatabasePlace($0)) } ?? false
        }
    }

    /// The place that the tables name, the number of their last commit, and whether they are as the last transaction has left them, with
    /// each commit that this node has answered.
    private func found(on connection: PostgresConnection) throws -> (place: String, commits: Int64, isWhole: Bool) {
        let row = try Database(connection).value(Row.self, sql: "SELECT place, commits FROM node")
        let commits: Int64 = try row["commits"]
        let isWhole = try PostgresSchema.isWhole(connection) && commits >= lastCommit.load(ordering: .relaxed)
        return (try row["place"], commits, isWhole)
    }

    /// The parts of a place: the database, and its timeline, which is another one after a promotion.
    private struct DatabasePlace {
        var database: Substring
        /// Eight hexadecimal digits.
        var timeline: Substring

        init(_ text: String) {
            let end = text.lastIndex(of: "/") ?? text.endIndex
            (database, timeline) = (text[..<end], text[end...].dropFirst())
        }

        /// Whether the other place is that of a replica which was promoted after this one had been the primary.
        func isBefore(_ other: Self) -> Bool { database == other.database && timeline < other.timeline }
    }

    // MARK: Reading

    func read<Value: Sendable>(_ body: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        // A node that only reads has to leave a former primary as well. It reads the versions of the policies each second.
        defer { tidy() }
        return try await readers.run { try $0.read(body) }
    }

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let index = try readers.take()
        defer { readers.give(index) }
        return try readers.seats[index].use { try $0.read(body) }
    }

    // MARK: Writing

    func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try writer.use { seat in
            do {
                return try seat.write { try body(Database($0)) }
            } catch let error as SQLError where error.state == SQLError.restored {
                // Rows were put back while this node was connected, or the database is an older one.
                _ = try settle(seat)
                return try seat.write { try body(Database($0)) }
            }
        }
    }

    func check(_ number: Int64) throws {
        guard number > lastCommit.load(ordering: .relaxed) else { throw SQLError(state: SQLError.restored) }
    }

    func committed(_ number: Int64) { lastCommit.store(number, ordering: .relaxed) }

    func tidy() {
        // Until this node has looked, it may answer from a former primary that still runs.
        guard isLookDue(.seconds(5)) else { return }
        // Each connection to a host that is switched off takes seconds to fail.
        DispatchQueue.global(qos: .utility).async { [weak self] in self?.lookAround() }
    }

    // MARK: Proofs of DPoP that all nodes have to know

    /// Remembers a proof until its nonce expires, unless it is remembered already.
    ///
    /// It is a statement of its own, which waits for no lock, nor for a replica: after the promotion of one that lacks it, the place is
    /// another one, and with it all nonces.
    func remember(_ proof: [UInt8], until expiry: UnixTime, in epoch: Int64) async throws -> Bool {
        try await provers.run { seat in
            try seat.once { connection in
                let result = try connection.run(
                    """
                    INSERT INTO spent (use, id, expires_at)
                    SELECT ?1, ?2, ?3 FROM node WHERE ?3 > purged_until AND epoch = ?4 ON CONFLICT DO NOTHING
                    """, [Spend.Use.dpopProof.rawValue.sqlValue, .blob(Data(proof)), .integer(expiry.seconds), .integer(epoch)])
                return result.changes == 1
            }
        }
    }

    func latestTime() async throws -> UnixTime {
        try await readers.run { seat in
            try seat.read { UnixTime(seconds: try $0.value(Int64.self, sql: "SELECT high_water FROM node")) }
        }
    }

    /// What makes a commit durable, read back from the database.
    func durability() throws -> Durability {
        try writer.use { try PostgresSchema.durability($0.connected()) }
    }

    var place: String { agreed.withLock { $0 } ?? "" }

    /// Writes a copy of the whole database to a file.
    func backUp(to path: String) throws {
        let index = try readers.take()
        defer { readers.give(index) }
        try readers.seats[index].use { seat in
            try seat.alone("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY") {
                try PostgresSchema.refuseNewer($0)
                try TableCopy.copy(from: $0, to: path)
            }
        }
    }

    func replace(by draft: SQLitePool, if check: (Database) throws -> Void) throws {
        try writer.use { seat in
            let begin = ["BEGIN ISOLATION LEVEL SERIALIZABLE"] + PostgresSchema.takeTurn
            try seat.alone(begin.joined(separator: "; ")) {
                try check(Database($0))
                try PostgresSchema.refuseNewer($0)
                try TableCopy.copy(from: draft, to: $0)
            }
        }
    }

    var ifWhole: String { " JOIN last_writer ON transaction = last_writer.xmin::text::bigint" }
}

/// One connection, which is made when it is needed, and the queue of those that use it.
///
/// It is a class that only its queue uses, besides the queue itself.
private final class Seat: @unchecked Sendable {
    let queue = DispatchQueue(label: "thumbturn.postgres")
    private let address: PostgresAddress
    /// libpq's parameters for a new connection.
    var parameters: () -> [String: String]
    /// Finds out which host is the primary.
    var lookAround: () -> Void = {}
    /// Whether its commits wait for a synchronous replica.
    private let waitsForReplicas: Bool
    /// Checks a new connection, and returns where it leads.
    var agree: (PostgresConnection) throws -> String? = { _ in nil }
    /// Whether this node is still at a place.
    var isHere: (String) -> Bool = { _ in true }
    private var connection: PostgresConnection?
    private var place: String?
    /// Whether another host may be the primary, since a connection was lost or refused.
    private var mayHaveMoved = false
    /// Until then no connection is tried, so that those who wait behind a database that is gone are refused at once.
    private var retriesAt = ContinuousClock.now

    init(_ address: PostgresAddress, _ connection: PostgresConnection? = nil, waitsForReplicas: Bool = true) {
        self.address = address
        self.connection = connection
        self.waitsForReplicas = waitsForReplicas
        parameters = { address.parameters }
    }

    /// Runs `body` on the seat's queue.
    func use<Value>(_ body: (Seat) throws -> Value) throws -> Value {
        try queue.sync { try body(self) }
    }

    /// The connection, which is made if it is missing or was lost.
    func connected() throws -> PostgresConnection {
        if let connection {
            if connection.isUsable, leadsHere(connection) { return connection }
            lose()
        }
        guard retriesAt <= .now else { throw SQLError(state: SQLError.connectionLost) }
        if mayHaveMoved { lookAround() }
        do {
            let made = try connect()
            mayHaveMoved = false
            return made
        } catch {
            lose()
            retriesAt = .now + .milliseconds(500)
            throw error
        }
    }

    private func lose() {
        (connection, place, mayHaveMoved) = (nil, nil, true)
    }

    private func connect() throws -> PostgresConnection {
        let made = try PostgresConnection(parameters())
        try PostgresSchema.prepare(made, for: address)
        if !waitsForReplicas { try made.execute("SET synchronous_commit = local") }
        place = try agree(made)
        connection = made
        return made
    }

    /// Whether an open connection leads to the place that this node has agreed to: after a promotion the old primary may still answer
    /// those who stay connected to it.
    private func leadsHere(_ connection: PostgresConnection) -> Bool {
        do {
            // It may be from before the store was open, when nothing was agreed to.
            if place == nil { place = try agree(connection) }
            return place.map(isHere) ?? true
        } catch {
            return false
        }
    }

    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try again { connection in
            connection.begin(["BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"])
            return try body(Database(connection))
        }
    }

    func write<Value>(
        beginning: [String] = PostgresSchema.takeTurn, _ body: (PostgresConnection) throws -> Value
    ) throws -> Value {
        try again { connection in
            connection.begin(["BEGIN ISOLATION LEVEL SERIALIZABLE", connection.durably] + beginning)
            return try body(connection)
        }
    }

    /// Runs a transaction that may take long, once.
    func alone<Value>(_ begin: String, _ body: (PostgresConnection) throws -> Value) throws -> Value {
        let current = try connected()
        current.limit = .seconds(3600)
        defer { current.limit = Limits.databaseAnswer }
        do {
            // A node that hangs gives up the writers' lock after a minute.
            let limits = "SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 60000"
            try current.execute("\(begin); \(current.durably); \(limits)")
            let value = try body(current)
            try current.commit()
            return value
        } catch {
            current.rollBack()
            throw error
        }
    }

    /// Runs one statement, which is a transaction of its own. It is not repeated: if the connection was lost, it may have been done.
    func once<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
        do { return try body(connected()) } catch let error as SQLError where error.needsNewConnection {
            lose()
            throw error
        }
    }

    /// Runs a transaction, and again where another one was in its way or the connection had been lost before it was committed.
    private func again<Value>(_ body: (PostgresConnection) throws -> Value) throws -> Value {
        var tries = 0
        while true {
            let current = try connected()
            var mayRunAgain = true
            do {
                let value = try body(current)
                mayRunAgain = false
                do { try current.commit() } catch let error as SQLError where error.isConflict {
                    mayRunAgain = true
                    throw error
                }
                return value
            } catch {
                current.rollBack()
                // Its replica may have been promoted.
                if case StoreError.notReplicated = error { lose() }
                tries += 1
                guard let error = error as? SQLError, mayRunAgain, tries < Limits.transactionTries,
                    error.isConflict || error.needsNewConnection || (error.isConnectionLost && tries == 1)
                else { throw error }
                if error.needsNewConnection { lose() }
                if error.isConflict { Thread.sleep(forTimeInterval: .random(in: 0.001...0.01) * Double(tries)) }
            }
        }
    }
}
#endif
