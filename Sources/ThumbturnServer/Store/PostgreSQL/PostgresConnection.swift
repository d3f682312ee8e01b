#if Server && PostgreSQL
#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif
import CPQ
import Crypto
import Foundation

/// One connection to PostgreSQL. Only one thread at a time may use it.
@safe package final class PostgresConnection: SQLConnection {
    private let base: OpaquePointer
    /// The names of the statements that are prepared on this connection, by their text.
    private var prepared: [String: String] = [:]
    private var columns: [String: Row.Columns] = [:]
    /// Statements without results that are sent together with the next one, so that they cost no round trip of their own.
    private var queued: [String] = []
    /// Counts the server's warnings.
    private let warnings = Warnings()
    /// False once the server did not answer in time, or the connection broke.
    private var isAlive = true
    /// The `synchronous_commit` that the connection was judged by.
    var commits = ""
    /// The statement that sets it for one transaction, because a proxy may have given the connection another session.
    var durably: String { "SET LOCAL synchronous_commit = '\(commits)'" }
    /// How long the server may take for an answer.
    var limit = Limits.databaseAnswer

    private final class Warnings {
        var count = 0
    }

    /// Connects, and waits until it is done.
    ///
    /// - Parameter parameters: libpq's connection parameters (PostgreSQL, section 34.1.2).
    package init(_ parameters: [String: String]) throws(SQLError) {
        let keys = parameters.keys.sorted()
        let connection = unsafe Self.withStrings(keys) { keys in
            unsafe Self.withStrings(parameters.keys.sorted().map { parameters[$0] ?? "" }) { values in
                unsafe PQconnectdbParams(keys, values, 0)
            }
        }
        guard let connection = unsafe connection else { throw SQLError(state: SQLError.connectionLost) }
        unsafe base = connection
        guard unsafe PQstatus(base) == CONNECTION_OK else {
            // The end of this object closes the connection.
            let message = unsafe String(cString: PQerrorMessage(base))
            throw SQLError(state: SQLError.connectionLost, debugDescription: message)
        }
        let context = unsafe Unmanaged.passUnretained(warnings).toOpaque()
        unsafe PQsetNoticeReceiver(
            base,
            { context, result in
                guard let context = unsafe context, let result = unsafe result else { return }
                // Notices, for example of a table that is there already, are of no interest.
                let severity = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "V")))
                guard let severity = unsafe severity, unsafe String(cString: severity) == "WARNING" else { return }
                unsafe Unmanaged<Warnings>.fromOpaque(context).takeUnretainedValue().count += 1
            }, context)
    }

    deinit { unsafe PQfinish(base) }

    var isInsideTransaction: Bool {
        guard queued.isEmpty else { return true }
        let status = unsafe PQtransactionStatus(base)
        return status == PQTRANS_INTRANS || status == PQTRANS_INERROR
    }

    /// Whether the connection can be used again. What the server has sent meanwhile is read: first its goodbye, then the end.
    var isUsable: Bool {
        unsafe isAlive && PQconsumeInput(base) == 1 && PQconsumeInput(base) == 1 && PQstatus(base) == CONNECTION_OK
            && PQtransactionStatus(base) == PQTRANS_IDLE
    }

    func mayTakeLong() throws {
        _ = try run("SET LOCAL statement_timeout = 0", [])
        limit = .seconds(3600)
    }

    /// Begins a transaction with the next statement.
    func begin(_ statements: [String]) { queued = statements }

    /// Commits, and returns when the commit is durable.
    ///
    /// - Throws: `StoreError.transactionEnded` if the server rolled back instead, which is no error to it, and
    ///   `StoreError.notReplicated` if it stopped waiting for its replica, which is only a warning to it.
    func commit() throws {
        guard queued.isEmpty else {
            queued = []
            return
        }
        let before = warnings.count
        defer { limit = Limits.databaseAnswer }
        // What takes long has been done. PostgreSQL itself waits for a replica for ever, whatever its statement_timeout.
        limit = min(limit, .seconds(60))
        let status = try execute("COMMIT")
        guard status == "COMMIT" else { throw StoreError.transactionEnded }
        guard warnings.count == before else { throw StoreError.notReplicated }
    }

    /// Rolls back. After an error here the connection is not usable.
    func rollBack() {
        queued = []
        if isAlive, isInsideTransaction { _ = try? execute("ROLLBACK") }
        limit = Limits.databaseAnswer
    }

    /// Runs statements without arguments and results.
    ///
    /// - Returns: the command tag of the last one.
    @discardableResult
    package func execute(_ script: String) throws(SQLError) -> String {
        guard unsafe PQsendQuery(base, script) == 1 else { throw lost() }
        return try lastResult().command
    }

    /// Runs a statement that is not worth preparing.
    func query(_ sql: String) throws(SQLError) -> [Row] {
        guard unsafe PQsendQueryParams(base, sql, 0, nil, nil, nil, nil, 1) == 1 else { throw lost() }
        var columns: Row.Columns?
        return try lastResult().rows(&columns)
    }

    func run(_ sql: String, _ arguments: [SQLValue]) throws -> SQLResult {
        let name = try prepare(sql)
        let values = try Arguments(arguments)
        let result: QueryResult
        if queued.isEmpty {
            try send(name, values)
            result = try lastResult()
        } else {
            result = try runQueued(name, values)
        }
        return SQLResult(rows: try result.rows(&columns[sql]), changes: result.changes)
    }

    private func send(_ name: String, _ values: Arguments) throws(SQLError) {
        let isSent = unsafe values.with { count, pointers, lengths, formats in
            unsafe PQsendQueryPrepared(base, name, count, pointers, lengths, formats, 1)
        }
        guard isSent == 1 else { throw lost() }
    }

    private func prepare(_ sql: String) throws(SQLError) -> String {
        if let name = prepared[sql] { return name }
        // The name says what is prepared, so that no connection that a proxy exchanges has another statement by it.
        let name = SHA256.hash(data: Data(sql.utf8)).prefix(16).map { String($0, radix: 16) }.joined(separator: "_")
        // In a pipeline a statement that is not valid would end the transaction before it began.
        guard unsafe PQsendPrepare(base, name, Dialect.statement(sql), 0, nil) == 1 else { throw lost() }
        _ = try lastResult()
        prepared[sql] = name
        return name
    }

    /// Sends the queued statements and this one together (PostgreSQL, section 34.5).
    private func runQueued(_ name: String, _ values: Arguments) throws(SQLError) -> QueryResult {
        let first = queued
        queued = []
        guard unsafe PQenterPipelineMode(base) == 1 else { throw lost() }
        defer { unsafe PQexitPipelineMode(base) }
        for statement in first {
            guard unsafe PQsendQueryParams(base, statement, 0, nil, nil, nil, nil, 1) == 1 else { throw lost() }
        }
        try send(name, values)
        guard unsafe PQpipelineSync(base) == 1 else { throw lost() }
        var failure: SQLError?
        var last: QueryResult?
        // Each statement has its results, and the end of the pipeline one of its own.
        for _ in 0...first.count {
            do throws(SQLError) { last = try lastResult() } catch { failure = failure ?? error }
            // The rest of the answer would wait for the time limit once more.
            guard isAlive else { break }
        }
        if isAlive { _ = try? nextResult() }
        if let failure { throw failure }
        guard let last else { throw lost() }
        return last
    }

    /// Waits for all results of what was sent, and returns the last one. Throws the first error.
    private func lastResult() throws(SQLError) -> QueryResult {
        var (last, failure): (QueryResult?, SQLError?) = (nil, nil)
        while let result = try nextResult() {
            failure = failure ?? result.failure
            last = result
        }
        if let failure { throw failure.state.isEmpty ? lost() : failure }
        guard let last else { throw lost() }
        return last
    }

    /// The next result; nil after the last one. libpq would wait for it as long as the other machine keeps the connection, also where
    /// its processes hang; here the connection is given up after `limit`.
    private func nextResult() throws(SQLError) -> QueryResult? {
        let deadline = ContinuousClock.now + limit
        while unsafe PQisBusy(base) == 1 {
            let left = deadline - .now
            var descriptor = pollfd(fd: unsafe PQsocket(base), events: Int16(POLLIN), revents: 0)
            guard left > .zero,
                unsafe poll(&descriptor, 1, Int32(min(left / .milliseconds(1), 60_000)) + 1) >= 0 || errno == EINTR
            else {
                isAlive = false
                throw SQLError(state: SQLError.connectionLost, debugDescription: "no answer in \(limit)")
            }
            guard unsafe PQconsumeInput(base) == 1 else {
                isAlive = false
                throw lost()
            }
        }
        return unsafe PQgetResult(base).map { unsafe QueryResult($0) }
    }

    private func lost() -> SQLError {
        SQLError(state: SQLError.connectionLost, debugDescription: unsafe String(cString: PQerrorMessage(base)))
    }

    private static func withStrings<Value>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Value
    ) -> Value {
        let copies = unsafe strings.map { unsafe strdup($0) }
        defer { unsafe copies.forEach { unsafe free($0) } }
        let pointers: [UnsafePointer<CChar>?] = unsafe copies.map { unsafe UnsafePointer($0) } + [nil]
        return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress!) }
    }
}

/// The arguments of a statement as libpq takes them: numbers and texts as text, bytes as they are.
private struct Arguments {
    private var bytes: [UInt8] = []
    private var offsets: [Int?] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []

    init(_ values: [SQLValue]) throws(SQLError) {
        for value in values {
            offsets.append(value == .null ? nil : bytes.count)
            let before = bytes.count
            var format: Int32 = 0
            switch value {
            case .null: break
            case .integer(let number): bytes += Array(String(number).utf8)
            case .text(let text):
                bytes += Array(text.utf8)
                // libpq would take the rest for the end of the text, and PostgreSQL has no such character.
                guard !bytes[before...].contains(0) else { throw SQLError(state: "22021") }
            case .blob(let data):
                bytes += Array(data)
                format = 1
            }
            lengths.append(Int32(bytes.count - before))
            formats.append(format)
            bytes.append(0)
        }
    }

    func with<Value>(
        _ body: (Int32, UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> Value
    ) -> Value {
        unsafe bytes.withUnsafeBytes { buffer in
            let pointers: [UnsafePointer<CChar>?] = unsafe offsets.map { offset in
                unsafe offset.map { unsafe (buffer.baseAddress! + $0).assumingMemoryBound(to: CChar.self) }
            }
            return unsafe pointers.withUnsafeBufferPointer { pointers in
                unsafe lengths.withUnsafeBufferPointer { lengths in
                    unsafe formats.withUnsafeBufferPointer { formats in
                        unsafe body(
                            Int32(offsets.count), pointers.baseAddress, lengths.baseAddress, formats.baseAddress)
                    }
                }
            }
        }
    }
}

/// A result of libpq, in its binary format.
@safe private final class QueryResult {
    private let base: OpaquePointer

    init(_ base: OpaquePointer) { unsafe self.base = base }

    deinit { unsafe PQclear(base) }

    /// Why the statement failed; nil if it did not. Without a state the connection is gone.
    var failure: SQLError? {
        let status = unsafe PQresultStatus(base)
        guard status != PGRES_COMMAND_OK, status != PGRES_TUPLES_OK, status != PGRES_EMPTY_QUERY else { return nil }
        let state = unsafe PQresultErrorField(base, Int32(UInt8(ascii: "C")))
        return SQLError(
            state: unsafe state.map { unsafe String(cString: $0) } ?? "",
            debugDescription: unsafe String(cString: PQresultErrorMessage(base)))
    }

    /// The command tag, for example `UPDATE 1`.
    var command: String { unsafe PQcmdStatus(base).map { unsafe String(cString: $0) } ?? "" }

    /// The number of rows that were changed; nil for a statement that changes none.
    var changes: Int? {
        let words = command.split(separator: " ")
        guard let verb = words.first, ["INSERT", "UPDATE", "DELETE"].contains(verb) else { return nil }
        return words.last.flatMap { Int($0) }
    }

    func rows(_ known: inout Row.Columns?) throws(SQLError) -> [Row] {
        let (count, width) = unsafe (PQntuples(base), PQnfields(base))
        guard count > 0 else { return [] }
        let columns =
            known ?? Row.Columns((0..<width).map { unsafe String(cString: PQfname(base, $0)) })
        known = columns
        let types = (0..<width).map { unsafe PQftype(base, $0) }
        return try (0..<count).map { row throws(SQLError) in
            Row(
                columns: columns,
                values: try (0..<width).map { column throws(SQLError) in try value(row, column, types[Int(column)]) })
        }
    }

    private func value(_ row: Int32, _ column: Int32, _ type: Oid) throws(SQLError) -> SQLValue {
        guard unsafe PQgetisnull(base, row, column) == 0 else { return .null }
        let length = Int(unsafe PQgetlength(base, row, column))
        let bytes = unsafe UnsafeRawBufferPointer(start: PQgetvalue(base, row, column), count: length)
        // The numbers of PostgreSQL's types, which never change (pg_type.dat).
        switch type {
        case 16: return .integer(unsafe bytes[0] == 0 ? 0 : 1)
        case 20, 21, 23:
            // Big endian, of 8, 2 or 4 bytes, with a sign.
            let isNegative = unsafe bytes[0] & 0x80 != 0
            return .integer(unsafe bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) })
        case 17: return .blob(unsafe Data(bytes))
        case 19, 25, 1043: return .text(unsafe String(decoding: bytes, as: UTF8.self))
        default: throw .unlikeSchema("a column is of PostgreSQL's type \(type)")
        }
    }
}
#endif
