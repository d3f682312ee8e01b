#if Tools
import Foundation
import Synchronization
import Testing
import ThumbturnCore
@testable import ThumbturnServer

/// Where the store of these tests is: in a file, or with THUMBTURN_TEST_STORE `memory` in memory, or `postgres` in a database of its own
/// on the server at THUMBTURN_TEST_POSTGRES. scripts/test --all runs them on PostgreSQL too, and scripts/nightly in memory.
enum TestStore {
    enum Kind: String {
        case file, memory, postgres
    }

    static let kind = ProcessInfo.processInfo.environment["THUMBTURN_TEST_STORE"].map { Kind(rawValue: $0)! } ?? .file

    /// - Parameter folder: an empty folder, which only a store in a file uses.
    static func open(in folder: String, _ clock: TestClock) throws -> SQLStore {
        let time = NodeTime(clock.node)
        return switch kind {
        case .file: try SQLStore(path: folder + "/store.sqlite", time: time)
        case .memory: try SQLStore(inMemory: nil, time: time)
        case .postgres: try SQLStore(PostgresAddress(TestDatabases.make()), time: time)
        }
    }
}

/// Databases on the server of tests. Each is a copy of one with the tables.
enum TestDatabases {
    /// The server's address, for the user who may make databases.
    static let server = ProcessInfo.processInfo.environment["THUMBTURN_TEST_POSTGRES"]

    private static let template = Mutex<String?>(nil)

    private static let known = Mutex<[String: String]>([:])

    /// The address of the database of all servers with this data folder.
    static func of(_ folder: String) throws -> String {
        try known.withLock { known in
            if let address = known[folder] { return address }
            let address = try make()
            known[folder] = address
            return address
        }
    }

    /// The address of a new database. It goes with the server.
    static func make() throws -> String {
        let server = try #require(Self.server)
        let template = try template.withLock { known in
            if let known { return known }
            let name = "thumbturn_\(UInt64.random(in: 0...UInt64.max))"
            try run("CREATE DATABASE \(name)", on: server)
            _ = try SQLStore(PostgresAddress(address(name)), time: NodeTime(TestClock(UnixTime(seconds: 0)).node))
            // A copy is another database, and would begin an epoch.
            try run("UPDATE thumbturn.node SET place = ''", on: address(name))
            known = name
            return name
        }
        let name = "thumbturn_\(UInt64.random(in: 0...UInt64.max))"
        try run("CREATE DATABASE \(name) TEMPLATE \(template)", on: server)
        return address(name)
    }

    /// The address of a new database without tables.
    static func makeEmpty() throws -> String {
        let name = "thumbturn_\(UInt64.random(in: 0...UInt64.max))"
        try run("CREATE DATABASE \(name)", on: #require(server))
        return address(name)
    }

    static func address(_ name: String) -> String {
        var parts = URLComponents(string: server ?? "")
        parts?.path = "/" + name
        return parts?.string ?? ""
    }

    /// The number that a query past the store finds.
    static func count(_ sql: String, on address: String) throws -> Int64 {
        let found: Int64? = try PostgresConnection(PostgresAddress(address).parameters).query(sql).first?["n"]
        return try #require(found)
    }

    /// Runs a statement past the store.
    static func run(_ sql: String, on address: String) throws {
        try PostgresConnection(PostgresAddress(address).parameters).execute(sql)
    }
}
#endif
