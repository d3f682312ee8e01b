#if Server
import GRDB

extension Schema {
    /// The names of the migrations, in their order. PostgreSQL takes a step of the same name for each (`PostgresSchema.steps`).
    static var names: [String] { migrator.migrations }

    /// The migrations of a database of SQLite. A published migration never changes.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1 tables") { db in try db.execute(sql: tables) }
        return migrator
    }

    /// Makes or migrates the tables of a database, or refuses them.
    ///
    /// - Parameter path: the database's path, for the error.
    static func migrate(_ database: any DatabaseWriter, at path: String) throws {
        try refuse(database.read(migrator.appliedIdentifiers), unless: names, at: path)
        try migrator.migrate(database)
    }
}
#endif
