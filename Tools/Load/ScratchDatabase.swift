#if Tools
package import ThumbturnServer

/// A database of its own on the server of another one, for a measurement or a test.
package struct ScratchDatabase: Sendable {
    /// How programs reach it, in libpq's `keyword=value`.
    package let address: String
    private let name: String
    private let server: PostgresAddress

    /// Makes an empty database. The user needs the right CREATEDB.
    package init(beside server: PostgresAddress) throws {
        name = "thumbturn_\(UInt64.random(in: 0...UInt64.max))"
        self.server = server
        let parameters = server.parameters.merging(["dbname": name]) { $1 }
        address = parameters.sorted { $0.key < $1.key }.map { key, value in
            let quoted = value.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
            return "\(key)='\(quoted)'"
        }.joined(separator: " ")
        try run("CREATE DATABASE \(name)")
    }

    /// Removes the database. Connections to it end.
    package func remove() throws { try run("DROP DATABASE \(name) WITH (FORCE)") }

    private func run(_ sql: String) throws {
        #if PostgreSQL
        try PostgresConnection(server.parameters).execute(sql)
        #else
        throw SetupError.noPostgreSQL
        #endif
    }
}
#endif
