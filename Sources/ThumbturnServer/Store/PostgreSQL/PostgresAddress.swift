#if Server
import Foundation
import ThumbturnCore
import ThumbturnMessages
import ThumbturnVerifier
#if PostgreSQL
import CPQ
#endif

/// Where a PostgreSQL database is, and how it keeps what is committed.
public struct PostgresAddress: Hashable, Sendable, CustomStringConvertible {
    /// How the database's commits reach its replicas, which decides what the promotion of a replica means.
    public enum Replication: String, Hashable, Sendable, CaseIterable {
        /// A replica has a commit before it is answered, so that a promoted one has all of them, and its sessions and challenges go on.
        case synchronous
        /// A promoted replica may lack the last commits, so that a new epoch begins: all devices sign in again, and no challenge is
        /// accepted twice. Also right without replicas.
        case asynchronous
    }

    /// libpq's connection parameters.
    package let parameters: [String: String]
    var replication: Replication
    /// Whether a database is accepted whose `synchronous_commit` is weaker than `on`, or without `fsync` or `full_page_writes`. Commits that were answered may then be lost.
    var acceptsWeakCommits: Bool

    /// How many hosts it names.
    var hostCount: Int { ["host", "hostaddr"].map { list($0).count }.max() ?? 1 }

    /// The parameters with one of the hosts before the others, or alone.
    func parameters(first index: Int, alone: Bool = false) -> [String: String] {
        var parameters = parameters
        for name in ["host", "hostaddr", "port"] {
            let all = list(name)
            // A port may be that of all hosts.
            guard all.count > 1, all.indices.contains(index) else { continue }
            let others = alone ? [] : all.indices.filter { $0 != index }.map { all[$0] }
            parameters[name] = ([all[index]] + others).joined(separator: ",")
        }
        return parameters
    }

    #if PostgreSQL
    /// Whether all hosts of these parameters are this machine. Where the parameters leave it open, the environment or a file of services
    /// may name another one.
    static func isHere(_ given: [String: String], _ environment: [String: String]) -> Bool {
        guard given["service"] == nil, environment["PGSERVICE"] == nil else { return false }
        let hosts = given["hostaddr"] ?? environment["PGHOSTADDR"] ?? given["host"] ?? ""
        return hosts.split(separator: ",", omittingEmptySubsequences: false).allSatisfy {
            $0.hasPrefix("/") || Loopback.contains(host: String($0))
        }
    }
    #endif

    private func list(_ name: String) -> [Substring] {
        parameters[name]?.split(separator: ",", omittingEmptySubsequences: false) ?? []
    }

    /// The database and its hosts, without the user and the password.
    public var description: String {
        let host = parameters["host"] ?? parameters["hostaddr"] ?? ""
        return "the database \(parameters["dbname"] ?? "") at \(host.isEmpty ? "the default host" : host)"
    }

    /// The address in an option, or else in the environment variable THUMBTURN_DATABASE; nil if neither has one. An empty line in a file
    /// of variables sets none.
    package static func given(_ option: String?) -> String? {
        let text = option ?? ProcessInfo.processInfo.environment["THUMBTURN_DATABASE"] ?? ""
        return text.isEmpty ? nil : text
    }

    /// Compares a clock with that of the database server: a node whose clock is ahead would take all others with it, and one that is far
    /// behind could not follow them.
    ///
    /// - Throws: `SetupError.clockUnlikeDatabase` if they differ by more than a minute, which is what resource servers allow, and
    ///   `SetupError.databaseUnreachable`.
    package func check(_ clock: NodeClock) throws(SetupError) {
        #if PostgreSQL
        let now: Int64
        do throws(SQLError) {
            let rows = try PostgresConnection(parameters).query("SELECT extract(epoch FROM clock_timestamp())::bigint AS now")
            now = try rows[0]["now"]
        } catch {
            throw .databaseUnreachable(error.debugDescription)
        }
        let (here, there) = (clock.civil(), UnixTime(seconds: now))
        guard max(here - there, there - here) <= TokenTimes.leeway else {
            throw SetupError.clockUnlikeDatabase(clock: here, database: there)
        }
        #endif
    }

    /// Reads an address: a URI, or libpq's `keyword=value` (PostgreSQL, section 34.1.1). Of several hosts, the one that can be written
    /// to is used, and where several can be, the one that was promoted last. A password is better kept in the environment's `PGPASSWORD`
    /// or a file, `PGPASSFILE`.
    ///
    /// - Parameters:
    ///   - text: for example `postgresql://thumbturn@db1,db2/thumbturn?sslrootcert=/etc/ca.pem`.
    ///   - replication: how the database's commits reach its replicas.
    ///   - acceptsWeakCommits: whether a database may lose commits that were answered. Its replication then counts as asynchronous.
    /// - Throws: `SetupError.databaseAddress` if it is no such address, or if it reaches another machine without verifying its certificate:
    ///   `sslmode` is `verify-full` by default, and nothing less is accepted there. `SetupError.noPostgreSQL` if this program was built
    ///   without the trait PostgreSQL.
    public init(
        _ text: String, replication: Replication = .asynchronous, acceptsWeakCommits: Bool = false
    ) throws(SetupError) {
        #if PostgreSQL
        var message: UnsafeMutablePointer<CChar>?
        guard let options = unsafe PQconninfoParse(text, &message) else {
            unsafe PQfreemem(message)
            throw .databaseAddress("it is neither a URI nor a list of keywords")
        }
        defer { unsafe PQconninfoFree(options) }
        var given: [String: String] = [:]
        var next = unsafe options
        while let keyword = unsafe next.pointee.keyword {
            if let value = unsafe next.pointee.val { given[unsafe String(cString: keyword)] = unsafe String(cString: value) }
            unsafe next += 1
        }
        let isHere = Self.isHere(given, ProcessInfo.processInfo.environment)
        let mode = given["sslmode"] ?? (isHere ? "prefer" : "verify-full")
        guard isHere || mode == "verify-full" else {
            throw .databaseAddress("sslmode=\(mode) does not verify the other machine's certificate; use verify-full")
        }
        given["sslmode"] = mode
        // libpq prefers Kerberos' encryption to TLS, whatever sslmode says, and it verifies no certificate.
        if !isHere { given["gssencmode"] = "disable" }
        // Of several servers, the one that can be written to.
        given["target_session_attrs"] = given["target_session_attrs"] ?? "read-write"
        given["client_encoding"] = "UTF8"
        given["application_name"] = given["application_name"] ?? "thumbturn"
        // A server that is gone without a word is noticed in some ten seconds.
        let defaults = [
            "connect_timeout": "3", "keepalives_idle": "4", "keepalives_interval": "2", "keepalives_count": "3",
            "tcp_user_timeout": "10000",
        ]
        parameters = given.merging(defaults) { given, _ in given }
        // What a database may lose by itself, its replicas may lack as well.
        self.replication = acceptsWeakCommits ? .asynchronous : replication
        self.acceptsWeakCommits = acceptsWeakCommits
        #else
        throw .noPostgreSQL
        #endif
    }
}
#endif
